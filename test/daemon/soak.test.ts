/** A short stretch of the mixed load of `npm run bench -- soak`: nothing may be wrong, stuck or held. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSoak } from '../../bench/soak/soak.ts';
import { leaks, occupied } from '../../bench/soak/watch.ts';

test('seconds of mixed load with loads, unloads and a killed runner end with nothing wrong', async () => {
	const { counts, readings, problems } = await runSoak({
		minutes: 0.25,
		callers: 3,
		pauseMs: 250,
		killEveryS: 5,
		readEveryS: 5,
		everyNth: 4,
		say: () => {},
	});
	assert.deepEqual(problems, []);
	assert.ok((counts['right'] ?? 0) > 19 && (counts['kills'] ?? 0) > 0, JSON.stringify(counts));
	if (process.platform === 'linux')
		assert.ok(readings.some(({ name, residentBytes }) => name === 'daemon' && residentBytes > 0));
});

test('memory or handles that keep growing are called a leak, caches that fill are not', () => {
	const life = (residentBytes: (k: number) => number, handles: (k: number) => number) =>
		Array.from({ length: 12 }, (_, k) => ({
			atS: k * 60,
			name: 'runner',
			pid: 7,
			residentBytes: residentBytes(k) * 1e6,
			handles: handles(k),
		}));
	const steady = (): number => 20;
	assert.deepEqual(leaks(life((k) => Math.min(200 + 60 * k, 400), steady)), []);
	assert.deepEqual(leaks(life((k) => 200 + 20 * k, steady)), ['runner grew by 80 MB.']);
	assert.deepEqual(
		leaks(
			life(
				() => 200,
				(k) => 20 + 3 * k,
			),
		),
		['runner holds 12 handles more.'],
	);
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
