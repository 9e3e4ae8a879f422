/** How much of bodies that arrive, or wait to be parsed, the daemon holds: many large ones at once are refused. */

import { AppError } from '../protocol/index.ts';

/** Of all requests together. */
const maxHeldBytes = 96 * 1024 * 1024;
const retryAfterS = 5;

let all = 0;

/** What one request holds, until it is disposed of. */
export class HeldBytes implements Disposable {
	#own = 0;

	/** @throws AppError `overloaded` */
	add(bytes: number): void {
		if (all + bytes > maxHeldBytes)
			throw new AppError(
				'overloaded',
				'Too many large bodies are arriving at once. Send this one again later.',
				{ retryAfterS },
			);
		all += bytes;
		this.#own += bytes;
	}

	[Symbol.dispose](): void {
		all -= this.#own;
		this.#own = 0;
	}
}
