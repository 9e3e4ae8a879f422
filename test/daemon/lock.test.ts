import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type LockDeps, takeLock } from '../../server/daemon/lock.ts';

let folder: string;
let count = 0;
before(async () => {
	folder = await mkdtemp(join(tmpdir(), 'nearglot-lock-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const newPath = () => join(folder, `${count++}.lock`);
const deps = (more: Partial<LockDeps> = {}): LockDeps => ({
	isAlive: () => true,
	answers: async () => true,
	now: Date.now,
	...more,
});

test('of ten processes that ask at once one gets the lock', async () => {
	const path = newPath();
	const results = await Promise.all(
		Array.from({ length: 10 }, (_, i) => takeLock(path, 100 + i, deps())),
	);
	const winners = results.filter((result) => result.lock);
	assert.equal(winners.length, 1);
	const pid = winners[0]?.lock?.owner.pid;
	for (const result of results) if (!result.lock) assert.equal(result.owner?.pid, pid);
});

test('of ten processes that see a stale lock one gets it', async () => {
	const path = newPath();
	await writeFile(path, '{"pid":1,"token":"dead"}');
	const alive = deps({ isAlive: (pid) => pid !== 1 });
	const results = await Promise.all(
		Array.from({ length: 10 }, (_, i) => takeLock(path, 100 + i, alive)),
	);
	const holders = await Promise.all(results.map((result) => result.lock?.held() ?? false));
	assert.equal(holders.filter(Boolean).length, 1);
});

test('a released lock is free, and releasing another one changes nothing', async () => {
	const path = newPath();
	const first = await takeLock(path, 1, deps());
	await first.lock?.release();
	const second = await takeLock(path, 2, deps());
	assert.ok(second.lock);
	await first.lock?.release();
	assert.equal(await second.lock.held(), true);
});

test('a lock whose process id was given to another program is taken after the grace time', async () => {
	const path = newPath();
	await writeFile(path, '{"pid":4,"token":"reused"}');
	const silent = deps({ answers: async () => false });
	assert.equal((await takeLock(path, 5, silent)).lock, undefined, 'it may be starting');
	const old = new Date(Date.now() - 60_000);
	await utimes(path, old, old);
	assert.equal((await takeLock(path, 5, deps())).lock, undefined, 'it answers');
	assert.ok((await takeLock(path, 5, silent)).lock);
});

test('a lock file of garbage does not lock for ever', async () => {
	const path = newPath();
	await writeFile(path, 'garbage');
	const old = new Date(Date.now() - 60_000);
	await utimes(path, old, old);
	const { lock } = await takeLock(path, 6, deps());
	assert.ok(lock);
	assert.match(await readFile(path, 'utf8'), /"pid":6/);
});
