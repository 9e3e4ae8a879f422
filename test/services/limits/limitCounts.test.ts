import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSqliteStore } from '../../../server/gateway/store/sqliteStore.ts';
import type { Store } from '../../../server/gateway/store/store.ts';
import { AppError } from '../../../server/protocol/index.ts';
import { limitList } from '../../../server/protocol/limitTypes.ts';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { type LimitCounts, LocalCounts } from '../../../server/services/limits/limitCounts.ts';
import { type CountStore, SharedCounts } from '../../../server/services/limits/replicaCounts.ts';
import type { CountState } from '../../../server/services/limits/slidingCounts.ts';

const start = Date.UTC(2026, 0, 1);
const perMinute = limitList({ tokensPerMinute: 100 });

/** A clock that tests set. */
function setClock() {
	const at = { ms: start };
	return {
		at,
		clock: forwardClock(
			() => at.ms,
			() => 0,
		),
	};
}

/** Counters of one process and those of replicas, which have to do the same. */
const kinds: readonly (readonly [
	string,
	(clock: ReturnType<typeof setClock>['clock']) => LimitCounts,
])[] = [
	['one process', (clock) => new LocalCounts(clock)],
	[
		'a shared store',
		(clock) =>
			new SharedCounts(
				openSqliteStore(':memory:', () => start),
				clock,
			),
	],
];

for (const [name, open] of kinds) {
	test(`${name}: 200 requests at once get no more than the limit`, async () => {
		const { clock } = setClock();
		const counts = open(clock);
		const got = await Promise.all(
			Array.from({ length: 200 }, () => counts.reserve('a', perMinute, { tokens: 7 })),
		);
		assert.equal(got.filter(({ verdict }) => verdict.kind === 'ok').length, 14);
		assert.equal((await counts.reserve('b', perMinute, { tokens: 7 })).verdict.kind, 'ok');
	});

	test(`${name}: what was reserved and not used is free again, what is refused costs nothing`, async () => {
		const { clock } = setClock();
		const counts = open(clock);
		const first = await counts.reserve('a', perMinute, { tokens: 90 });
		for (let tries = 0; tries < 5; tries++)
			assert.equal((await counts.reserve('a', perMinute, { tokens: 20 })).verdict.kind, 'refused');
		await counts.settle('a', first.id, { tokens: 30 });
		const second = await counts.reserve('a', perMinute, { tokens: 70 });
		assert.equal(second.verdict.kind, 'ok');
		await counts.settle('a', second.id, {});
		const [standing] = await counts.standings('a', perMinute);
		assert.equal(standing?.taken, 30);
	});

	test(`${name}: the refusal says when the request will fit`, async () => {
		const { at, clock } = setClock();
		const counts = open(clock);
		await counts.settle('a', undefined, { tokens: 60 });
		at.ms += 20_000;
		await counts.settle('a', undefined, { tokens: 40 });
		const { verdict } = await counts.reserve('a', perMinute, { tokens: 50 });
		assert.ok(verdict.kind === 'refused' && verdict.waitMs === 40_000, JSON.stringify(verdict));
		at.ms += 39_999;
		assert.equal((await counts.reserve('a', perMinute, { tokens: 50 })).verdict.kind, 'refused');
		at.ms += 1;
		assert.equal((await counts.reserve('a', perMinute, { tokens: 50 })).verdict.kind, 'ok');
		const large = await counts.reserve('b', perMinute, { tokens: 101 });
		assert.ok(large.verdict.kind === 'refused' && large.verdict.waitMs === undefined);
	});

	test(`${name}: a request may take what is left, if that is enough for it`, async () => {
		const { clock } = setClock();
		const counts = open(clock);
		await counts.settle('a', undefined, { tokens: 60 });
		const some = await counts.reserve('a', perMinute, { tokens: 1000 }, { tokens: 30 });
		assert.ok(some.verdict.kind === 'ok' && some.verdict.granted.tokens === 40);
		const more = await counts.reserve('a', perMinute, { tokens: 1000 }, { tokens: 1 });
		assert.equal(more.verdict.kind, 'refused');
	});

	test(`${name}: a reservation can grow within the limit only`, async () => {
		const { clock } = setClock();
		const counts = open(clock);
		const { id = '' } = await counts.reserve('a', perMinute, { tokens: 50 });
		assert.equal((await counts.extend('a', perMinute, id, { more: { tokens: 40 } })).kind, 'ok');
		assert.equal(
			(await counts.extend('a', perMinute, id, { more: { tokens: 20 } })).kind,
			'refused',
		);
		await counts.settle('a', id, { tokens: 90 });
		assert.equal((await counts.standings('a', perMinute))[0]?.taken, 90);
	});

	test(`${name}: a clock that is set back frees nothing and keeps nobody out for longer than a window`, async () => {
		const { at, clock } = setClock();
		const counts = open(clock);
		await counts.settle('a', undefined, { tokens: 100 });
		at.ms -= 365 * 86_400_000;
		assert.equal((await counts.reserve('a', perMinute, { tokens: 1 })).verdict.kind, 'refused');
		at.ms += 60_000;
		assert.equal((await counts.reserve('a', perMinute, { tokens: 1 })).verdict.kind, 'ok');
	});
}

