/** The queue of several machines: BullMQ on Redis or Valkey. It may lose what it holds; the store knows what is done. */

import { randomBytes } from 'node:crypto';
import { createRedisBackend, type Job, Queue, Worker } from 'bullmq';
import { createClient } from 'redis';
import { leaveReplica } from '../net/leaveReplica.ts';
import { AppError } from '../protocol/index.ts';
import { StoreClock } from '../services/limits/storeClock.ts';
import { batchesKey, idOf, nextOfOthers, setOf } from './bullOthers.ts';
import {
	isBeyond,
	lastKey,
	moveMissed,
	placeBeyond,
	queuePrefix,
	queuePriorityOf,
	servedKey,
	type TurnedShard,
	turnOf,
} from './bullTurns.ts';
import { bullWorkers } from './bullWorkers.ts';
import type { JobQueue, ShardLease } from './jobQueue.ts';
import type { ShardRef } from './jobTypes.ts';

/** Longest wait for one answer: a Redis that hangs must not hang requests. */
const commandMs = 3000;
const connectMs = 2000;
const silentMs = 15_000;
const name = 'shards';
/** Shards that are told of in one command. */
const lot = 500;
/** How often a shard may be missed is not for the queue to say: see `shardRun.ts`. */
const maxMissed = 1_000_000_000;

/**
 * Connects, and looks whether Redis keeps what it is given.
 * @param url `redis://[user:password@]host:port[/number]` or `rediss://…`
 * @param now milliseconds since 1970
 * @throws AppError `invalid_request` for an address that is none, and for a Redis that may throw entries away;
 * `store_unavailable` for one that does not answer
 */
