/** Counts of replicas whose store fails, answers late, or holds what cannot be read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSqliteStore } from '../../../server/gateway/store/sqliteStore.ts';
import { limitList } from '../../../server/protocol/limitTypes.ts';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { type CountStore, SharedCounts } from '../../../server/services/limits/replicaCounts.ts';

const start = Date.UTC(2026, 0, 1);
const perDay = limitList({ tokensPerDay: 1_000_000 });
const clockOf = (now = () => start) => forwardClock(now, () => 0);
const openStore = () => openSqliteStore(':memory:', () => start);

async function takenBy(counts: SharedCounts, person = 'a'): Promise<number | undefined> {
	const [standing] = await counts.standings(person, perDay);
	return standing?.taken;
}

test('what was done late and what was not done at all are both counted once, however long a store fails', async () => {
	const inner = openStore();
	let fault: 'none' | 'done late' | 'not read' | 'not done' = 'none';
	const store: CountStore = {
		get: async (key) => {
			if (fault === 'not read') throw new Error('it does not answer');
			return await inner.get(key);
		},
		replace: async (...given) => {
			if (fault === 'not done') throw new Error('it does not answer');
			const isWritten = await inner.replace(...given);
			if (fault === 'done late') throw new Error('it does not answer');
			return isWritten;
		},
		lock: (...given) => inner.lock(...given),
		delete: (key) => inner.delete(key),
	};
	const [one, two] = [new SharedCounts(store, clockOf()), new SharedCounts(store, clockOf())];
	const use = async (tokens: number) => {
		one.retryNow();
		await one.settle('a', undefined, { tokens });
	};
	let total = 0;
	for (const round of ['not read', 'not done'] as const) {
		fault = 'none';
		await use(1);
		fault = 'done late';
		await use(10);
		fault = round;
		// More than are kept apart.
		for (let at = 0; at < 130; at++) await use(100);
		assert.equal(one.isShared, false);
		fault = 'none';
		await one.rejoin();
		total += 1 + 10 + 13_000;
		assert.equal(await takenBy(two), total, round);
		assert.equal(await takenBy(one), total, round);
	}
});

test('counts of one person that cannot be read are made anew, and nobody else counts alone for it', async () => {
	for (const broken of [
		'no JSON',
		'{}',
		'{"used":{},"held":7}',
		'{"used":{"a":1},"held":{}}',
		'[]',
	]) {
		const store = openStore();
		const reports: unknown[] = [];
		const one = new SharedCounts(store, clockOf(), (failure) => reports.push(failure));
		const two = new SharedCounts(store, clockOf());
		await one.settle('a', undefined, { tokens: 30 });
		const text = await store.get('limits:a');
		assert.ok(text);
		await store.replace('limits:a', text, broken, 60_000);
		await one.settle('a', undefined, { tokens: 5 });
		assert.deepEqual([one.isShared, reports], [true, []], broken);
		assert.equal(await takenBy(two), 35, broken);
	}
});

test('a person whose counts others change all the time is counted alone, and the store counts as there', async () => {
	const inner = openStore();
	let isOvertaken = true;
	const store: CountStore = {
		get: (key) => inner.get(key),
		replace: (...given) => inner.replace(...given),
		lock: async (key, ...given) =>
			isOvertaken && key === 'limits:a' ? false : await inner.lock(key, ...given),
		delete: (key) => inner.delete(key),
	};
	const [one, two] = [new SharedCounts(store, clockOf()), new SharedCounts(store, clockOf())];
	await one.settle('a', undefined, { tokens: 30 });
	assert.equal(one.isShared, true);
	assert.equal(await takenBy(one), 30);
	await one.settle('b', undefined, { tokens: 7 });
	assert.equal(await takenBy(two, 'b'), 7, 'at once by all');
	isOvertaken = false;
	await one.settle('a', undefined, { tokens: 1 });
	assert.equal(await takenBy(two), 31);
});

test('a fault in the middle of a step is an answer, and the next request has its turn', async () => {
	const inner = clockOf();
	let isBroken = true;
	const clock = {
		now: () => {
			if (isBroken) throw new Error('no time');
			return inner.now();
		},
		note: inner.note,
	};
	const counts = new SharedCounts(openStore(), clock);
	await assert.rejects(counts.reserve('a', perDay, { tokens: 1 }), /no time/);
	isBroken = false;
	counts.retryNow();
	const { verdict } = await counts.reserve('a', perDay, { tokens: 1 });
	assert.equal(verdict.kind, 'ok');
});
