/** Takes every open batch its next step: cut into shards, put into the queue, joined at the end. Any number may do so at once. */

import { AppError, asAppError, sentenceOf } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import type { JobLimits } from './batchLimits.ts';
import {
	type BatchManifest,
	laterVersion,
	makeManifest,
	Unreadable,
	writeBatchManifest,
} from './batchManifest.ts';
import {
	dropUnusedFiles,
	expired,
	failBatch,
	finishBatch,
	inputGone,
	type Unrun,
} from './finishBatch.ts';
import type { JobQueue } from './jobQueue.ts';
import { type BatchEnding, type BatchRecord, batchVersion, keys } from './jobTypes.ts';
import { JoinClaims } from './joinClaims.ts';
import { type ObjectStore, readJsonObject } from './objectStore.ts';
import type { OpenBatch } from './openBatch.ts';
import type { Batches } from './personBatches.ts';
import type { StoredFiles } from './storedFiles.ts';
import { WorkerNews } from './workerNews.ts';

export interface ManagerDeps {
	readonly store: ObjectStore;
	readonly queue: JobQueue;
	readonly files: StoredFiles;
	readonly batches: Batches;
	readonly limits: JobLimits;
	readonly log: Logger;
	/** Milliseconds since 1970. */
	readonly now: () => number;
	readonly tickMs: number;
	/** Whether others may finish shards, too. */
	readonly isShared: boolean;
	/** How long a shared queue is believed. */
	readonly refillMs: number;
	/** Whether shards are worked on here. */
	readonly works: boolean;
	/** There may be something to do. */
	readonly onQueued: () => void;
	/** Fault point for tests. */
	reached?(point: 'joined'): void;
}

/** Batches that are taken a step at a time: one that is long to cut or to join holds up nobody's. */
const maxSteps = 16;
/** Files that are cut at a time: each takes memory. */
const maxCuts = 3;
/** Batches that are joined at a time. With the cuts fewer than steps, so that there is room for short ones. */
const maxJoins = 8;

export class BatchManager {
	readonly #deps: ManagerDeps;
	readonly #stop = new AbortController();
	/** Steps that are being taken, by batch. */
	readonly #steps = new Map<string, Promise<void>>();
	/** Batches that were passed by because their step was being taken: there may be news for them. */
	readonly #passed = new Set<string>();
	/** Files that are being cut. */
	#cuts = 0;
	/** Batches that are being joined. */
	#joins = 0;
	/** What stood in the way of a step, by batch. */
	readonly #found = new WeakMap<OpenBatch, OpenBatch['problem']>();
	readonly #workers: WorkerNews | undefined;
	/** Absent where nobody else works from the queue. */
	readonly #claims: { readonly cut: JoinClaims; readonly join: JoinClaims } | undefined;
	#timer: NodeJS.Timeout | undefined;
	#running: Promise<void> | undefined;
	#again = false;

	constructor(deps: ManagerDeps) {
		this.#deps = deps;
		const { store, queue, works, now, refillMs } = deps;
		if (deps.isShared) {
			const claims = (keyOf: (batch: string) => string) =>
				new JoinClaims({ store, keyOf, leaseMs: refillMs });
			this.#claims = { cut: claims(keys.cut), join: claims(keys.join) };
		}
		if (queue.workers !== undefined)
			this.#workers = new WorkerNews({ workers: queue.workers, works, now, holdsMs: refillMs });
	}

	/** Looks at all of them, now; one look at a time. A batch whose last step goes on is left to it. */
	look(): void {
		if (this.#stop.signal.aborted) return;
		clearTimeout(this.#timer);
		if (this.#running !== undefined) {
			this.#again = true;
			return;
		}
		this.#running = this.#lookAtAll().finally(() => {
			this.#running = undefined;
			if (this.#again) {
				this.#again = false;
				this.look();
			}
		});
	}

