/**
 * Lets independent users of an encoder-decoder share its runs without knowing of each other: runs
 * that begin together with equally many tokens are decoded in lockstep, one run of the graph for all of
 * them; everything else runs one after the other. Results are those of a model of its own.
 */

import { Expectation } from '../queue/expectation.ts';
import { BatchMember } from './batchMember.ts';
import type { DecoderRun, DecoderStart, EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';
import { LockstepBatch } from './lockstepBatch.ts';

export type BatchPriority = 'interactive' | 'batch';

/** What goes first: what a user waits for, then encoders, so that more begin to decode together. */
const order = { interactive: 0, encode: 1, feed: 2, start: 3 } as const;

/** After so many runs in a row that others had to let pass, and so long a time, one of theirs is made. */
const maxPassed = 8;
const maxPassedMs = 100;

interface Job {
	readonly order: number;
	/** Tokens, or samples, that are computed. */
	readonly size: number;
	readonly run: () => Promise<void>;
}

export class LockstepBatcher {
	readonly model: EncoderDecoder;
	/** Maximum sequences decoded together, and open at once unless a single run needs more. */
	readonly #maxSequences: number;
	readonly #jobs: Job[] = [];
	readonly #batches = new Set<LockstepBatch>();
	#starts: BatchMember[] = [];
	#pumping = false;
	/** Urgent runs in a row while others waited, since when, and small ones while the first waited. */
	#urgentInRow = 0;
	#urgentSince = 0;
	#smallInRow = 0;
	#idle: (() => void)[] = [];
	/** Urgent calls that are about to come: the runs of others make room for them. */
	readonly #expectation = new Expectation();

	constructor(model: EncoderDecoder, maxSequences: number) {
		this.model = model;
		this.#maxSequences = Math.max(1, maxSequences);
	}

	/** True while sequences are being decoded: work that starts now shares no run with them. */
	get isDecoding(): boolean {
		return this.#batches.size > 0;
	}

	/** Somebody is about to hand in an urgent call, or has one whose next run is not known yet: the runs of others wait a little. */
	expect(): Disposable {
		return this.#expectation.expect();
	}

	/** The model as one user sees it. */
	member(priority: BatchPriority): EncoderDecoder {
		const urgent = priority === 'interactive';
		return {
			...this.model,
			encode: (inputs, signal) =>
				new Promise((resolve, reject) => {
					this.#enqueue({
						order: urgent ? order.interactive : order.encode,
						size: Object.values(inputs).reduce((size, { data }) => Math.max(size, data.length), 0),
						run: () => this.model.encode(inputs, signal).then(resolve, reject),
					});
				}),
			start: (encoded, options = {}) => this.#start(encoded, options, urgent),
		};
	}

	#start(encoded: EncodedBatch, options: DecoderStart, urgent: boolean): DecoderRun {
		return new BatchMember(this, encoded, options, urgent);
	}

	/** Resolves when no run is in flight and none waits. */
	async idle(): Promise<void> {
		if (this.#pumping) await new Promise<void>((resolve) => this.#idle.push(resolve));
	}

	/** Runs jobs one at a time. */
	#enqueue(job: Job): void {
		this.#jobs.push(job);
		if (job.order === order.interactive) this.#expectation.came();
		this.#wake();
	}

	/** Puts a run's first tokens where others may join it. */
	begin(run: BatchMember): void {
		this.#starts.push(run);
		if (!run.isUrgent) this.#wake();
		else
			this.#enqueue({
				order: order.interactive,
				size: run.batchSize,
				// It may have joined another one by then, or be gone.
				run: async () => {
					if (this.#starts.includes(run)) await this.#nextBatch(run)?.();
				},
			});
	}

	/** A batch whose members all have fed is run; one without members is closed. */
	advance(batch: LockstepBatch): void {
		if (batch.isEmpty) {
			batch.close();
			this.#batches.delete(batch);
			this.#wake();
		} else if (batch.isReady) {
			batch.lock();
			this.#enqueue({
				order: batch.isUrgent ? order.interactive : order.feed,
				size: batch.size,
				run: () => batch.step(),
			});
		}
	}

	#wake(): void {
		if (this.#pumping) return;
		this.#pumping = true;
		void this.#pump();
	}

	async #pump(): Promise<void> {
		for (;;) {
			// Answers of the last run reach their owners first, so that their next preferences are known.
			await new Promise((resolve) => setImmediate(resolve));
			this.#starts = this.#starts.filter((run) => run.isWaiting);
			if (this.#hasOthersAlone && (await this.#expectation.waits())) continue;
			const run = this.#next();
			if (run === undefined) break;
			await run();
			this.#expectation.ran();
		}
		this.#pumping = false;
		for (const resolve of this.#idle.splice(0)) resolve();
	}

	/** There is something to run, and nobody waits at a screen for any of it. */
	get #hasOthersAlone(): boolean {
		return (
			this.#jobs.length + this.#starts.length > 0 &&
			this.#jobs.every((job) => job.order !== order.interactive)
		);
	}

	/** Others have let urgent runs pass for long enough. */
	get #havePassed(): boolean {
		return this.#urgentInRow >= maxPassed && performance.now() - this.#urgentSince >= maxPassedMs;
	}

	/** Urgent runs first, the small ones of them before the large ones; nobody is passed over for ever. */
	#next(): (() => Promise<void>) | undefined {
		const urgent = this.#jobs.filter((job) => job.order === order.interactive);
		const start = this.#starts.find((run) => !run.isUrgent);
		const others = this.#jobs.length > urgent.length || start !== undefined;
		if (urgent.length > 0 && !(others && this.#havePassed)) {
			if (this.#urgentInRow === 0) this.#urgentSince = performance.now();
			this.#urgentInRow = others ? this.#urgentInRow + 1 : 0;
			return this.#nextUrgent(urgent);
		}
		this.#urgentInRow = 0;
		let best: Job | undefined;
		for (const job of this.#jobs) {
			const isOther = job.order > order.interactive;
			if (isOther && (best === undefined || job.order < best.order)) best = job;
		}
		if (best !== undefined) return this.#take(best);
		// Where a start has to wait for room, urgent runs pass it.
		return this.#nextBatch(start) ?? this.#nextUrgent(urgent);
	}

	#nextUrgent(jobs: readonly Job[]): (() => Promise<void>) | undefined {
		const [first] = jobs;
		if (first === undefined) return undefined;
		let best = first;
		if (this.#smallInRow < maxPassed) for (const job of jobs) if (job.size < best.size) best = job;
		this.#smallInRow = best === first ? 0 : this.#smallInRow + 1;
		return this.#take(best);
	}

	#take(job: Job): () => Promise<void> {
		this.#jobs.splice(this.#jobs.indexOf(job), 1);
		return job.run;
	}

	/** The waiting runs that can begin together with the first, as one batch. */
	#nextBatch(first: BatchMember | undefined): (() => Promise<void>) | undefined {
		if (first === undefined) return undefined;
		let open = 0;
		for (const batch of this.#batches) open += batch.size;
		if (!first.isUrgent && open > 0 && open + first.batchSize > this.#maxSequences)
			return undefined;
		const chosen: BatchMember[] = [];
		for (const run of [first, ...this.#starts.filter((one) => one !== first)]) {
			if (
				!run.isCompatible(first) ||
				(chosen.length > 0 && open + run.batchSize > this.#maxSequences)
			)
				continue;
			chosen.push(run);
			open += run.batchSize;
			if (!this.model.batchInvariant) break;
		}
		this.#starts = this.#starts.filter((run) => !chosen.includes(run));
		return async () => {
			let batch: LockstepBatch;
			try {
				batch = new LockstepBatch(this, chosen);
			} catch (error) {
				for (const run of chosen) run.reject(error);
				return;
			}
			this.#batches.add(batch);
			await batch.step();
		};
	}
}
