/** Which shards of a batch are done, and what is in them: read from the store, each once. */

import { type BatchCounts, keys, type ShardHead, type TokenUsage } from './jobTypes.ts';
import { type ObjectStore, readObject } from './objectStore.ts';

/** Room for the first line. */
const headBytes = 512;

export interface DoneShard extends ShardHead {
	/** Where its rows begin. */
	readonly from: number;
}

/** What is done, to be read. */
export interface DoneView {
	readonly usage: TokenUsage;
	counts(total: number): BatchCounts;
	get(shard: number): DoneShard | undefined;
}

export class DoneShards implements DoneView {
	readonly #store: ObjectStore;
	readonly #batch: string;
	readonly #found = new Map<number, DoneShard>();
	#counts = { completed: 0, failed: 0 };
	#usage = { input: 0, output: 0 };

	constructor(store: ObjectStore, batch: string) {
		this.#store = store;
		this.#batch = batch;
	}

	get size(): number {
		return this.#found.size;
	}
	get usage(): TokenUsage {
		return { ...this.#usage };
	}
	counts(total: number): BatchCounts {
		return { total, ...this.#counts };
	}
	get(shard: number): DoneShard | undefined {
		return this.#found.get(shard);
	}

	/** As it is now: a shard that comes later is not in it. */
	snapshot(): DoneView {
		const found = new Map(this.#found);
		const [counts, usage] = [{ ...this.#counts }, this.usage];
		return { usage, counts: (total) => ({ total, ...counts }), get: (shard) => found.get(shard) };
	}

	/** Looks which have been finished since, by whomever. */
	async refresh(): Promise<void> {
		const prefix = keys.shards(this.#batch);
		for await (const key of this.#store.list(prefix)) {
			const shard = Number(key.slice(prefix.length));
			if (!this.#found.has(shard)) this.add(shard, await this.#read(key));
		}
	}

	/** Notes one that this process has finished. */
	add(shard: number, head: DoneShard): void {
		if (this.#found.has(shard)) return;
		this.#found.set(shard, head);
		this.#counts.completed += head.completed;
		this.#counts.failed += head.failed;
		this.#usage.input += head.input;
		this.#usage.output += head.output;
	}

	async #read(key: string): Promise<DoneShard> {
		const bytes = await readObject(this.#store, key, 0, headBytes);
		const end = bytes.indexOf('\n');
		return { ...(JSON.parse(bytes.subarray(0, end).toString('utf8')) as ShardHead), from: end + 1 };
	}
}

/** As a shard is noted that was just written. */
export const doneOf = (head: ShardHead): DoneShard => ({
	...head,
	from: Buffer.byteLength(JSON.stringify(head)) + 1,
});
