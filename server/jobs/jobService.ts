/** Bulk work put together: files, batches, who keeps them and who works. Opened when it is first needed. */

import { defined } from '../protocol/defined.ts';
import { type AppError, asAppError } from '../protocol/index.ts';
import type { Logger } from '../services/logger.ts';
import type { JobLimits } from './batchLimits.ts';
import { BatchManager } from './batchManager.ts';
import { laterVersion } from './batchManifest.ts';
import { BatchWorker, type WorkActivity, type WorkPoint } from './batchWorker.ts';
import type { RunItem } from './itemRow.ts';
import type { JobQueue } from './jobQueue.ts';
import { batchVersion, type JobOwner } from './jobTypes.ts';
import type { ObjectStore } from './objectStore.ts';
import { sweepFromTimeToTime } from './oldBatches.ts';
import { Batches } from './personBatches.ts';
import { cancelJobs, type ForgottenJobs, forgetJobs } from './removeJobs.ts';
import type { Pause } from './runItem.ts';
import { StoredFiles } from './storedFiles.ts';

export interface JobServiceDeps {
	readonly openStore: () => Promise<ObjectStore>;
	readonly openQueue: () => Promise<JobQueue>;
	/** Whether there is work that an earlier process has left, or others may bring some. */
	readonly mayHaveWork: () => boolean;
	/** Other machines work from the same queue. */
	readonly isShared: boolean;
	readonly limits: JobLimits;
	/** Folder for temporary ones: see `scratchIn`. */
	readonly scratch: string;
	readonly log: Logger;
	readonly now: () => number;
	/** Shards at a time; 0: this server only serves. */
	readonly width: number;
	readonly leaseMs?: number;
	readonly tickMs?: number;
	readonly pause?: Pause;
	/** Fault points for tests. */
	readonly reached?: (point: WorkPoint | 'joined') => void;
	readonly activity: WorkActivity;
	/** Aborted when this process is about to end. */
	readonly ending?: AbortSignal;
	/** Where an object lies as a file of this machine; absent where none does. */
	readonly localPath?: (key: string) => string;
	/** Bytes that are free for files; `undefined` where nobody can say. */
	readonly freeBytes?: () => Promise<number | undefined>;
}

/** What requests need of it. */
export interface OpenJobs {
	readonly files: StoredFiles;
	readonly batches: Batches;
	readonly limits: JobLimits;
	readonly store: ObjectStore;
	/** See {@link cancelJobs}. @throws AppError `store_unavailable` */
	cancel(person: string, signal: AbortSignal, until?: number): Promise<number>;
	/** Deletes all that one person has here. @throws AppError `conflict`, `store_unavailable` */
	forget(person: string, signal: AbortSignal, until?: number): Promise<ForgottenJobs>;
}

interface Running extends OpenJobs {
	close(): Promise<void>;
}

/** A worker that ends without a word is missed after this time. */
const usualLeaseMs = 30_000;
const usualTickMs = 1000;
/** A store or queue that could not be opened is tried again after this time. */
const againMs = 5000;

export class JobService {
	readonly #deps: JobServiceDeps;
	#run: RunItem | undefined;
	#missing: (owner: JobOwner) => AppError | undefined = () => undefined;
	#opened: Promise<Running> | undefined;
	#batches: Batches | undefined;
	#again: NodeJS.Timeout | undefined;
	/** Why it could not be opened, as it was said last. */
	#failure: string | undefined;
	#isClosed = false;

	constructor(deps: JobServiceDeps) {
		this.#deps = deps;
	}