export async function openBullQueue(
	url: string,
	leaseMs: number,
	now: () => number,
): Promise<JobQueue> {
	const client = makeClient(url);
	// It connects again by itself, and commands meanwhile fail at once.
	let refused: unknown;
	client.on('error', (error) => {
		refused = error;
	});
	try {
		await answered(() => client.connect());
		checkPolicy(await answered(() => client.info('memory')));
		checkWhole(await answered(() => client.info('cluster')));
	} catch (error) {
		client.destroy();
		const failure = refused === undefined ? error : unusable(refused);
		throw isSetting(failure)
			? new AppError('invalid_request', (failure as AppError).message, { cause: failure })
			: failure;
	}
	const options = { connection: client, prefix: queuePrefix, skipVersionCheck: true };
	const queue = new Queue(name, options);
	const worker = new Worker(
		name,
		undefined,
		{
			...{ ...options, autorun: false, skipLockRenewal: true, maxStalledCount: maxMissed },
			...{ lockDuration: leaseMs, stalledInterval: Math.max(100, Math.floor(leaseMs / 2)) },
		},
		// Without a second connection for blocking commands: there are none, and one that is closed while it is made
		// would stay, and end with an error that nobody hears.
		(of, more) => createRedisBackend(of, more),
	);
	const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
		try {
			return await answered(work);
		} catch (error) {
			leaveReplica(client, error instanceof AppError ? error.cause : error);
			throw error;
		}
	};
	const shared = new StoreClock({ now, note: () => {} }, () => performance.now());
	/** The time of Redis, which is the same for all machines, however their own clocks are set. */
	const sharedNow = async (): Promise<number> => {
		await shared.ask(async () => {
			const [seconds, micros] = await inTime(() => client.sendCommand<string[]>(['TIME']));
			return Number(seconds) * 1000 + Number(micros) / 1000;
		});
		return shared.now();
	};
	// Every command that fails is told to whoever sent it.
	queue.on('error', () => {});
	worker.on('error', () => {});
	const close = async (): Promise<void> => {
		// BullMQ's own listeners end before the connection does.
		client.removeAllListeners('error').on('error', () => {});
		await Promise.allSettled([inTime(() => worker.close(true)), inTime(() => queue.close())]);
		client.destroy();
	};
	const held = new Map<string, Job>();
	let isWatching = false;
	let losses = 0;
	// Whoever answers now may be another, or have forgotten its last moments.
	client.on('ready', () => losses++);
	/** Where turns begin; they begin anew when nothing waits. */
	const firstTurn = async (): Promise<number> => {
		const turn = Number((await inTime(() => client.zScore(servedKey, 'turn'))) ?? 0);
		if (turn === 0 || (await inTime(() => queue.count())) > 0) return turn;
		await inTime(() => client.del([servedKey, lastKey]));
		return 0;
	};
	const line = queue.toKey('prioritized');
	const entryOf = (shard: TurnedShard) => ({
		...{ name, data: shard },
		opts: {
			...{ jobId: idOf(shard), priority: queuePriorityOf(shard.turn) },
			...{ removeOnComplete: true, removeOnFail: true },
		},
	});
	/** Adds those that are not there. */
	const addLot = async (shards: readonly TurnedShard[]): Promise<void> => {
		const found = await inTime(() =>
			client.exists(shards.map((shard) => queue.toKey(idOf(shard)))),
		);
		if (found === shards.length) return;
		const [first, ...rest] = shards.map(entryOf);
		if (first === undefined) return;
		// A Redis that was started again knows BullMQ's scripts only when one command alone has brought them: in the
		// transaction of several they are named by their hashes.
		await inTime(() => queue.add(first.name, first.data, first.opts));
		if (rest.length > 0) await inTime(() => queue.addBulk(rest));
		const beyond = shards.filter(isBeyond).map((shard) => ({ id: idOf(shard), turn: shard.turn }));
		if (beyond.length > 0) await inTime(() => placeBeyond(client, line, beyond));
	};
	/** @param isCalled by somebody who leaves some out: others may have earlier turns, which are not missed */
	const serve = async (turn: number, isCalled: boolean): Promise<void> => {
		const served = Number((await client.zScore(servedKey, 'turn')) ?? 0);
		const score = isCalled ? Math.min(turn, served + 1) : turn;
		if (turn < served) await moveMissed(client, line);
		else await client.zAdd(servedKey, { score, value: 'turn' }, { GT: true });
	};
	/** Whether the lease held; `undefined` where it is no more known here. */
	const withJob = async (lease: ShardLease, work: (job: Job) => Promise<unknown>) => {
		const job = held.get(lease.token);
		if (job === undefined) return false;
		try {
			return (await inTime(() => work(job))) !== 0;
		} catch (error) {
			if (isLost(error)) return false;
			throw error;
		}
	};
	const next = (token: string): Promise<Job | undefined> => {
		const coming = worker.getNextJob(token, { block: false });
		return inTime(() => coming).catch((error) => {
			// One that comes when nobody waits for it any more is not counted as a try.
			coming.then((late) => late?.moveToWait(token)).catch(() => {});
			throw error;
		});
	};
	return {
		get losses() {
			return losses;
		},
		add: async (shards, stride) => {
			const first = await firstTurn();
			for (let from = 0; from < shards.length; from += lot) {
				const part = shards.slice(from, from + lot).map(({ batch, shard }, at) => ({
					...{ batch, shard, stride, turn: first + stride * (from + at + 1) },
				}));
				await addLot(part);
				const batches = Map.groupBy(part, ({ batch }) => batch);
				for (const [batch, own] of batches)
					await inTime(() =>
						client.sAdd(
							setOf(batch),
							own.map(({ shard }) => String(shard)),
						),
					);
				await inTime(() => client.sAdd(batchesKey, [...batches.keys()]));
				const last = [...batches].map(([batch, own]) => ({
					...{ value: batch, score: own.at(-1)?.turn ?? 0 },
				}));
				await inTime(() => client.zAdd(lastKey, last, { GT: true }));
			}
		},
		lease: async (_, except = new Set()) => {
			if (!isWatching) {
				isWatching = true;
				await inTime(() => worker.startStalledCheckTimer());
			}
			const token = randomBytes(12).toString('hex');
			const job = await (except.size === 0
				? next(token)
				: nextOfOthers(except, token, { client, queue, next, inTime, now }));
			if (job === undefined) return undefined;
			held.set(token, job);
			// It orders what comes, no more: one that is not written is written with the next.
			await inTime(() => serve(turnOf(job), except.size > 0)).catch(() => {});
			const { batch, shard } = job.data as ShardRef;
			return { batch, shard, token, tries: job.stalledCounter + 1 };
		},
		renew: (lease, forMs) => withJob(lease, (job) => job.extendLock(lease.token, forMs)),
		complete: async (lease) => {
			// In this order: one that is out of the set and still in the queue is put in again, or found to be done.
			try {
				await inTime(() => client.sRem(setOf(lease.batch), String(lease.shard)));
				return await withJob(lease, (job) =>
					job.moveToCompleted('', lease.token, false).then(() => 1),
				);
			} finally {
				// It is given back to nobody: what is done in the store is taken out by whoever has it next.
				held.delete(lease.token);
			}
		},
		giveBack: async (lease, delayMs = 0) => {
			await withJob(lease, async (job) => {
				if (delayMs <= 0) return job.moveToWait(lease.token).then(() => 1);
				// BullMQ looks at the clock of whoever asks for the next one: neither others nor this machine wait for longer.
				const at = Math.min(now(), await sharedNow());
				return job.moveToDelayed(at + delayMs, lease.token);
			}).finally(() => held.delete(lease.token));
		},
		remove: async (batch) => {
			const own = await inTime(() => client.sMembers(setOf(batch)));
			for (let from = 0; from < own.length; from += lot)
				// What somebody holds stays until its worker learns that the batch is over.
				await inTime(() =>
					Promise.all(
						own
							.slice(from, from + lot)
							.map((shard) => queue.remove(idOf({ batch, shard: Number(shard) }))),
					),
				);
			await inTime(() => client.del(setOf(batch)));
			await inTime(() => client.sRem(batchesKey, batch));
			await inTime(() => client.zRem(lastKey, batch));
		},
		count: (batch) => inTime(() => client.sCard(setOf(batch))),
		workers: bullWorkers({ client, inTime, sharedNow, keyOf: (of) => queue.toKey(of) }),
		[Symbol.asyncDispose]: close,
	};
}