test('counts that were kept hold after a restart, also with a clock that was set back meanwhile', async () => {
	const kept = new Map<string, CountState>();
	const open = (ms: number) =>
		new LocalCounts(
			forwardClock(
				() => ms,
				() => 0,
			),
			{
				load: (person) => kept.get(person),
				changed: (person, state) => void kept.set(person, state),
			},
		);
	const perDay = limitList({ charactersPerDay: 1000 });
	const counts = open(start);
	const { id } = await counts.reserve('a', perDay, { characters: 900 });
	assert.equal(kept.size, 0, 'what is only reserved is not kept');
	await counts.settle('a', id, { characters: 900 });
	for (const ms of [start + 1000, start - 40 * 86_400_000, start + 23 * 3_600_000]) {
		const { verdict } = await open(ms).reserve('a', perDay, { characters: 200 });
		assert.ok(verdict.kind === 'refused' && (verdict.waitMs ?? Infinity) <= 86_400_000, String(ms));
	}
	assert.equal(
		(await open(start + 25 * 3_600_000).reserve('a', perDay, { characters: 200 })).verdict.kind,
		'ok',
	);
});

test('two replicas count together; while the store is away each goes on from what it knew, and adds it later', async () => {
	const { clock } = setClock();
	const inner = openSqliteStore(':memory:', () => start);
	let isAway = false;
	const store = new Proxy(inner, {
		get: (target, name) => {
			if (isAway && ['get', 'replace', 'lock', 'delete'].includes(String(name)))
				return async () => Promise.reject(new AppError('store_unavailable'));
			return Reflect.get(target, name) as unknown;
		},
	}) as Store;
	const reports: (string | undefined)[] = [];
	const [one, two] = [
		new SharedCounts(store, clock, (failure) => reports.push(failure)),
		new SharedCounts(store, clock),
	];
	await one.settle('a', undefined, { tokens: 60 });
	assert.equal((await two.reserve('a', perMinute, { tokens: 50 })).verdict.kind, 'refused');
	isAway = true;
	assert.equal((await one.reserve('a', perMinute, { tokens: 50 })).verdict.kind, 'refused');
	const more = await one.reserve('a', perMinute, { tokens: 30 });
	assert.equal(more.verdict.kind, 'ok', 'work goes on');
	assert.equal(one.isShared, false);
	await one.settle('a', more.id, { tokens: 30 });
	isAway = false;
	one.retryNow();
	assert.equal((await one.reserve('a', perMinute, { tokens: 1 })).verdict.kind, 'ok');
	assert.equal((await two.standings('a', perMinute))[0]?.taken, 91);
	assert.equal(one.isShared, true);
	assert.equal(reports.length, 2);
	assert.equal(reports[1], undefined);
});

