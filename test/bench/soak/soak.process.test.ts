/** A short stretch of the mixed load of `npm run bench -- soak`: nothing may be wrong, stuck or held. */

import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { runBurst } from '../../../bench/soak/burst.ts';
import { filesBelow, processFacts } from '../../../bench/soak/held.ts';
import { runSoak } from '../../../bench/soak/soak.ts';
import { leaks, occupied, type Reading } from '../../../bench/soak/watch.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const skip = process.platform === 'linux' ? false : 'it needs /proc';

test('seconds of mixed load with loads, unloads and a killed runner end with nothing wrong', async () => {
	const { counts, readings, problems } = await runSoak({
		minutes: 0.15,
		callers: 3,
		pauseMs: 250,
		killEveryS: 4,
		readEveryS: 3,
		everyNth: 4,
		say: () => {},
	});
	assert.deepEqual(problems, []);
	assert.ok((counts['right'] ?? 0) > 19 && (counts['kills'] ?? 0) > 0, JSON.stringify(counts));
	if (process.platform === 'linux')
		assert.ok(readings.some(({ name, residentBytes }) => name === 'daemon' && residentBytes > 0));
});

test('a burst of different requests is answered as each of them alone', async () => {
	const lines: string[] = [];
	const problems = await runBurst({
		...{ requests: 16, embeddings: undefined },
		say: (line) => lines.push(line),
	});
	assert.deepEqual(problems, []);
	assert.match(lines.join('\n'), /^16 answers at once in .*\n0 differ/);
});

test('memory or handles that keep growing are called a leak, caches that fill are not', () => {
	const life = (at: (k: number) => Partial<Reading>): Reading[] =>
		Array.from({ length: 12 }, (_, k) => ({
			atS: k * 60,
			name: 'runner',
			pid: 7,
			residentBytes: 200e6,
			handles: 20,
			deleted: 0,
			temporary: 1,
			...at(k),
		}));
	assert.deepEqual(leaks(life((k) => ({ residentBytes: Math.min(200 + 60 * k, 400) * 1e6 }))), []);
	for (const [at, told] of [
		[(k: number) => ({ residentBytes: (200 + 20 * k) * 1e6 }), 'runner grew by 80 MB.'],
		[(k: number) => ({ handles: 20 + 3 * k }), 'runner holds 12 handles more.'],
		[(k: number) => ({ deleted: k }), 'runner holds 4 deleted files more.'],
		[(k: number) => ({ temporary: 2 * k }), 'runner holds 8 temporary files more.'],
	] as const)
		assert.deepEqual(leaks(life(at)), [told]);
});

test('descriptors of deleted files and files on their way are seen', { skip }, async () => {
	const folder = temporaryFolder('held');
	const path = join(folder, 'a', 'recording');
	mkdirSync(dirname(path));
	mkdirSync(join(folder, 'empty'));
	const descriptor = openSync(path, 'w');
	assert.deepEqual(filesBelow([folder, join(folder, 'none')]).sort(), [
		path,
		join(folder, 'empty'),
	]);
	rmSync(folder, { recursive: true });
	assert.deepEqual(processFacts(process.pid)?.deleted, [
		`${realpathSync(tmpdir())}${path.slice(tmpdir().length)} (deleted)`,
	]);
	closeSync(descriptor);
	assert.deepEqual(processFacts(process.pid)?.deleted, []);
});

test('what an idle daemon still holds is told, kept prefixes within their bounds are not', () => {
	const idle: [string, number][] = [
		['running of chat', 0],
		['waiting of chat', 0],
		['open_sequences of chat', 0],
		['cached_prefixes of chat', 32],
		['kv_bytes of chat', 1000],
		['kv_limit_bytes of chat', 1000],
		['resident_bytes of chat', 5e8],
		['kv_bytes of translator', 0],
		['kv_limit_bytes of translator', 0],
	];
	assert.deepEqual(occupied(new Map(idle)), []);
	const told = (name: string, value: number): number =>
		occupied(new Map([...idle, [name, value]])).length;
	for (const [name, value] of [
		['running of chat', 1],
		['waiting of chat', 2],
		['open_sequences of chat', 1],
		['cached_prefixes of chat', 33],
		['kv_bytes of chat', 1001],
		['kv_bytes of translator', 1],
	] as const)
		assert.equal(told(name, value), 1, name);
});
