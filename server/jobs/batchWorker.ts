/** Works through shards: leases one, runs it, writes its result if the lease still holds. Knows nothing of whose it is. */

import { type AppError, sentenceOf } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import { commitShard } from './commitShard.ts';
import { type DoneShard, doneOf } from './doneShards.ts';
import type { RunItem } from './itemRow.ts';
import type { JobQueue, ShardLease } from './jobQueue.ts';
import { type JobOwner, keys, type Shard } from './jobTypes.ts';
import type { ObjectStore } from './objectStore.ts';
import type { OpenBatch } from './openBatch.ts';
import { type Pause, realPause } from './runItem.ts';
import { laneRoom, runShard } from './shardRun.ts';
import { type OnWait, stalledBatches, type WaitingShard } from './shardWaits.ts';
import { type Outside, type WorkPlace, WorkPlaces } from './workPlaces.ts';

/** What a server is told of its work: see `createActivity`. */
export interface WorkActivity {
	begin(): void;
	end(): void;
	wait(): void;
	goOn(): void;
}

export interface WorkerDeps {
	readonly store: ObjectStore;
	readonly queue: JobQueue;
	readonly run: RunItem;
	/** Folder for temporary ones: see `scratchIn`. */
	readonly scratch: string;
	/** The batch of a shard; `undefined` when it has ended or is not to be worked on here. */
	readonly open: (batch: string) => Promise<OpenBatch | undefined>;
	/** What is not there yet to ask in an owner's name here: others may have it. */
	readonly missing?: (owner: JobOwner) => AppError | undefined;
	/** Told of a shard that was finished here. */
	readonly onDone: (batch: OpenBatch, shard: number, done: DoneShard) => void;
	/** Told when the store stands in the way of a shard that runs. */
	readonly onTrouble: (batch: OpenBatch, error: unknown) => void;
	/** Told of each use of the queue, and of the store when a shard is to begin: what it failed with, or that it did not. */
	readonly onUse: (of: 'queue' | 'store', error?: unknown) => void;
	readonly log: Logger;
	readonly pause?: Pause;
	/** Milliseconds since 1970. */
	readonly now?: () => number;
	/** Shards at a time. */
	readonly width: number;
	readonly leaseMs: number;
	/** Longest wait before it looks again what there is to do. */
	readonly pollMs: number;
	/** Aborted when this process is about to end: shards that run go on, and no more of them begin. */
	readonly ending?: AbortSignal;
	/** Told when shards begin and end, and while nothing of one can be done. */
	readonly activity: WorkActivity;
	/** Fault points for tests. */
	reached?(point: WorkPoint): void;
}

/** Moments of a shard's work. */
export type WorkPoint = 'leased' | 'item' | 'written' | 'committed' | 'completed';

/** Shards that may wait for stores of documents beside those that are worked on, some of which come to their end. */
const maxOutside = 8;
/** Longest wait after trouble with the store. */
const troubleMs = 10_000;

export class BatchWorker {
	readonly #deps: WorkerDeps;
	/** Of shards with items that have not begun. */
	readonly #places: WorkPlaces;
	/** Of those whose last items run: whoever is killed has few of them to do again. */
	readonly #ends: WorkPlaces;
	/** Of items, so that those of a shard take the place of the last ones of another. */
	readonly #lanes: WorkPlaces;
	readonly #stop = new AbortController();
	/** Aborted when no more shards begin. */
	readonly #lastCall: AbortSignal;
	readonly #wakers = new Set<() => void>();
	readonly #loops = new Set<Promise<void>>();
	/** Those of which nothing can be done at the moment: they have no place. */
	readonly #waiting = new Map<ShardLease, WaitingShard>();
	/** Those that were found to rest or to end, until when nothing of them is leased to see whether they still do. */
	readonly #resting = new Map<OpenBatch, number>();
	/** Loops that have had another put in their place while their shard waited. */
	#surplus = 0;
	/** Results that came after their lease was lost, and were thrown away. */
	refused = 0;

	constructor(deps: WorkerDeps) {
		this.#deps = deps;
		this.#lastCall = AbortSignal.any([this.#stop.signal, ...(deps.ending ? [deps.ending] : [])]);
		this.#lastCall.addEventListener('abort', () => this.poke(), { once: true });
		this.#places = new WorkPlaces(deps.width);
		this.#ends = new WorkPlaces(deps.width);
		this.#lanes = new WorkPlaces(deps.width * laneRoom);
	}

	start(): void {
		const { width } = this.#deps;
		const loops = width === 0 ? 0 : 2 * width + maxOutside;
		for (let count = 0; count < loops; count++) this.#addLoop();
	}

	#addLoop(): void {
		const loop = this.#loop();
		this.#loops.add(loop);
		void loop.finally(() => this.#loops.delete(loop));
	}

