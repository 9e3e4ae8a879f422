/** Changes under a lock: nothing is lost, and no lock that somebody left behind lasts. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { changeFile } from '../../server/store/changeFile.ts';
import { lockFile } from '../../server/store/lock.ts';
import { thisProcess } from '../../server/store/processIdentity.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder('store');

let count = 0;
const newPath = () => join(folder, String(count++), 'list.json');
const add = (path: string, item: number) =>
	changeFile(path, (text) => JSON.stringify([...JSON.parse(text ?? '[]'), item]));
const listOf = async (path: string): Promise<number[]> => JSON.parse(await readFile(path, 'utf8'));
const numbers = (length: number) => Array.from({ length }, (_, index) => index);

/** A lock file as another process would have left it. */
async function leave(path: string, owner: object | string): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	await writeFile(`${path}.lock`, typeof owner === 'string' ? owner : JSON.stringify(owner));
}

test('changes made at once are all there, and nothing is left beside the file', async () => {
	const path = newPath();
	await Promise.all(numbers(30).map((item) => add(path, item)));
	assert.deepEqual(
		(await listOf(path)).sort((a, b) => a - b),
		numbers(30),
	);
	assert.deepEqual(await readdir(dirname(path)), ['list.json']);
});

test('a pipe or a folder in the place of the lock or the file is named, not waited for', {
	skip: process.platform === 'win32' ? 'there are no named pipes in folders' : false,
}, async () => {
	for (const suffix of ['', '.lock'])
		for (const make of ['mkfifo', 'mkdir']) {
			const path = newPath();
			await mkdir(dirname(path), { recursive: true });
			execFileSync(make, [path + suffix]);
			await assert.rejects(add(path, 1), /list\.json(\.lock)? is no plain file/);
		}
});

test('a change that gives nothing writes nothing, and one that throws leaves the file and no lock', async () => {
	const path = newPath();
	await changeFile(path, () => undefined);
	assert.deepEqual(await readdir(dirname(path)), []);
	await add(path, 1);
	await assert.rejects(
		changeFile(path, () => {
			throw new Error('no');
		}),
		/^Error: no$/,
	);
	assert.deepEqual(await readdir(dirname(path)), ['list.json']);
	assert.deepEqual(await listOf(path), [1]);
});

const gone = { ...thisProcess(), pid: 999_999_999, token: 'old' };
const { began: _, ...unknown } = gone;
describe('locks left behind', { concurrency: true }, () => {
	for (const [what, owner] of [
		['a dead process', gone],
		['an earlier life of this process number', { ...gone, pid: process.pid, began: '1' }],
		['another process that now has the number', { ...gone, pid: process.ppid }],
		['a process whose beginning nobody knows', { ...unknown, pid: process.ppid }],
		['another container', { ...gone, pid: 1, space: 'another' }],
		['an earlier version', { pid: process.ppid, token: 'old' }],
		['a machine of another name', { ...gone, host: `not-${hostname()}` }],
		['nobody that can be read', 'garbage'],
		['a process killed before it wrote its name', ''],
	] as const)
		test(`a lock of ${what} is taken over once, however many wait for it`, async () => {
			const path = newPath();
			await leave(path, owner);
			await Promise.all(numbers(12).map((item) => add(path, item)));
			assert.deepEqual(
				(await listOf(path)).sort((a, b) => a - b),
				numbers(12),
			);
			assert.deepEqual(await readdir(dirname(path)), ['list.json']);
		});
});

test('whoever was held up until another took over starts its change again', async () => {
	const path = newPath();
	await add(path, 1);
	let asked = 0;
	await changeFile(path, (text) => {
		asked++;
		// Another one has taken this lock for a dead one's, written, and released.
		if (asked === 1) {
			rmSync(`${path}.lock`);
			writeFileSync(path, '[1,2]');
		}
		return JSON.stringify([...JSON.parse(text ?? '[]'), 3]);
	});
	assert.equal(asked, 2);
	assert.deepEqual(await listOf(path), [1, 2, 3]);
	assert.deepEqual(await readdir(dirname(path)), ['list.json']);
});

test('a wait has an end, and names the lock and its owner', async () => {
	const path = join(folder, 'held.lock');
	await using _held = await lockFile(path);
	await assert.rejects(lockFile(path, { waitMs: 50 }), (error: Error) => {
		assert.match(error.message, new RegExp(`process ${process.pid} on ${hostname()}`));
		assert.ok(error.message.includes(path), error.message);
		return true;
	});
	const stop = new AbortController();
	const waiting = lockFile(path, { signal: stop.signal, onWait: () => stop.abort() });
	await assert.rejects(waiting, { code: 'cancelled' });
});

test('a guard that a killed process left does not keep a stale lock alive', async () => {
	const path = newPath();
	await leave(path, gone);
	await writeFile(`${path}.lock.takeover`, '');
	await utimes(`${path}.lock.takeover`, new Date(0), new Date(0));
	await add(path, 1);
	assert.deepEqual(await readdir(dirname(path)), ['list.json']);
});

test('a folder that cannot be written to is said in a sentence', async () => {
	const path = join(folder, 'file', 'list.json');
	await writeFile(join(folder, 'file'), '');
	await assert.rejects(add(path, 1), { code: 'store_unavailable' });
});
