/** A shard of which nothing can be done at the moment leaves its worker to others, on both queues. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBullQueue } from '../../server/jobs/bullQueue.ts';
import { errorAnswer, type RunItem } from '../../server/jobs/itemRow.ts';
import type { JobQueue, ShardLease } from '../../server/jobs/jobQueue.ts';
import type { JobOwner } from '../../server/jobs/jobTypes.ts';
import { openSqliteQueue } from '../../server/jobs/sqliteQueue.ts';
import { AppError } from '../../server/protocol/index.ts';
import { RedisServer, redisMissing } from '../gateway/support/redisServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { answers, asked, expected, finished, items } from './batchProcesses.ts';
import { openJobs } from './jobWorker.ts';

let redis: RedisServer;
before(async () => {
	if (!redisMissing) redis = await RedisServer.start();
});
after(() => redis?.[Symbol.asyncDispose]());
let database = 0;
const kinds = [
	{ kind: 'SQLite', skip: false },
	{ kind: 'Redis', skip: redisMissing },
] as const;
const placeOf = (kind: 'SQLite' | 'Redis', folder: string): string =>
	kind === 'Redis' ? `${redis.url}/${database++}` : join(folder, 'queue.db');

const person = (name: string): JobOwner => ({ caller: 'member', person: name });
const numberOf = (body: unknown): number => Number((body as { text: string }).text.slice(5));

/** Who answers, and who has used up what they may use. */
class People {
	/** How many items each person's limit still lets through. */
	readonly left = new Map<string, number>();
	/** Answers, and items that were asked for at all, by person. */
	readonly answered = new Map<string, number[]>();
	readonly asked = new Map<string, Set<number>>();
	#release = Promise.withResolvers<void>();
	waiting = 0;

