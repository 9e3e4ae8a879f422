/**
 * Lets independent users of an encoder-decoder share its runs without knowing of each other: runs
 * that begin together with equally many tokens are decoded in step, one run of the graph for all of
 * them; everything else takes turns. Results are those of a model of one's own.
 */

import type { DecoderRun, DecoderStart, EncodedBatch, EncoderDecoder } from './encoderDecoder.ts';
import { JoinedGroup } from './joinedGroup.ts';
import { JoinedRun } from './joinedRun.ts';

export type JoinedPriority = 'interactive' | 'batch';

/** What goes first: whoever is waited for, then encoders, so that more begin to decode together. */
const order = { interactive: 0, encode: 1, feed: 2, start: 3 } as const;

interface Job {
	readonly order: number;
	readonly run: () => Promise<void>;
}

export class JoinedModel {
	readonly model: EncoderDecoder;
	/** Most rows decoded together, and open at once unless a single run needs more. */
	readonly #maxRows: number;
	readonly #jobs: Job[] = [];
	readonly #groups = new Set<JoinedGroup>();
	#starts: JoinedRun[] = [];
	#pumping = false;

	constructor(model: EncoderDecoder, maxRows: number) {
		this.model = model;
		this.#maxRows = Math.max(1, maxRows);
	}

	/** True while rows are being decoded: who comes now shares no run with them. */
	get isDecoding(): boolean {
		return this.#groups.size > 0;
	}

	/** The model as one user sees it. */
	member(priority: JoinedPriority): EncoderDecoder {
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
		return new JoinedRun(this, encoded, options, urgent);
	}

	/** Runs jobs one at a time, lower orders first. */
	enqueue(place: number, run: () => Promise<void>): void {
		this.#jobs.push({ order: place, run });
		this.#wake();
	}

	/** Puts a run's first tokens where others may join it. */
	begin(run: JoinedRun): void {
		this.#starts.push(run);
		this.#wake();
	}

	/** A group whose members all have fed is run; one without members is closed. */
	advance(group: JoinedGroup): void {
		if (group.isEmpty) {
			group.close();
			this.#groups.delete(group);
			this.#wake();
		} else if (group.isReady) {
			const place = group.isUrgent ? order.interactive : order.feed;
			group.lock();
			this.enqueue(place, () => group.step());
		}
	}

	#wake(): void {
		if (this.#pumping) return;
		this.#pumping = true;
		void this.#pump();
	}

	async #pump(): Promise<void> {
		for (;;) {
			// Answers of the last run reach their owners first, so that their next wishes are known.
			await new Promise((resolve) => setImmediate(resolve));
			this.#starts = this.#starts.filter((run) => run.isWaiting);
			const job = this.#next() ?? this.#nextGroup();
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
			const urgent = this.#nextGroup(true);
			if (urgent !== undefined) return urgent;
		}
		return this.#jobs.splice(best, 1)[0]?.run;
	}

	/** The waiting runs that can begin together, as one group. */
	#nextGroup(urgentOnly = false): (() => Promise<void>) | undefined {
		const first = this.#starts.find((run) => run.isUrgent) ?? this.#starts[0];
		if (first === undefined || (urgentOnly && !first.isUrgent)) return undefined;
		let open = 0;
		for (const group of this.#groups) open += group.rows;
		if (!first.isUrgent && open > 0 && open + first.rows > this.#maxRows) return undefined;
		const chosen: JoinedRun[] = [];
		for (const run of [first, ...this.#starts.filter((one) => one !== first)]) {
			if (!run.joins(first) || (chosen.length > 0 && open + run.rows > this.#maxRows)) continue;
			chosen.push(run);
			open += run.rows;
			if (!this.model.batchInvariant) break;
		}
		this.#starts = this.#starts.filter((run) => !chosen.includes(run));
		return async () => {
			let group: JoinedGroup;
			try {
				group = new JoinedGroup(this, chosen);
			} catch (error) {
				for (const run of chosen) run.fail(error);
				return;
			}
			this.#groups.add(group);
			await group.step();
		};
	}
}
