/** A batch that has not ended, as one process knows it. */

import { type BatchManifest, readBatchManifest } from './batchManifest.ts';
import { DoneShards } from './doneShards.ts';
import { Outages } from './itemFailures.ts';
import type { BatchRecord, Shard } from './jobTypes.ts';
import type { ObjectStore } from './objectStore.ts';
import type { ShardWait } from './shardWaits.ts';

/** How far it is, for those who watch. */
export interface BatchProgress {
	/** Items that are done, those of unfinished shards included. */
	readonly items: number;
	readonly perSecond: number | undefined;
	readonly secondsLeft: number | undefined;
}

interface BatchProblem {
	readonly code: string;
	readonly message: string;
}

/** The rate is that of about the last minute. */
const windowMs = 60_000;

export class OpenBatch {
	readonly record: BatchRecord;
	readonly done: DoneShards;
	readonly outages: Outages;
	manifest: BatchManifest | undefined;
	isPaused = false;
	/** When somebody wanted it to end, in seconds since 1970. */
	cancelledAt: number | undefined;
	/** What stood in the way here, and how many shards were done, by whomever. */
	#trouble: { readonly of: BatchProblem; readonly done: number } | undefined;
	/** When all that was missing was put into the queue, and what the queue had lost until then. */
	filled: { readonly losses: number; readonly at: number } | undefined;
	/** Shards of it that are worked on here; those that wait say for what. */
	readonly #shards = new Map<object, (() => ShardWait | undefined) | undefined>();
	/** What it waits for on other machines, where none of it is under way here. */
	elsewhere: ShardWait | undefined;
	/** What was told to others of the shards here, and when. */
	reported: { readonly text: string; readonly at: number } | undefined;
	#stop = new AbortController();
	/** Items of shards that run here. */
	running = 0;
	/** When its files were begun, in seconds since 1970. */
	finalizingAt: number | undefined;
	#samples: { readonly at: number; readonly items: number }[] = [];

	constructor(record: BatchRecord, store: ObjectStore) {
		this.record = record;
		this.outages = new Outages(record);
		this.done = new DoneShards(store, record.id);
	}

	async load(store: ObjectStore): Promise<BatchManifest | undefined> {
		if (this.manifest !== undefined) return this.manifest;
		this.manifest = await readBatchManifest(store, this.record);
		if (this.manifest !== undefined) await this.done.refresh();
		return this.manifest;
	}

	/** Notes a shard that is worked on here; for as long as it waits, what for. */
	setShard(shard: object, why?: () => ShardWait | undefined): void {
		this.#shards.set(shard, why);
	}

	dropShard(shard: object): void {
		this.#shards.delete(shard);
	}

	/** What stands in the way here; no longer when some of it was done since, here or elsewhere. */
	get problem(): BatchProblem | undefined {
		return this.#trouble?.done === this.done.size ? this.#trouble.of : undefined;
	}

	set problem(of: BatchProblem | undefined) {
		this.#trouble = of && { of, done: this.done.size };
	}

	/** Whether some of it is under way here, and all of that waits. */
	get isWaiting(): boolean {
		return this.#shards.size > 0 && [...this.#shards.values()].every((why) => why !== undefined);
	}

	/** Whether some of it is under way here. */
	get isUnderWay(): boolean {
		return this.#shards.size > 0;
	}

	/** Why nothing gets on at the moment. */
	get obstacle(): ShardWait | undefined {
		return this.problem ?? (this.isUnderWay ? this.wait : this.elsewhere);
	}

	/** What all that is under way here waits for. */
	get wait(): ShardWait | undefined {
		if (!this.isWaiting) return undefined;
		const waits = [...this.#shards.values()].flatMap((why) => why?.() ?? []);
		return waits.reduce<ShardWait | undefined>(
			(first, one) => ((first?.until ?? 0) <= (one.until ?? 0) && first ? first : one),
			undefined,
		);
	}

	/** Ends what of it runs here. */
	get stop(): AbortController {
		return this.#stop;
	}

	/** What runs here hears when it is to end, also when nobody had paused it. */
	setPaused(isPaused: boolean): void {
		this.isPaused = isPaused;
		if (isPaused) this.#stop.abort();
		else if (this.#stop.signal.aborted && this.cancelledAt === undefined)
			this.#stop = new AbortController();
	}

	get isDone(): boolean {
		return this.manifest !== undefined && this.done.size === this.manifest.shards.length;
	}

	missing(): Shard[] {
		return (this.manifest?.shards ?? []).filter(
			({ number }) => this.done.get(number) === undefined,
		);
	}

	/** @param nowMs monotonic */
	progress(nowMs: number): BatchProgress {
		const total = this.manifest?.total ?? 0;
		const { completed, failed } = this.done.counts(total);
		const items = Math.min(total, completed + failed + this.running);
		this.#samples.push({ at: nowMs, items });
		while ((this.#samples[1]?.at ?? nowMs) < nowMs - windowMs) this.#samples.shift();
		if (this.#samples.length > 2000)
			this.#samples = this.#samples.filter((_, index) => index % 2 === 0);
		const [first] = this.#samples;
		const seconds = (nowMs - (first?.at ?? nowMs)) / 1000;
		const perSecond = seconds < 0.5 ? undefined : (items - (first?.items ?? 0)) / seconds;
		return {
			...{ items, perSecond },
			secondsLeft:
				perSecond === undefined || perSecond <= 0
					? undefined
					: Math.ceil((total - items) / perSecond),
		};
	}
}
