/** Streamed answers: the JSON of their events, and what it means when they stop before their end. */

import { errorOfBody } from './errorBody.ts';
import { AppError } from './errors.ts';
import { bytesOf, readEvents } from './sse.ts';

/** What a stream carries, in the words of people. */
export type StreamedWork = 'answer' | 'batch' | 'build' | 'download' | 'recording';

/** The model server of this computer stopped before a stream was at its end. */
export function streamCut(work: StreamedWork, cause?: unknown): AppError {
	const again =
		work === 'download' || work === 'build' ? 'it goes on where it stopped' : 'a new server starts';
	return new AppError(
		'daemon_unavailable',
		`The model server ended in the middle of the ${work}. Try again: ${again}.`,
		{ cause },
	);
}

export interface StreamReading {
	/** The error for a stream that stops before its end; none when all has come that was to come. */
	readonly cut: (cause?: unknown) => AppError | undefined;
	readonly signal?: AbortSignal | undefined;
}

/**
 * The JSON of every server-sent event of an answer up to `[DONE]`; an error event is thrown as what it says. Of
 * streams without `[DONE]` the reader knows the last event, and leaves there. Anything else is a stream that was
 * cut off, however politely the connection was closed.
 */
export async function* streamEvents<E = Record<string, unknown>>(
	response: Response,
	{ cut, signal }: StreamReading,
): AsyncGenerator<E, void, undefined> {
	let cause: unknown;
	try {
		for await (const { data } of readEvents(bytesOf(response))) {
			if (data === '[DONE]') return;
			const event = JSON.parse(data) as { readonly error?: unknown };
			if (event.error !== undefined) throw errorOfEvent(event);
			yield event as E;
		}
	} catch (error) {
		if (error instanceof AppError) throw error;
		cause = error;
	}
	const error = cut(cause);
	if (error) throw signal?.aborted ? new AppError('cancelled', undefined, { cause }) : error;
}

const errorOfEvent = (event: unknown) =>
	errorOfBody(event, 500) ??
	new AppError('internal', 'The server reported a failure in a form that is not understood.');