test('replicas that ask at once together get no more than the limit', async () => {
	const { clock } = setClock();
	const store = openSqliteStore(':memory:', () => start);
	const replicas = [1, 2, 3].map(() => new SharedCounts(store, clock));
	const got = await Promise.all(
		Array.from({ length: 150 }, (_, index) =>
			replicas[index % 3]?.reserve('a', perMinute, { tokens: 7 }),
		),
	);
	assert.equal(got.filter((each) => each?.verdict.kind === 'ok').length, 14);
});

/** A store whose answers tests hold back; what it is asked is done. */
function heldStore() {
	const inner = openSqliteStore(':memory:', () => start);
	const held = { isHeld: false, calls: 0, release: () => {} };
	let go = Promise.resolve();
	const hold = () => {
		const { promise, resolve } = Promise.withResolvers<void>();
		go = promise;
		Object.assign(held, { isHeld: true, release: resolve });
	};
	const late = async <T>(work: Promise<T>): Promise<T> => {
		held.calls++;
		const result = await work;
		await go;
		return result;
	};
	const store: CountStore = {
		get: (key) => late(inner.get(key)),
		replace: (...args) => late(inner.replace(...args)),
		lock: (...args) => late(inner.lock(...args)),
		delete: (key) => inner.delete(key),
	};
	return { store, held, hold };
}

test('a store that answers too late holds nobody up, and what it has done is not counted again', async () => {
	const { at, clock } = setClock();
	const { store, held, hold } = heldStore();
	const [one, two] = [new SharedCounts(store, clock), new SharedCounts(store, clock)];
	await one.settle('a', undefined, { tokens: 10 });
	const { id } = await one.reserve('a', perMinute, { tokens: 20 });
	// The answer to what was read comes, the one to what was written does not.
	const got = store.get('limits:a');
	await got;
	const { replace } = store;
	Object.assign(store, {
		replace: async (...args: Parameters<CountStore['replace']>) => {
			hold();
			return replace(...args);
		},
	});
	await one.settle('a', id, { tokens: 20 });
	assert.equal(one.isShared, false, 'it goes on alone');
	await one.settle('a', undefined, { tokens: 5 });
	assert.equal((await one.standings('a', perMinute))[0]?.taken, 35);
	held.release();
	Object.assign(store, { replace });
	at.ms += 1;
	await one.rejoin();
	assert.equal(one.isShared, true);
	for (const counts of [one, two])
		assert.equal((await counts.standings('a', perMinute))[0]?.taken, 35);
});

test('what ends while the store is away is no longer reserved when it is back', async () => {
	const { clock } = setClock();
	const inner = openSqliteStore(':memory:', () => start);
	let failure: string | undefined;
	const store = Object.defineProperty({ ...inner }, 'failure', {
		get: () => failure,
	}) as CountStore;
	const [one, two] = [new SharedCounts(store, clock), new SharedCounts(store, clock)];
	const { id } = await one.reserve('a', perMinute, { tokens: 90 });
	failure = 'it is away';
	await one.settle('a', id, { tokens: 10 });
	failure = undefined;
	await one.rejoin();
	two.retryNow();
	assert.equal((await two.standings('a', perMinute))[0]?.taken, 10);
});

test('what waits for a slow store goes to it in one step', async () => {
	const { clock } = setClock();
	const { store, held } = heldStore();
	const counts = new SharedCounts(store, clock);
	const perDay = limitList({ tokensPerDay: 1000 });
	const asked = () =>
		Promise.all(Array.from({ length: 40 }, () => counts.reserve('a', perDay, { tokens: 7 })));
	assert.equal((await asked()).filter(({ verdict }) => verdict.kind === 'ok').length, 40);
	assert.ok(held.calls <= 4, `${held.calls} calls`);
});

