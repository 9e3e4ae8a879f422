/** Background work beside that of people: it rests while somebody waits for a first token, and never for ever. */

import type { PlannedItem } from './planBatch.ts';
import type { Sequence } from './sequence.ts';

/** After so many runs in which background work rested, one has all of it. */
const maxRested = 8;
/** Runs of background work that may be ended in a row; the next one is let through. */
const maxInterrupted = 2;
/** A run of fewer tokens is over sooner than it is ended. */
const minInterrupted = 16;

/** So long a run of background work waits for somebody whose prompt is being read, and so often in a row. */
const maxExpectedMs = 20;
const maxWaited = 2;

export class BackgroundYield {
	#rested = 0;
	#interrupted = 0;
	#waited = 0;
	#expected = 0;
	#wake: (() => void) | undefined;

	/** Somebody is about to hand in a request: until that is disposed, runs of background work wait a little. */
	expect(): Disposable {
		let isExpected = true;
		this.#expected++;
		return {
			[Symbol.dispose]: () => {
				if (!isExpected) return;
				isExpected = false;
				if (--this.#expected === 0) this.#wake?.();
			},
		};
	}

	/** Waits for who is expected, before a run that has background work alone. @returns whether it has waited */
	async waits(runQueue: readonly Sequence[]): Promise<boolean> {
		if (this.#expected === 0 || this.#waited >= maxWaited) return false;
		if (runQueue.some(({ isBackground }) => !isBackground)) return false;
		this.#waited++;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, maxExpectedMs);
			this.#wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
		this.#wake = undefined;
		return true;
	}

	/**
	 * What of the run queue may be in the next run. Streams of both share their runs; prompts of background work are
	 * not read beside people, and nothing of it runs before those have their first token.
	 * @param isSerial a run has one sequence, so there is nothing to share
	 */
	choose(runQueue: readonly Sequence[], isSerial: boolean): readonly Sequence[] {
		const people = runQueue.filter(({ isBackground }) => !isBackground);
		if (people.length === 0 || people.length === runQueue.length) {
			this.#rested = 0;
			return runQueue;
		}
		const isAlone = isSerial || people.some(({ isDecoding }) => !isDecoding);
		const chosen = runQueue.filter(
			({ isBackground, isDecoding }) => !isBackground || (isDecoding && !isAlone),
		);
		if (chosen.length === runQueue.length) return runQueue;
		if (++this.#rested <= maxRested) return chosen;
		this.#rested = 0;
		// Where one sequence runs at a time, the first of the queue does.
		return isSerial ? runQueue.filter(({ isBackground }) => isBackground) : runQueue;
	}

	/**
	 * Somebody has handed in a request: whoever else is expected does not hold it up.
	 * @param plan of the run that is under way
	 * @returns whether that is ended for it; its tokens are computed again later
	 */
	makesWay(plan: readonly PlannedItem[] | undefined): boolean {
		this.#wake?.();
		if (plan === undefined) return false;
		const tokens = plan.reduce((sum, { item }) => sum + item.tokens.length, 0);
		if (tokens < minInterrupted || this.#interrupted >= maxInterrupted) return false;
		if (!plan.every(({ sequence }) => sequence.isBackground)) return false;
		this.#interrupted++;
		return true;
	}

	/** A run has come to its end. */
	ran(): void {
		this.#interrupted = 0;
		this.#waited = 0;
	}
}
