/** Counts what holds caches of an encoder-decoder: rows of runs that have not been released. */

import type { DecoderRun, EncoderDecoder } from './encoderDecoder.ts';

/** The model with its runs counted. */
export function countRuns(model: EncoderDecoder): {
	readonly model: EncoderDecoder;
	/** Rows that hold caches now. */
	openRows(): number;
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
		openRows: () => [...open].reduce((sum, { rows }) => sum + rows, 0),
	};
}

class CountedRun implements DecoderRun {
	readonly #run: DecoderRun;
	readonly #onRelease: () => void;

	constructor(run: DecoderRun, onRelease: () => void) {
		this.#run = run;
		this.#onRelease = onRelease;
	}

	get rows(): number {
		return this.#run.rows;
	}

	get length(): number {
		return this.#run.length;
	}

	get itemOfRow(): readonly number[] {
		return this.#run.itemOfRow;
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
