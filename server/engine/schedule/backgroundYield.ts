/** Background work beside that of people: it rests while somebody waits for a first token, and never for ever. */

import { Expectation } from '../queue/expectation.ts';
import type { PlannedItem } from './planBatch.ts';
import type { Sequence } from './sequence.ts';

/** After so many runs in which background work rested, and so long a time, one has all of it. */
const maxRested = 8;
const maxRestedMs = 100;
/** Runs of background work that may be ended in a row; the next one is let through. */
const maxInterrupted = 2;
/** A run of fewer tokens, which is over before this time, is over sooner than it is ended. */
const minInterrupted = 16;
const minInterruptedMs = 12;

interface BackgroundRun {
	readonly controller: AbortController;
	readonly plan: readonly PlannedItem[];
	/** When it will be over, as far as anybody can say, in the clock of `performance.now()`. */
	readonly endsAt: number;
}

export class BackgroundYield {
	#rested = 0;
	#interrupted = 0;
	/** When it began to rest, in the clock of `performance.now()`. */
	#restedSince = 0;
	readonly #expectation = new Expectation();

	/** Somebody is about to hand in a request. */
	expect(): Disposable {
		return this.#expectation.expect();
	}

	/** Waits for who is expected, before a run that has background work alone. @returns whether it has waited */
	async waits(runQueue: readonly Sequence[]): Promise<boolean> {
		return runQueue.every(({ isBackground }) => isBackground) && (await this.#expectation.waits());
	}

	/**
	 * What of the run queue may be in the next run, people first. Streams of both share their runs where there are places
	 * left; prompts of background work are not read beside people, and nothing of it runs before those have their first
	 * text.
	 * @param maxBatchSize sequences of a run; where it is 1, there is nothing to share
	 */
	choose(runQueue: readonly Sequence[], maxBatchSize: number): readonly Sequence[] {
		const people = runQueue.filter(({ isBackground }) => !isBackground);
		if (people.length === 0 || people.length === runQueue.length) {
			this.#rested = 0;
			return runQueue;
		}
		const background = runQueue.filter(({ isBackground }) => isBackground);
		const isFull =
			people.length >= maxBatchSize ||
			people.some(({ isAwaited, isDecoding }) => isAwaited || !isDecoding);
		const shared = isFull ? [] : background.filter(({ isDecoding }) => isDecoding);
		if (shared.length === background.length) return [...people, ...shared];
		if (this.#rested === 0) this.#restedSince = performance.now();
		if (++this.#rested <= maxRested || performance.now() - this.#restedSince < maxRestedMs)
			return [...people, ...shared];
		this.#rested = 0;
		return maxBatchSize === 1 ? background : [...background, ...people];
	}

	/** Somebody has handed in a request: whoever else is expected does not hold it up. */
	came(run: BackgroundRun | undefined): void {
		this.makeWay(run);
		this.#expectation.came();
	}

	/**
	 * Ends a run that only background work is in: it keeps the processor from somebody who comes. Its caches are as they
	 * were before it, and its tokens are computed again later.
	 */
	makeWay(run: BackgroundRun | undefined): void {
		if (run === undefined || run.controller.signal.aborted) return;
		const tokens = run.plan.reduce((sum, { item }) => sum + item.tokens.length, 0);
		const isShort = tokens < minInterrupted && run.endsAt - performance.now() < minInterruptedMs;
		if (isShort || this.#interrupted >= maxInterrupted) return;
		if (!run.plan.every(({ sequence }) => sequence.isBackground)) return;
		this.#interrupted++;
		run.controller.abort();
	}

	/** A run has come to its end. */
	ran(): void {
		this.#interrupted = 0;
		this.#expectation.ran();
	}
}