	/**
	 * From now on items can be asked for. Goes on with what an earlier process has left.
	 * @param missing what is not there yet to ask in an owner's name: others may have it
	 */
	start(run: RunItem, missing?: (owner: JobOwner) => AppError | undefined): void {
		this.#run = run;
		if (missing !== undefined) this.#missing = missing;
		if (this.#deps.mayHaveWork()) this.#begin();
	}

	/** Nobody has to ask for anything before the work of others is done: it tries until it can. */
	#begin(): void {
		this.open().catch((error) => {
			const { message: reason } = asAppError(error);
			if (reason !== this.#failure) this.#deps.log.error('batches do not go on', { reason });
			this.#failure = reason;
			if (this.#isClosed) return;
			this.#again = setTimeout(() => this.#begin(), againMs);
			this.#again.unref();
		});
	}

	/** @throws AppError `store_unavailable` */
	open(): Promise<OpenJobs> {
		const opened = this.#opened ?? this.#openAll();
		this.#opened = opened;
		// The next one tries again.
		opened.catch(() => {
			this.#opened = undefined;
		});
		return opened;
	}

	/** Whether there is work that nobody else does when this process ends. */
	get isBusy(): boolean {
		return !this.#deps.isShared && (this.#batches?.isBusy ?? false);
	}

	/** Path of an object that is a file of this machine. */
	localPath(key: string): string | undefined {
		return this.#deps.localPath?.(key);
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#again);
		const opened = await this.#opened?.catch(() => undefined);
		await opened?.close();
	}

	async #openAll(): Promise<Running> {
		const { limits, log, now, width, isShared, activity, pause, ending } = this.#deps;
		const { leaseMs = usualLeaseMs, tickMs = usualTickMs } = this.#deps;
		const store = await this.#deps.openStore();
		const queue = await this.#deps.openQueue().catch(async (error) => {
			await store[Symbol.asyncDispose]();
			throw error;
		});
		const files = new StoredFiles(store, now, {
			...limits,
			...(this.#deps.freeBytes === undefined ? {} : { freeBytes: this.#deps.freeBytes }),
		});
		const batches: Batches = new Batches({
			...{ store, files, limits, now, onChange: () => manager.look() },
		});
		this.#batches = batches;
		/** What was said of the queue and of the store last, and holds. */
		const troubles = new Map<'queue' | 'store', string>();
		const worker = new BatchWorker({
			...{ store, queue, log, now, width, leaseMs, activity, scratch: this.#deps.scratch },
			...defined({ pause, ending }),
			...(this.#deps.reached === undefined ? {} : { reached: this.#deps.reached }),
			pollMs: tickMs,
			run: (call, signal, outside) => {
				if (this.#run === undefined) throw new Error('Items are asked for before the server runs.');
				return this.#run(call, signal, outside);
			},
			missing: (owner) => this.#missing(owner),
			open: async (id) => {
				const open = await batches.open(id);
				if (open !== undefined && open.record.version > batchVersion) throw laterVersion(id);
				await open?.load(store);
				return open;
			},
			onDone: (batch, shard, done) => {
				batch.problem = undefined;
				batch.done.add(shard, done);
				if (batch.isDone) manager.look();
			},
			onTrouble: (batch, error) => {
				const { code, message }: AppError = asAppError(error);
				batch.problem = { code, message };
			},
			onUse: (of, error) => {
				if (error === undefined) return void troubles.delete(of);
				// A worker tries again every moment: one line says it until it can be used again.
				const { message } = asAppError(error);
				if (message !== troubles.get(of))
					log.warn('the queue or the store of batches cannot be used', { reason: message });
				troubles.set(of, message);
			},
		});
		const manager: BatchManager = new BatchManager({
			...{ store, queue, files, batches, limits, log, now, tickMs, isShared },
			...(this.#deps.reached === undefined ? {} : { reached: this.#deps.reached }),
			...{ refillMs: leaseMs, works: width > 0 },
			onQueued: () => worker.poke(),
		});
		worker.start();
		manager.look();
		const sweeping = new AbortController();
		const swept = sweepFromTimeToTime(
			{ store, files, keepDays: limits.keepDays, now, log, onOpen: () => manager.look() },
			sweeping.signal,
		);
		return {
			...{ files, batches, limits, store },
			cancel: (person, signal, until) => cancelJobs(person, { store, batches, now }, signal, until),
			forget: (person, signal, until) => forgetJobs(person, { store, batches }, signal, until),
			close: async () => {
				// All are told before one is waited for, or the others would begin more.
				sweeping.abort();
				await Promise.all([swept, manager.close(), worker.close()]);
				await queue[Symbol.asyncDispose]();
				await store[Symbol.asyncDispose]();
			},
		};
	}
}
