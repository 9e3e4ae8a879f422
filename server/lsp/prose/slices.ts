/** Long work in slices, so that requests that come meanwhile are answered. */

import { AppError } from '../../protocol/index.ts';

/** Milliseconds of work without a pause. */
const sliceMs = 8;

/** Counts the time of one slice. */
export class Slices {
	/** Ends the work at its next pause. */
	readonly signal: AbortSignal | undefined;
	#startedAt = performance.now();

	constructor(signal?: AbortSignal) {
		this.signal = signal;
	}

	/** Whether it is time to pause. */
	get isOver(): boolean {
		return performance.now() - this.#startedAt > sliceMs;
	}

	/** Lets others have their turn. Throws `cancelled` when the work is no longer wanted. */
	async pause(): Promise<void> {
		await new Promise<void>((resolve) => setImmediate(resolve));
		if (this.signal?.aborted) throw new AppError('cancelled');
		this.#startedAt = performance.now();
	}
}
