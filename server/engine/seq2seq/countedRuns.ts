/** Counts what holds caches of an encoder-decoder: sequences of runs that have not been released. */

import type { DecoderRun, EncoderDecoder } from './encoderDecoder.ts';

/** The model with its runs counted. */
export function countRuns(model: EncoderDecoder): {
	readonly model: EncoderDecoder;
	/** Sequences that hold caches now. */
	openSequences(): number;
} {
	const open = new Set<DecoderRun>();
	return {
		model: {
			...model,
			start: (encoded, options) => {
				const run = new CountedRun(model.start(encoded, options), () => open.delete(run));
				open.add(run);
				return run;
			},
		},
		openSequences: () => [...open].reduce((sum, { batchSize }) => sum + batchSize, 0),
	};
}

class CountedRun implements DecoderRun {
	readonly #run: DecoderRun;
	readonly #onRelease: () => void;

	constructor(run: DecoderRun, onRelease: () => void) {
		this.#run = run;
		this.#onRelease = onRelease;
	}

	get batchSize(): number {
		return this.#run.batchSize;
	}

	get length(): number {
		return this.#run.length;
	}

	get itemOfSequence(): readonly number[] {
		return this.#run.itemOfSequence;
	}

	feed: DecoderRun['feed'] = (tokens, signal) => this.#run.feed(tokens, signal);

	select(parents: readonly number[]): void {
		this.#run.select(parents);
	}

	release(): void {
		this.#onRelease();
		this.#run.release();
	}
}