	readonly run: RunItem = async ({ owner, body }) => {
		const number = numberOf(body);
		const seen = this.asked.get(owner.person) ?? new Set();
		this.asked.set(owner.person, seen.add(number));
		await sleep(1);
		const left = this.left.get(owner.person) ?? Number.POSITIVE_INFINITY;
		if (left <= 0) return { ...errorAnswer(new AppError('rate_limited')), retryAfterS: 3600 };
		this.left.set(owner.person, left - 1);
		this.answered.set(owner.person, [...(this.answered.get(owner.person) ?? []), number]);
		return {
			...{ status: 200, requestId: '' },
			body: { text: `TEXT ${number}`, usage: { prompt_tokens: 1 } },
		};
	};
	/** However long it is to be, it is until somebody lets items through again. */
	readonly pause = async (_: number, signal: AbortSignal): Promise<void> => {
		this.waiting++;
		const over = Promise.withResolvers<void>();
		signal.addEventListener('abort', () => over.resolve(), { once: true });
		await Promise.race([this.#release.promise, over.promise]);
		this.waiting--;
		signal.throwIfAborted();
	};

	letThrough(name: string, count: number): void {
		this.left.set(name, count);
		this.#release.resolve();
		this.#release = Promise.withResolvers();
	}
}

const openQueue = (kind: 'SQLite' | 'Redis', place: string, leaseMs: number): Promise<JobQueue> =>
	kind === 'Redis'
		? openBullQueue(place, leaseMs, Date.now)
		: Promise.resolve(openSqliteQueue(place, { now: Date.now }));

/** How often each lease of a queue was renewed, by its token. */
function countRenewals(queue: JobQueue, renewals: Map<string, number>): JobQueue {
	return {
		...queue,
		get losses() {
			return queue.losses;
		},
		renew: async (lease, leaseMs) => {
			const holds = await queue.renew(lease, leaseMs);
			if (holds) renewals.set(lease.token, (renewals.get(lease.token) ?? 0) + 1);
			return holds;
		},
	};
}

for (const { kind, skip } of kinds) {
	test(`with ${kind}, persons whose limits are used up do not hold up the batch of another one`, {
		skip,
	}, async () => {
		const folder = temporaryFolder('waiting');
		const people = new People();
		const place = placeOf(kind, folder);
		// A machine may stand still for a second or two; a lease that is lost so is another matter.
		const leaseMs = 4500;
		const renewals = new Map<string, number>();
		const service = openJobs(
			{
				...{ store: join(folder, 'store'), queue: place, isAlone: false },
				...{ width: 1, leaseMs, itemMs: 0 },
			},
			{},
			Date.now,
			{
				pause: people.pause,
				openQueue: async () => countRenewals(await openQueue(kind, place, leaseMs), renewals),
			},
		);
		service.start(people.run);
		try {
			const jobs = await service.open();
			// More than there would be shards under way otherwise.
			const limited = Array.from({ length: 15 }, (_, at) => person(`limited ${at}`));
			for (const { person: name } of limited) people.left.set(name, 5);
			const held = await Promise.all(limited.map((of) => asked(jobs, items(200), of)));
			await until('all of them wait', () => people.waiting === 12 * limited.length, 30_000);
			const free = person('free');
			const id = await asked(jobs, items(200), free);
			const { end } = await finished(jobs, id, 30_000, free);
			assert.deepEqual(await answers(jobs, end?.outputFileId, free), expected(200));
			// Of each one shard was begun, and what it has done is kept for longer than a lease.
			const isHeld = (count: number): boolean => count > 3;
			await until(
				'each was held for longer than a lease',
				() => [...renewals.values()].filter(isHeld).length >= limited.length,
				30_000,
			);
			for (const { person: name } of limited) {
				assert.equal(people.asked.get(name)?.size, 5 + 12);
				people.letThrough(name, Number.POSITIVE_INFINITY);
			}
			for (const [at, of] of limited.entries()) {
				const { end: ended } = await finished(jobs, held[at] ?? '', 60_000, of);
				assert.deepEqual(await answers(jobs, ended?.outputFileId, of), expected(200));
				assert.equal(people.answered.get(of.person)?.length, 200, 'none was done twice');
			}
		} finally {
			await service.close();
		}
	});

	test(`with ${kind}, a limit that lets some through from time to time is used up, beside others`, {
		skip,
	}, async () => {
		const folder = temporaryFolder('trickle');
		const people = new People();
		const service = openJobs(
			{
				...{ store: join(folder, 'store'), queue: placeOf(kind, folder), isAlone: false },
				...{ width: 1, leaseMs: 30_000, itemMs: 0 },
			},
			{},
			Date.now,
			{ pause: people.pause },
		);
		service.start(people.run);
		try {
			const jobs = await service.open();
			const slow = person('slow');
			people.left.set(slow.person, 0);
			const id = await asked(jobs, items(120), slow);
			const done = () => people.answered.get(slow.person)?.length ?? 0;
			for (let round = 0; done() < 120; round++) {
				await until('it waits', () => people.waiting > 0);
				if (round % 4 === 0) {
					const other = person(`other ${round}`);
					const between = await asked(jobs, items(60), other);
					const { end } = await finished(jobs, between, 30_000, other);
					assert.deepEqual(await answers(jobs, end?.outputFileId, other), expected(60));
				}
				const before = done();
				people.letThrough(slow.person, 10);
				await until('some are let through', () => done() === Math.min(120, before + 10));
			}
			const { end } = await finished(jobs, id, 30_000, slow);
			assert.deepEqual(await answers(jobs, end?.outputFileId, slow), expected(120));
			assert.equal(done(), 120);
		} finally {
			await service.close();
		}
	});

	test(`with ${kind}, the next shard is one of the batches that are wanted, and the others stay in the line`, {
		skip,
	}, async () => {
		const leaseMs = 4500;
		const folder = temporaryFolder('queue');
		const place = placeOf(kind, folder);
		await using queue = await openQueue(kind, place, leaseMs);
		const [a, b, c] = ['batch_a', 'batch_b', 'batch_c'];
		await queue.add(
			Array.from({ length: 700 }, (_, shard) => ({ batch: a, shard })),
			1,
		);
		await queue.add(
			[650, 651, 652].map((shard) => ({ batch: b, shard })),
			1,
		);
		const but = (...batches: string[]) => queue.lease(leaseMs, new Set(batches));
		const first = await but(a);
		assert.deepEqual([first?.batch, first?.shard, first?.tries], [b, 650, 1]);
		assert.ok(first);
		const second = await but(a, c);
		assert.deepEqual([second?.batch, second?.shard], [b, 651]);
		assert.ok(second);
		// One that is given back is there again at once, or when its time has come.
		await queue.giveBack(second);
		const again = await but(a);
		assert.deepEqual([again?.batch, again?.shard, again?.tries], [b, 651, 1]);
		assert.ok(again);
		await queue.giveBack(again, 3000);
		const last = await but(a);
		assert.deepEqual([last?.batch, last?.shard], [b, 652]);
		assert.ok(last && (await queue.complete(last)));
		assert.equal(await but(a, b), undefined);
		const later = async (what: string) => {
			let found: ShardLease | undefined;
			await until(what, async () => {
				found = await but(a);
				return found !== undefined;
			});
			return found;
		};
		const delayed = await later('its time has come');
		assert.deepEqual([delayed?.batch, delayed?.shard], [b, 651]);
		assert.ok(delayed && (await queue.complete(delayed)));
		// A lease of it runs out.
		await queue.giveBack(first);
		const briefMs = 300;
		await using brief = await openQueue(kind, place, briefMs);
		const kept = await brief.lease(briefMs, new Set([a]));
		assert.deepEqual([kept?.batch, kept?.shard, kept?.tries], [b, 650, 1]);
		const missed = await later('it is missed');
		assert.deepEqual([missed?.batch, missed?.shard, missed?.tries], [b, 650, 2]);
		assert.ok(missed);
		await queue.giveBack(missed);
		// What is not wanted comes first, and is given back to its turn.
		const other = await but(b);
		// Which of its shards does not matter: those that it has missed come after the others.
		assert.deepEqual([other?.batch, other?.tries], [a, 1]);
		assert.ok(other && (await queue.complete(other)));
		assert.equal(await but(a, b), undefined);
		assert.equal((await but())?.batch, b, 'the one that has waited for longest');
		await queue.remove(b);
		assert.equal(await but(a), undefined);
	});
}

test('a shard that waits gives up the place at the end that it comes to meanwhile', async () => {
	const folder = temporaryFolder('ends');
	const begun = new Set<string>();
	const released = new Map(
		['first', 'third', 'fourth'].map((name) => [name, Promise.withResolvers<void>()]),
	);
	const service = openJobs(
		{
			...{ store: join(folder, 'store'), queue: join(folder, 'queue.db'), isAlone: true },
			...{ width: 1, leaseMs: 30_000, itemMs: 0 },
		},
		{},
		Date.now,
		{
			pause: async (_, signal) => {
				await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
				signal.throwIfAborted();
			},
		},
	);
	service.start(async ({ owner }) => {
		begun.add(owner.person);
		await released.get(owner.person)?.promise;
		if (owner.person === 'limited')
			return { ...errorAnswer(new AppError('rate_limited')), retryAfterS: 3600 };
		return { status: 200, requestId: '', body: {} };
	});
	try {
		const jobs = await service.open();
		const begin = async (name: string) => {
			await asked(jobs, items(2), person(name));
			await until(`${name} has begun`, () => begun.has(name));
		};
		await begin('first');
		// It comes to its last item beside the first, and waits.
		await begin('limited');
		await begin('third');
		await asked(jobs, items(2), person('fourth'));
		// The third one has the only place, until there is one at the end.
		released.get('first')?.resolve();
		await until('the fourth has begun', () => begun.has('fourth'));
	} finally {
		for (const { resolve } of released.values()) resolve();
		await service.close();
	}
});
