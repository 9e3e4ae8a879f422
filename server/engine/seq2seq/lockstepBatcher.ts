/**
 * Lets independent users of an encoder-decoder share its runs without knowing of each other: runs
 * that begin together with equally many tokens are decoded in lockstep, one run of the graph for all of
 * them; everything else runs one after the other. Results are those of a model of its own.
 */

import { BatchMember } from './batchMember.ts';
import type { DecoderRun, DecoderStart, EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';
import { LockstepBatch } from './lockstepBatch.ts';

export type BatchPriority = 'interactive' | 'batch';

/** What goes first: what a user waits for, then encoders, so that more begin to decode together. */
const order = { interactive: 0, encode: 1, feed: 2, start: 3 } as const;

interface Job {
	readonly order: number;
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

	constructor(model: EncoderDecoder, maxSequences: number) {
		this.model = model;
		this.#maxSequences = Math.max(1, maxSequences);
	}

	/** True while sequences are being decoded: work that starts now shares no run with them. */
	get isDecoding(): boolean {
		return this.#batches.size > 0;
	}

	/** The model as one user sees it. */
	member(priority: BatchPriority): EncoderDecoder {
		const urgent = priority === 'interactive';
		return {
			...this.model,
			encode: (inputs, signal) =>
				new Promise((resolve, reject) => {
					this.enqueue(urgent ? order.interactive : order.encode, () =>
						this.model.encode(inputs, signal).then(resolve, reject),
					);
				}),
			start: (encoded, options = {}) => this.#start(encoded, options, urgent),
		};
	}

	#start(encoded: EncodedBatch, options: DecoderStart, urgent: boolean): DecoderRun {
		return new BatchMember(this, encoded, options, urgent);
	}

	/** Runs jobs one at a time, lower orders first. */
	enqueue(order: number, run: () => Promise<void>): void {
		this.#jobs.push({ order, run });
		this.#wake();
	}

	/** Puts a run's first tokens where others may join it. */
	begin(run: BatchMember): void {
		this.#starts.push(run);
		this.#wake();
	}

	/** A batch whose members all have fed is run; one without members is closed. */
	advance(batch: LockstepBatch): void {
		if (batch.isEmpty) {
			batch.close();
			this.#batches.delete(batch);
			this.#wake();
		} else if (batch.isReady) {
			const priority = batch.isUrgent ? order.interactive : order.feed;
			batch.lock();
			this.enqueue(priority, () => batch.step());
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
			const job = this.#next() ?? this.#nextBatch();
			if (job === undefined) break;
			await job();
		}
		this.#pumping = false;
	}

	#next(): (() => Promise<void>) | undefined {
		let best = -1;
		for (const [index, job] of this.#jobs.entries()) {
			if (best < 0 || job.order < (this.#jobs[best] as Job).order) best = index;
		}
		if (best < 0) return undefined;
		// Someone waits at the keyboard: before the next step of the others.
		if ((this.#jobs[best] as Job).order > order.interactive) {
			const urgent = this.#nextBatch(true);
			if (urgent !== undefined) return urgent;
		}
		return this.#jobs.splice(best, 1)[0]?.run;
	}

	/** The waiting runs that can begin together, as one batch. */
	#nextBatch(urgentOnly = false): (() => Promise<void>) | undefined {
		const first = this.#starts.find((run) => run.isUrgent) ?? this.#starts[0];
		if (first === undefined || (urgentOnly && !first.isUrgent)) return undefined;
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
