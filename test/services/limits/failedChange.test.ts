/** A change of counts that fails is the failure of whoever asked for it, and of nobody beside him. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSqliteStore } from '../../../server/gateway/store/sqliteStore.ts';
import { type Limit, limitList } from '../../../server/protocol/limitTypes.ts';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { SharedCounts } from '../../../server/services/limits/replicaCounts.ts';

const perMinute = limitList({ tokensPerMinute: 100 });
const unreadable: readonly Limit[] = new Proxy(perMinute, {
	get: () => {
		throw new Error('These limits cannot be read.');
	},
});

test('a change that fails rejects alone; those of its step and later ones are counted, and the store is not away', {
	timeout: 20_000,
}, async () => {
	const clock = forwardClock(
		() => Date.UTC(2026, 0, 1),
		() => 0,
	);
	const store = openSqliteStore(':memory:', clock.now);
	const told: (string | undefined)[] = [];
	const counts = new SharedCounts(store, clock, (failure) => told.push(failure));
	const ask = (limits: readonly Limit[]) => counts.reserve('a', limits, { tokens: 30 });
	const [before, failed, after] = await Promise.allSettled([
		...[ask(perMinute), ask(unreadable), ask(perMinute)],
	]);
	assert.deepEqual(
		[before?.status, failed?.status, after?.status],
		['fulfilled', 'rejected', 'fulfilled'],
	);
	assert.match(String(failed?.status === 'rejected' && failed.reason), /cannot be read/);
	await assert.rejects(ask(unreadable), /cannot be read/);
	assert.equal((await ask(perMinute)).verdict.kind, 'ok');
	const [standing] = await counts.standings('a', perMinute);
	assert.equal(standing?.taken, 90);
	assert.deepEqual([counts.isShared, told], [true, []]);
	// Without the store, too.
	store.get = async () => {
		throw new Error('The store is away.');
	};
	await assert.rejects(ask(unreadable), /cannot be read/);
	assert.equal((await counts.standings('a', perMinute))[0]?.taken, 90);
	assert.equal(counts.isShared, false);
});
