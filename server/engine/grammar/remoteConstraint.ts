/** A position in a grammar that a thread follows; the mask is in memory that both see. */

import { AppError } from '../../protocol/index.ts';
import type { TokenConstraint } from '../sample/constraint.ts';
import { positionFields } from './grammarMessages.ts';

/** Longest time to the next mask; a usual grammar takes less than a millisecond. */
const maxStepMs = 2000;

/** What happens in the thread. */
export interface RemoteSteps {
	accept(token: number): void;
	rollback(count: number): void;
	dispose(): void;
	/** The thread takes too long for a step, or is gone; gives the error to fail with. */
	stuck(): AppError;
}

/** Memory of a position over a vocabulary. */
export function newPosition(vocabularySize: number): SharedArrayBuffer {
	return new SharedArrayBuffer((positionFields.mask + Math.ceil(vocabularySize / 32)) * 4);
}

export class RemoteConstraint implements TokenConstraint {
	readonly #position: Int32Array;
	readonly #mask: Int32Array;
	readonly #steps: RemoteSteps;
	/** Changes that were asked for; the first is the start itself. */
	#requested = 1;
	#disposed = false;

	constructor(position: SharedArrayBuffer, steps: RemoteSteps) {
		this.#position = new Int32Array(position);
		this.#mask = this.#position.subarray(positionFields.mask);
		this.#steps = steps;
	}

	mask(): Int32Array {
		this.#wait();
		return this.#mask;
	}

	accept(tokenId: number): boolean {
		this.#wait();
		const isAllowed = (((this.#mask[tokenId >> 5] ?? 0) >>> (tokenId & 31)) & 1) === 1;
		if (!isAllowed) return false;
		this.#requested++;
		this.#steps.accept(tokenId);
		return true;
	}

	rollback(count: number): void {
		if (count <= 0) return;
		this.#requested++;
		this.#steps.rollback(count);
	}

	isTerminated(): boolean {
		this.#wait();
		return this.#position[positionFields.isTerminated] === 1;
	}

	dispose(): void {
		if (this.#disposed) return;
		this.#disposed = true;
		this.#steps.dispose();
	}

	#wait(): void {
		if (this.#disposed) throw new AppError('internal', 'The grammar of this answer is gone.');
		const { changes } = positionFields;
		for (;;) {
			const done = Atomics.load(this.#position, changes);
			if (done === this.#requested) return;
			if (Atomics.wait(this.#position, changes, done, maxStepMs) === 'timed-out')
				throw this.#steps.stuck();
		}
	}
}
