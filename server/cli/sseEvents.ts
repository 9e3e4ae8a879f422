/** Events of a streamed answer of the daemon, for commands that show progress. */

import { errorFromBody } from '../daemon/connection.ts';
import { AppError, readEvents } from '../protocol/index.ts';

/**
 * Yields the JSON of every event; an error event is thrown as what it says, a connection that broke as
 * what `cut` makes of it. Whether a stream that ends has said everything, its reader knows.
 */
export async function* sseEvents(
	response: Response,
	cut: (cause: unknown) => AppError = textCut,
): AsyncGenerator<Record<string, unknown>> {
	const events = readEvents(response.body ?? new Blob([]).stream());
	for (;;) {
		let value: Record<string, unknown>;
		try {
			const next = await events.next();
			if (next.done) return;
			if (next.value.data === '[DONE]') continue;
			value = JSON.parse(next.value.data) as Record<string, unknown>;
		} catch (error) {
			throw cut(error);
		}
		if (value['error'] !== undefined) throw errorFromBody(value);
		yield value;
	}
}

/** The daemon stopped before it had written down all it heard. */
export function textCut(cause?: unknown): AppError {
	return new AppError(
		'daemon_unavailable',
		'The daemon ended before the text was complete. Run it again: a new one starts.',
		{ cause },
	);
}
