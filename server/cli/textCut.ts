/** What a stream of text means that broke off. */

import { AppError } from '../protocol/index.ts';

/** The daemon stopped before it had written down all it heard. */
export function textCut(cause?: unknown): AppError {
	return new AppError(
		'daemon_unavailable',
		'The daemon ended before the text was complete. Run it again: a new one starts.',
		{ cause },
	);
}