	async close(): Promise<void> {
		this.#stop.abort();
		clearTimeout(this.#timer);
		await this.#running;
		await Promise.all(this.#steps.values());
	}

	async #lookAtAll(): Promise<void> {
		const { store, batches, tickMs, isShared } = this.#deps;
		let count = 0;
		const seen = new Set<string>();
		try {
			await this.#workers?.look();
			for await (const key of store.list(keys.open)) {
				count++;
				const id = key.slice(keys.open.length);
				seen.add(id);
				if (this.#steps.has(id)) {
					this.#passed.add(id);
					continue;
				}
				while (this.#steps.size >= maxSteps) await Promise.race(this.#steps.values());
				if (this.#stop.signal.aborted) return;
				const step = this.#lookAt(id).finally(() => {
					this.#steps.delete(id);
					if (this.#passed.delete(id)) this.look();
				});
				this.#steps.set(id, step);
			}
			// Others have brought these to their end.
			await batches.forgetEnded(seen);
		} catch (error) {
			count++;
			this.#untold(error);
		}
		if (this.#stop.signal.aborted || (count === 0 && !isShared)) return;
		this.#timer = setTimeout(() => this.look(), tickMs);
		this.#timer.unref();
	}

	/** Never rejects. */
	async #lookAt(id: string): Promise<void> {
		const { store, batches, files } = this.#deps;
		let open: OpenBatch | undefined;
		try {
			open = await batches.open(id);
			if (open !== undefined) {
				await this.#step(open);
				// What stands in the way of a worker is over when one of its shards is done.
				if (open.problem === this.#found.get(open)) open.problem = undefined;
				return;
			}
			// Its end is written, and the process that did so has ended before it took this away.
			this.#forgetClaims(id);
			const record = await readJsonObject<BatchRecord>(store, keys.record(id));
			if (record !== undefined) await dropUnusedFiles(record, store, files);
			await store.remove(keys.openBatch(id));
			batches.forget(id);
		} catch (error) {
			if (open !== undefined) this.#trouble(open, error);
			else this.#untold(error);
		}
	}

	#untold(error: unknown): void {
		if (!this.#stop.signal.aborted)
			this.#deps.log.warn('batches cannot be looked at', { reason: sentenceOf(error) });
	}

	#trouble(open: OpenBatch, error: unknown): void {
		if (this.#stop.signal.aborted) return;
		const { code, message } = asAppError(error);
		if (open.problem?.message !== message)
			this.#deps.log.warn('a batch does not get on', { batch: open.record.id, reason: message });
		open.problem = { code, message };
		this.#found.set(open, open.problem);
	}

	async #step(open: OpenBatch): Promise<void> {
		const { store, queue, batches, now, isShared, onQueued } = this.#deps;
		const { record } = open;
		if (record.version > batchVersion) throw laterVersion(record.id);
		const cancel = await readJsonObject<{ at: number }>(store, keys.cancel(record.id));
		open.cancelledAt ??= cancel?.at;
		const isOver = now() / 1000 >= record.expiresAt;
		let manifest = await open.load(store);
		if (manifest === undefined) {
			// Its turn comes with one of the next looks, which have others to look at as well.
			if (this.#cuts >= maxCuts) return;
			const cut = await this.#cut(open);
			if (cut === 'elsewhere') return;
			manifest = cut;
		}
		if (manifest === undefined) return batches.forget(record.id);
		if (isShared) await open.done.refresh();
		const isEnding = open.isDone || open.cancelledAt !== undefined || isOver;
		// Its turn comes, too: others have less to do. What is in the queue would be leased again and again.
		if (isEnding && this.#joins >= maxJoins) {
			open.stop.abort();
			return await queue.remove(record.id);
		}
		const end = (status: BatchEnding, rest?: Unrun) => this.#join(open, manifest, status, rest);
		let hasEnded = true;
		if (open.isDone) hasEnded = await end('completed');
		else if (open.cancelledAt !== undefined || isOver || (await this.#isInputGone(open))) {
			open.stop.abort();
			await queue.remove(record.id);
			if (open.cancelledAt !== undefined) hasEnded = await end('cancelled');
			else if (await this.#isInputGone(open)) hasEnded = await end('failed', inputGone);
			else hasEnded = await end('expired', expired);
		} else {
			const isPaused = (await store.size(keys.pause(record.id))) !== undefined;
			if (isPaused !== open.isPaused) open.setPaused(isPaused);
			if (isPaused) {
				open.elsewhere = undefined;
				return await queue.remove(record.id);
			}
			await this.#workers?.exchange(open);
			const missing = open.missing();
			const isFilled = isShared ? this.#isFilled(open) : true;
			if (isFilled && (await queue.count(record.id)) >= missing.length) return;
			const filled = { losses: queue.losses, at: now() };
			await queue.add(
				missing.map(({ number }) => ({ batch: record.id, shard: number })),
				batches.openOf(record.owner.person),
			);
			open.filled = filled;
			return onQueued();
		}
		// Another machine brings it to its end: the next look sees whether it has.
		if (!hasEnded) return;
		await queue.remove(record.id);
		this.#forgetClaims(record.id);
		batches.forget(record.id);
	}

	/**
	 * Whether all that is missing was put in not long ago. What a queue of others says of itself is a hint: whenever it
	 * may have lost something, and from time to time in any case, each shard is put in that is not there.
	 */
	#isFilled({ filled }: OpenBatch): boolean {
		const { queue, now, refillMs } = this.#deps;
		return filled?.losses === queue.losses && Math.abs(now() - filled.at) < refillMs;
	}

	/** Joins what is done; `false` while another machine does. */
	async #join(
		open: OpenBatch,
		manifest: BatchManifest,
		status: BatchEnding,
		rest?: Unrun,
	): Promise<boolean> {
		const { now, limits } = this.#deps;
		this.#joins++;
		try {
			if (await this.#isEnded(open)) return true;
			await using claim = await this.#claims?.join.take(open.record.id);
			if (this.#claims !== undefined && claim === undefined) {
				open.finalizingAt ??= Math.floor(now() / 1000);
				return false;
			}
			// Whoever had it before has come to the end meanwhile.
			if (claim !== undefined && (await this.#isEnded(open))) return true;
			const finish = {
				...{ ...this.#deps, now: () => Math.floor(now() / 1000) },
				...{ keepS: limits.keepDays * 86_400, signal: this.#stop.signal },
				onMoved: () => claim?.moved(),
			};
			await finishBatch(open.record, manifest, open, status, finish, rest);
			return true;
		} finally {
			this.#joins--;
		}
	}

	/** Whether somebody has brought it to its end; what whoever did so has left over is taken away. */
	async #isEnded({ record }: OpenBatch): Promise<boolean> {
		const { store, files } = this.#deps;
		if ((await store.size(keys.end(record.id))) === undefined) return false;
		await dropUnusedFiles(record, store, files);
		await store.remove(keys.openBatch(record.id));
		return true;
	}

	async #isInputGone({ record }: OpenBatch): Promise<boolean> {
		return (await this.#deps.store.size(keys.fileContent(record.inputFileId))) === undefined;
	}

	#forgetClaims(id: string): void {
		this.#claims?.cut.forget(id);
		this.#claims?.join.forget(id);
	}

	/**
	 * The manifest of a new batch; `undefined` when its file is no list of requests, so that it has failed; `elsewhere`
	 * while another machine cuts it.
	 */
	async #cut(open: OpenBatch): Promise<BatchManifest | 'elsewhere' | undefined> {
		const { store, limits, now } = this.#deps;
		const { record } = open;
		const at = Math.floor(now() / 1000);
		this.#cuts++;
		try {
			await using claim = await this.#claims?.cut.take(record.id);
			if (this.#claims !== undefined && claim === undefined) return 'elsewhere';
			// Whoever had it before has come to the end meanwhile.
			const known = claim && (await open.load(store));
			if (known !== undefined) return known;
			if (claim !== undefined && (await this.#isEnded(open))) return undefined;
			// What a batch reads stays for as long as it has not ended, whatever time was set for the file.
			if (await this.#isInputGone(open)) throw new AppError('not_found', inputGone.message);
			const input = store.read(keys.fileContent(record.inputFileId));
			const content = movedBy(input, () => claim?.moved());
			const most = { lines: limits.batchLines, bytes: limits.batchBytes };
			const manifest = await makeManifest(content, record.endpoint, most, at, this.#stop.signal);
			await writeBatchManifest(store, record.id, manifest);
			return await open.load(store);
		} catch (error) {
			const isGone = error instanceof AppError && error.code === 'not_found';
			if (!(error instanceof Unreadable) && !isGone) throw error;
			const code = error instanceof Unreadable ? error.code : 'file_not_found';
			await failBatch(record, store, at, { code, message: error.message });
			return undefined;
		} finally {
			this.#cuts--;
		}
	}
}

/** What is read, as somebody is told. */
async function* movedBy(
	content: AsyncIterable<Uint8Array>,
	onMoved: () => void,
): AsyncIterable<Uint8Array> {
	for await (const part of content) {
		onMoved();
		yield part;
	}
}