	/** There is something to do. */
	poke(): void {
		for (const wake of this.#wakers) wake();
	}

	/** Ends; what was under way waits for somebody else. */
	async close(): Promise<void> {
		this.#stop.abort();
		await Promise.all([...this.#loops]);
	}

	async #loop(): Promise<void> {
		const { queue, leaseMs, onUse } = this.#deps;
		const signal = this.#lastCall;
		let failures = 0;
		while (!signal.aborted) {
			if (this.#surplus > 0) return void this.#surplus--;
			// As many as there are places look for work.
			using place = await this.#places.take(1, signal);
			if (signal.aborted) return;
			let used: 'queue' | 'store' = 'queue';
			try {
				const lease = await queue.lease(leaseMs, this.#unwanted());
				onUse('queue');
				used = 'store';
				if (lease === undefined) await this.#wait();
				else if (signal.aborted) await queue.giveBack(lease);
				else await this.#workOrGiveBack(lease, place);
				failures = 0;
			} catch (error) {
				onUse(used, error);
				// The next shards would fail likewise.
				await this.#wait(2 ** Math.min(10, failures++));
			}
		}
	}

	/** Batches of which no more shards begin here at the moment. */
	#unwanted(): Set<string> {
		for (const [batch, until] of this.#resting) {
			const rests = isResting(batch) || this.#lack(batch) !== undefined;
			if (performance.now() >= until || !rests) this.#resting.delete(batch);
			if (!rests) batch.problem = undefined;
		}
		return new Set([
			...stalledBatches(this.#waiting),
			...[...this.#resting.keys()].map(({ record }) => record.id),
		]);
	}

	/** What is not there yet to ask for items of a batch here. */
	#lack({ record, outages, done }: OpenBatch): AppError | undefined {
		const lack = this.#deps.missing?.(record.owner);
		return outages.noteOwner(lack !== undefined, done.size) ? undefined : lack;
	}

	/** Until it is poked, or for the time it looks by itself, so many times over. */
	#wait(times = 1): Promise<void> {
		if (this.#lastCall.aborted) return Promise.resolve();
		return new Promise((resolve) => {
			const wake = (): void => {
				clearTimeout(timer);
				this.#wakers.delete(wake);
				resolve();
			};
			const { pollMs } = this.#deps;
			const timer = setTimeout(wake, Math.max(pollMs, Math.min(troubleMs, pollMs * times)));
			timer.unref();
			this.#wakers.add(wake);
		});
	}

	/** A lease is given back whatever stands in the way of its shard, or it would count as one whose worker has ended. */
	async #workOrGiveBack(lease: ShardLease, place: WorkPlace): Promise<void> {
		let isEnded = false;
		try {
			await this.#work(lease, place, () => (isEnded = true));
		} catch (error) {
			if (!isEnded) await this.#deps.queue.giveBack(lease, troubleMs).catch(() => {});
			throw error;
		}
	}

	/** @param onEnd told before the lease is ended: nobody has to give it back afterwards */
	async #work(lease: ShardLease, place: WorkPlace, onEnd: () => void): Promise<void> {
		const { store, queue, open, reached, activity, onUse, onTrouble } = this.#deps;
		reached?.('leased');
		const complete = (): Promise<boolean> => {
			onEnd();
			return queue.complete(lease);
		};
		const giveBack = (delayMs: number): Promise<void> => {
			onEnd();
			return queue.giveBack(lease, delayMs);
		};
		const batch = await open(lease.batch);
		const shard = batch?.manifest?.shards[lease.shard];
		if (batch === undefined || shard === undefined) return void (await complete());
		if (isResting(batch)) {
			this.#resting.set(batch, performance.now() + this.#deps.leaseMs);
			return await giveBack(this.#deps.leaseMs);
		}
		const isDone = (await store.size(keys.shard(lease))) !== undefined;
		onUse('store');
		if (isDone) {
			await batch.done.refresh();
			return void (await complete());
		}
		const lack = this.#lack(batch);
		if (lack !== undefined) {
			onTrouble(batch, lack);
			this.#resting.set(batch, performance.now() + troubleMs);
			return await giveBack(0);
		}
		activity.begin();
		try {
			onEnd();
			await this.#run(batch, lease, place);
		} finally {
			activity.end();
		}
	}

	async #run(batch: OpenBatch, lease: ShardLease, place: WorkPlace): Promise<void> {
		const { store, queue, leaseMs, reached, onDone, onTrouble } = this.#deps;
		const shard = batch.manifest?.shards[lease.shard];
		if (shard === undefined) return;
		const lost = new AbortController();
		const signal = AbortSignal.any([this.#stop.signal, batch.stop.signal, lost.signal]);
		const renewal = setInterval(() => {
			// A queue that is away is not a lease that is lost: the commit asks again.
			queue.renew(lease, leaseMs).then(
				(holds) => {
					if (!holds) lost.abort();
				},
				() => {},
			);
		}, leaseMs / 3);
		using ending = this.#endingOf(lease, shard, place);
		using waiting = this.#waitingOf(batch, lease, ending.outside);
		let own = 0;
		const onItem = (): void => {
			own++;
			batch.running++;
		};
		try {
			await using rows = await runShard(
				batch.record,
				shard,
				lease.tries,
				{
					...{ ...this.#deps, lanes: this.#lanes, onItem },
					...{ onLast: ending.onLast, onWait: waiting.onWait, outages: batch.outages },
				},
				signal,
			);
			reached?.('written');
			// The result is the shard's own object: the first that is there whole is the one that counts.
			// A queue that is away says nothing of the lease, and another's result would be there first.
			const holds = await queue.renew(lease, leaseMs).catch(() => true);
			if (!holds) {
				this.refused++;
				return void (await queue.giveBack(lease));
			}
			const { pause = realPause, log } = this.#deps;
			const unwritten = (error: unknown, isFirst: boolean): void => {
				onTrouble(batch, error);
				const facts = { batch: lease.batch, shard: lease.shard, reason: sentenceOf(error) };
				if (isFirst) log.warn('a part of a batch cannot be written; it is kept', facts);
			};
			if (!(await commitShard(store, lease, rows, unwritten, pause, signal))) {
				this.refused++;
				await batch.done.refresh();
				return void (await this.#takeOut(lease));
			}
			if ((await store.size(keys.record(lease.batch))) === undefined) {
				// Its person was forgotten meanwhile: nothing of it stays.
				await store.remove(keys.shard(lease));
				return void (await this.#takeOut(lease));
			}
			reached?.('committed');
			onDone(batch, lease.shard, doneOf(rows.head()));
			await this.#takeOut(lease);
			reached?.('completed');
		} catch (error) {
			if (lost.signal.aborted) this.refused++;
			// Of a batch that ends nothing is to be had again at once.
			const isEnding = batch.stop.signal.aborted && !batch.isPaused;
			if (signal.aborted) await queue.giveBack(lease, isEnding ? leaseMs : 0).catch(() => {});
			else {
				onTrouble(batch, error);
				this.#deps.log.warn('a part of a batch was put off', {
					...{ batch: lease.batch, shard: lease.shard, reason: sentenceOf(error) },
				});
				await queue.giveBack(lease, troubleMs).catch(() => {});
			}
		} finally {
			clearInterval(renewal);
			batch.running -= own;
		}
	}

	/** Of what the store has. Where the queue is away it is found to be done by whoever has it next. */
	async #takeOut(lease: ShardLease): Promise<void> {
		const { queue, onUse } = this.#deps;
		await queue.complete(lease).catch((error) => onUse('queue', error));
	}

	/** What a shard does once there is room for the next: it gives its place to it. One of a single item does so at once. */
	#endingOf(
		lease: ShardLease,
		{ items }: Shard,
		place: WorkPlace,
	): Disposable & { readonly onLast: () => void; readonly outside: Outside } {
		const ended = new AbortController();
		let end: WorkPlace | undefined;
		const onLast = async (): Promise<void> => {
			if (items > 1) end = await this.#ends.take(1, ended.signal);
			// It may have come to its end meanwhile.
			if (ended.signal.aborted) end?.[Symbol.dispose]();
			// One that waits by now has been asked for all that it held before.
			const moved = this.#waiting.get(lease)?.until;
			if (moved !== undefined) void end?.outside(() => moved);
			place[Symbol.dispose]();
		};
		return {
			onLast: () => void onLast(),
			outside: async (work) => {
				const done = work();
				await Promise.all([place.outside(() => done), end?.outside(() => done)]);
				return await done;
			},
			[Symbol.dispose]: () => {
				ended.abort();
				end?.[Symbol.dispose]();
			},
		};
	}

	/**
	 * What a shard does while nothing of it can be done, such as when its person has used up a limit: others get its place
	 * until an item of it is done. What it has done is kept, and its lease is held.
	 */
	#waitingOf(
		batch: OpenBatch,
		lease: ShardLease,
		outside: Outside,
	): Disposable & { readonly onWait: OnWait } {
		let moved: Promise<void> | undefined;
		let isOver = false;
		let hasLeft = false;
		let isIdle = false;
		const setIdle = (to: boolean): void => {
			if (to !== isIdle) this.#deps.activity[to ? 'wait' : 'goOn']();
			isIdle = to;
		};
		batch.setShard(lease);
		const leave = async (): Promise<void> => {
			setIdle(true);
			// However many wait, others look for work.
			if (!hasLeft) this.#addLoop();
			hasLeft = true;
			while (moved !== undefined && !isOver) {
				const until = moved;
				await outside(() => until);
				if (moved === until) moved = undefined;
			}
			this.#waiting.delete(lease);
			if (isOver) return;
			setIdle(false);
			batch.setShard(lease);
		};
		return {
			onWait: (until, why) => {
				moved = until;
				batch.setShard(lease, why);
				const isAway = this.#waiting.has(lease);
				this.#waiting.set(lease, { until, why });
				if (!isAway) void leave();
			},
			[Symbol.dispose]: () => {
				isOver = true;
				setIdle(false);
				this.#waiting.delete(lease);
				batch.dropShard(lease);
				if (hasLeft) this.#surplus++;
			},
		};
	}
}

const isResting = ({ isPaused, stop }: OpenBatch): boolean => isPaused || stop.signal.aborted;