test('an emptied store gets back what replicas know of limits, and what was used meanwhile, once', async () => {
	const { clock } = setClock();
	const inner = openSqliteStore(':memory:', () => start);
	let failure: string | undefined;
	const store = Object.defineProperty({ ...inner }, 'failure', {
		get: () => failure,
	}) as CountStore;
	const [one, two] = [new SharedCounts(store, clock), new SharedCounts(store, clock)];
	await one.settle('a', undefined, { tokens: 60 });
	assert.equal((await two.standings('a', perMinute))[0]?.taken, 60);
	failure = 'it is away';
	await one.settle('a', undefined, { tokens: 3 });
	await two.settle('a', undefined, { tokens: 5 });
	await inner.delete('limits:a');
	failure = undefined;
	await one.rejoin();
	await two.rejoin();
	for (const counts of [one, two])
		assert.equal((await counts.standings('a', perMinute))[0]?.taken, 68);
});

test('replicas whose clocks are apart share one window', async () => {
	const store = openSqliteStore(':memory:', () => start);
	const [early, late] = [setClock(), setClock()];
	late.at.ms += 70_000;
	const [one, two] = [new SharedCounts(store, early.clock), new SharedCounts(store, late.clock)];
	const use = async (counts: SharedCounts) => {
		const { id, verdict } = await counts.reserve('a', perMinute, { tokens: 60 });
		if (verdict.kind === 'ok') await counts.settle('a', id, { tokens: 60 });
		return verdict.kind;
	};
	assert.equal(await use(one), 'ok');
	// A minute is over by its clock, once.
	assert.equal(await use(two), 'ok');
	for (let turn = 0; turn < 5; turn++)
		for (const counts of [one, two]) assert.equal(await use(counts), 'refused');
	for (const { at } of [early, late]) at.ms += 61_000;
	assert.equal(await use(one), 'ok');
	assert.equal(await use(two), 'refused');
});

test('replicas whose clocks are an hour apart share one window, by the clock of the store', async () => {
	const inner = openSqliteStore(':memory:', () => start);
	let passedMs = 0;
	const store = new Proxy(inner, {
		get: (target, name) =>
			name === 'timeMs' ? async () => start + passedMs : (Reflect.get(target, name) as unknown),
	}) as CountStore;
	const replicas = [0, 3_600_000, -3_600_000].map((aheadMs) => {
		const { at, clock } = setClock();
		at.ms += aheadMs;
		return new SharedCounts(
			store,
			clock,
			() => {},
			() => passedMs,
		);
	});
	const use = async (counts: SharedCounts) => {
		const { id, verdict } = await counts.reserve('a', perMinute, { tokens: 40 });
		if (verdict.kind === 'ok') await counts.settle('a', id, { tokens: 40 });
		return verdict.kind;
	};
	const inTurn = async () => {
		const kinds: string[] = [];
		for (const counts of replicas) kinds.push(await use(counts));
		return kinds;
	};
	assert.deepEqual(await inTurn(), ['ok', 'ok', 'refused']);
	for (let seconds = 0; seconds < 50; seconds += 10) {
		passedMs += 10_000;
		assert.deepEqual(await inTurn(), ['refused', 'refused', 'refused']);
	}
	passedMs += 12_000;
	replicas.reverse();
	assert.deepEqual(await inTurn(), ['ok', 'ok', 'refused']);
});

test('who is refused for what a clock ahead has noted waits for one window, not until it is that late', async () => {
	const store = openSqliteStore(':memory:', () => start);
	const [late, right] = [setClock(), setClock()];
	late.at.ms += 3_600_000;
	await new SharedCounts(store, late.clock).settle('a', undefined, { tokens: 100 });
	const counts = new SharedCounts(store, right.clock);
	for (let seconds = 0; seconds < 60; seconds += 20) {
		assert.equal((await counts.reserve('a', perMinute, { tokens: 50 })).verdict.kind, 'refused');
		right.at.ms += 21_000;
	}
	assert.equal((await counts.reserve('a', perMinute, { tokens: 50 })).verdict.kind, 'ok');
});
