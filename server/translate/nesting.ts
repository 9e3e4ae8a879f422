/** How deep markup may be nested: parsers take time with the square of the depth. */

import { AppError } from '../protocol/errors.ts';

/** Browsers stop at 512; tags that nobody closes may be some thousands. */
const maxDepth = 4000;

/** The answer to a text whose nesting nobody can have meant. */
export function nestedTooDeeply(cause?: unknown): AppError {
	return new AppError(
		'invalid_request',
		'The text is nested too deeply, or one of its lines is too long. Send it in smaller parts.',
		{ param: 'text', cause },
	);
}

/** Counts the elements that are open. */
export class Nesting {
	#depth = 0;

	/** Throws `invalid_request` when too many are. */
	open(): void {
		if (++this.#depth > maxDepth) throw nestedTooDeeply();
	}

	close(): void {
		this.#depth--;
	}
}
