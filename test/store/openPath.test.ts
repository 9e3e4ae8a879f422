/** Files that are opened, read, linked and copied on a system that refuses it while somebody looks. */

import assert from 'node:assert/strict';
import type { FileHandle } from 'node:fs/promises';
import { test } from 'node:test';
import { pathOpener } from '../../server/store/openPath.ts';

/** A system whose first calls fail with the codes, in their order. */
function failing(platform: NodeJS.Platform, codes: readonly string[]) {
	const left = [...codes];
	let calls = 0;
	let sleptMs = 0;
	const call = () => {
		calls++;
		const code = left.shift();
		if (code !== undefined) throw Object.assign(new Error(code), { code });
	};
	const opener = pathOpener({
		platform,
		open: async () => {
			call();
			return 'handle' as unknown as FileHandle;
		},
		readFile: async () => {
			call();
			return Buffer.from('ü');
		},
		stat: async () => {
			call();
			return { isFile: () => true };
		},
		link: async () => call(),
		cp: async () => call(),
		openSync: () => {
			call();
			return 7;
		},
		sleep: async (milliseconds) => {
			sleptMs += milliseconds;
		},
		sleepNow: (milliseconds) => {
			sleptMs += milliseconds;
		},
	});
	const ways: readonly (() => Promise<unknown>)[] = [
		() => opener.open('a'),
		() => opener.readText('a'),
		() => opener.link('draft', 'a'),
		() => opener.copy('a', 'b', { recursive: true }),
		async () => opener.openNow('a', 'r'),
		() => opener.isPlainFile('a'),
	];
	return { ways, calls: () => calls, sleptMs: () => sleptMs };
}

const results = ['handle', 'ü', undefined, undefined, 7, true];

test('what another program holds on Windows is opened, read, linked and copied a little later', async () => {
	for (const [index, expected] of results.entries()) {
		const system = failing('win32', ['EBUSY', 'EPERM', 'EACCES', 'EBUSY']);
		assert.equal(await system.ways[index]?.(), expected);
		assert.equal(system.calls(), 5);
		assert.ok(system.sleptMs() > 0);
	}
});

test('a program that does not let go is named after ten seconds', async () => {
	for (const index of results.keys()) {
		const system = failing('win32', Array(1000).fill('EBUSY'));
		await assert.rejects(system.ways[index] ?? assert.fail, {
			code: 'store_unavailable',
			message: /^a cannot be (opened|made|copied): .*virus scanner/,
		});
		assert.ok(system.sleptMs() >= 10_000 && system.sleptMs() < 11_000, String(system.sleptMs()));
	}
});

test('a right that is missing is told after two seconds, in the words of the system', async () => {
	for (const index of results.keys()) {
		const system = failing('win32', Array(1000).fill('EPERM'));
		await assert.rejects(system.ways[index] ?? assert.fail, { code: 'EPERM' });
		assert.ok(system.sleptMs() >= 2000 && system.sleptMs() < 3000, String(system.sleptMs()));
	}
});

test('other errors and other systems wait for nobody', async () => {
	for (const [platform, code] of [
		['win32', 'ENOENT'],
		['win32', 'EEXIST'],
		['linux', 'EBUSY'],
		['darwin', 'EPERM'],
	] as const)
		for (const index of results.keys()) {
			const system = failing(platform, [code]);
			await assert.rejects(system.ways[index] ?? assert.fail, { code });
			assert.equal(system.calls(), 1);
			assert.equal(system.sleptMs(), 0);
		}
});

test('a drive without hard links is told of in words, and nobody waits for it', async () => {
	for (const [platform, code] of [
		['win32', 'EISDIR'],
		['darwin', 'ENOTSUP'],
	] as const) {
		const system = failing(platform, [code, code]);
		const link = system.ways[2];
		assert.ok(link);
		await assert.rejects(link, { code: 'store_unavailable', message: /no second names/ });
		assert.equal(system.calls(), 1);
	}
});
