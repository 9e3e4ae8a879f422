/** Folders whose name is not free yet, on a Windows that still removes what had it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FolderDisk, makeFolder } from '../../server/store/makeFolder.ts';

/** A disk whose first calls fail with the codes, in their order. */
function failing(platform: NodeJS.Platform, codes: readonly string[], there: string[] = []) {
	const left = [...codes];
	const made: string[] = [];
	let [calls, sleptMs] = [0, 0];
	const disk: FolderDisk = {
		platform,
		mkdir: (path) => {
			calls++;
			const code = left.shift();
			if (code !== undefined) throw Object.assign(new Error(code), { code });
			made.push(path);
		},
		isFolder: (path) => there.includes(path) || made.includes(path),
		sleepNow: (milliseconds) => {
			sleptMs += milliseconds;
		},
	};
	return { disk, made, calls: () => calls, sleptMs: () => sleptMs };
}

test('a folder is made as soon as the one of that name has gone', () => {
	const { disk, made, sleptMs } = failing('win32', ['EPERM', 'EACCES', 'EBUSY']);
	makeFolder('/data/models', 0o700, disk);
	assert.deepEqual(made, ['/data/models']);
	assert.ok(sleptMs() > 0);
});

test('a right that is missing is said in the words of the system, after a second; elsewhere at once', () => {
	const windows = failing('win32', Array(1000).fill('EPERM'));
	assert.throws(() => makeFolder('/data', 0o700, windows.disk), {
		code: 'EPERM',
		message: 'EPERM',
	});
	assert.ok(windows.sleptMs() >= 1000 && windows.sleptMs() < 2000, String(windows.sleptMs()));
	const linux = failing('linux', ['EACCES']);
	assert.throws(() => makeFolder('/data', 0o700, linux.disk), { code: 'EACCES' });
	assert.deepEqual([linux.calls(), linux.sleptMs()], [1, 0]);
});

test('the folders above are made first, and one that is there is left alone', () => {
	const above = failing('win32', ['ENOENT']);
	makeFolder('/data/models', 0o700, above.disk);
	assert.deepEqual(above.made, ['/data', '/data/models']);
	const there = failing('win32', ['EPERM'], ['/data']);
	makeFolder('/data', 0o700, there.disk);
	assert.deepEqual([there.made, there.sleptMs()], [[], 0]);
});