function makeClient(url: string) {
	try {
		return createClient({
			url,
			disableOfflineQueue: true,
			// A connection that nobody answers on, and nobody has closed, is given up.
			pingInterval: silentMs / 3,
			socket: {
				connectTimeout: connectMs,
				socketTimeout: silentMs,
				reconnectStrategy: (tries) => Math.min(1000, 50 * 2 ** Math.min(tries, 5)),
			},
		});
	} catch {
		throw new AppError(
			'invalid_request',
			'The address of the queue is none that Redis can have: write redis://[user:password@]host:port[/number], with % and @ in a password percent-encoded.',
		);
	}
}

function checkPolicy(memory: string): void {
	const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
	if (policy === 'noeviction') return;
	throw new AppError(
		'invalid_request',
		`The Redis of the queue has the maxmemory-policy ${policy}, so it throws entries away when it is full. Set it to noeviction, or use another Redis.`,
	);
}

/** Its steps change several keys at once. */
function checkWhole(cluster: string): void {
	if (!/^cluster_enabled:1/m.test(cluster)) return;
	throw new AppError(
		'invalid_request',
		'The Redis of the queue belongs to a Redis Cluster, whose nodes have a part of the keys each. Name a Redis or Valkey that has all keys: a server of its own, or the primary of some.',
	);
}

/** BullMQ says so in words. */
const isLost = (error: unknown): boolean =>
	error instanceof Error &&
	/Missing lock for job|Lock mismatch|Missing key for job|is not in the active state|is not locked/i.test(
		error.message,
	);

/** @throws AppError `store_unavailable` for whatever Redis refuses, or does not answer in time */
async function answered<T>(work: () => Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error('it did not answer in time')), commandMs);
	});
	try {
		return await Promise.race([work(), late]);
	} catch (error) {
		if (error instanceof AppError || isLost(error)) throw error;
		throw unusable(error);
	} finally {
		clearTimeout(timer);
	}
}

/** Whether it is the address, the password or the rights that are wrong, so that no waiting mends it. */
const isSetting = (error: unknown): boolean =>
	error instanceof AppError &&
	/WRONGPASS|NOAUTH|NOPERM|no permissions|invalid password|without any password|Authentication required|DB index|invalid DB|certificate|WRONG_VERSION_NUMBER|wrong version number/i.test(
		error.message,
	);

function unusable(error: unknown): AppError {
	const reason = error instanceof Error ? error.message : String(error);
	return new AppError(
		'store_unavailable',
		`The Redis of the queue of batches cannot be used: ${reason || 'it does not answer'}. Batches go on when it is back.`,
		{ cause: error },
	);
}
