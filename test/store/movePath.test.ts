/** Renames and removals on a system that refuses them while somebody looks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PathSystem, pathMover } from '../../server/store/movePath.ts';

/** A system whose first calls fail with the codes, in their order. */
function failing(platform: NodeJS.Platform, codes: readonly string[], isReadOnly = false) {
	const left = [...codes];
	const calls: string[] = [];
	let sleptMs = 0;
	const call = async (name: string) => {
		calls.push(name);
		const code = left.shift();
		if (code !== undefined) throw Object.assign(new Error(code), { code });
	};
	const system: PathSystem = {
		platform,
		rename: (from, to) => call(`${from} → ${to}`),
		rm: (path, { recursive = false, force = false }) =>
			call(`${path} ${Number(recursive)}${Number(force)}`),
		isReadOnly: async () => isReadOnly,
		sleep: async (milliseconds) => {
			sleptMs += milliseconds;
		},
	};
	return { ...pathMover(system), calls, sleptMs: () => sleptMs };
}

test('what a scanner has open on Windows is renamed and removed a little later', async () => {
	const codes = ['EPERM', 'EACCES', 'EBUSY', 'ENOTEMPTY'];
	const moved = failing('win32', codes);
	await moved.move('a', 'b');
	assert.deepEqual(moved.calls, Array(5).fill('a → b'));
	assert.ok(moved.sleptMs() > 0);
	const removed = failing('win32', codes);
	await removed.remove('c', { recursive: true, force: true });
	assert.deepEqual(removed.calls, Array(5).fill('c 11'));
	assert.deepEqual(failing('win32', []).calls, []);
});

test('a program that does not let go is named after ten seconds, as what it may be', async () => {
	const moved = failing('win32', Array(1000).fill('EPERM'));
	await assert.rejects(moved.move('draft', 'folder'), {
		code: 'store_unavailable',
		message: /^folder cannot be replaced: .*virus scanner/,
	});
	const removed = failing('win32', Array(1000).fill('EBUSY'));
	await assert.rejects(removed.remove('folder'), /^AppError: folder cannot be removed: /);
	for (const { sleptMs, calls } of [moved, removed]) {
		assert.ok(sleptMs() >= 10_000 && sleptMs() < 11_000, String(sleptMs()));
		assert.ok(calls.length < 50);
	}
});

test('a file that is marked as read-only on Windows is named as such at once', async () => {
	const marked = failing('win32', ['EPERM'], true);
	await assert.rejects(
		marked.move('draft', 'a.md'),
		/a\.md cannot be replaced: it is marked as read-only\. /,
	);
	assert.equal(marked.sleptMs(), 0);
	await assert.rejects(failing('linux', ['EPERM'], true).move('a', 'b'), { code: 'EPERM' });
});

test('other errors and other systems wait for nobody', async () => {
	for (const [platform, code] of [
		['win32', 'ENOENT'],
		['win32', 'ENOSPC'],
		['win32', 'EXDEV'],
		['linux', 'EPERM'],
		['darwin', 'EBUSY'],
	] as const) {
		const system = failing(platform, [code]);
		await assert.rejects(system.move('a', 'b'), { code });
		assert.equal(system.calls.length, 1);
		await system.remove('a');
		assert.equal(system.sleptMs(), 0);
	}
});
