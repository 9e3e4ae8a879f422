/** Server-sent events of a response body, event by event (WHATWG HTML, 9.2). */

import { createParser } from 'eventsource-parser';
import { AppError } from './errors.ts';

export interface ServerSentEvent {
	/** `message` unless the stream names one. */
	readonly event: string;
	readonly data: string;
}

/** Characters of an event that has not ended: far more than the longest transcript takes. */
const maxEventLength = 64 << 20;

/**
 * Yields the events of a byte stream. An unfinished last event is dropped, as the standard says.
 *
 * @throws AppError `upstream_failed` for an event, or a line, that does not end
 */
export async function* readEvents(
	body: AsyncIterable<Uint8Array>,
	maxLength = maxEventLength,
): AsyncGenerator<ServerSentEvent, void, undefined> {
	const decoder = new TextDecoder();
	const events: ServerSentEvent[] = [];
	let isTooLong = false;
	const parser = createParser({
		maxBufferSize: maxLength,
		onEvent: ({ event = 'message', data }) => events.push({ event, data }),
		onError: ({ type }) => {
			isTooLong = type === 'max-buffer-size-exceeded';
		},
	});
	for await (const chunk of body) {
		parser.feed(decoder.decode(chunk, { stream: true }));
		yield* events.splice(0);
		if (isTooLong)
			throw new AppError(
				'upstream_failed',
				`The server sends an event of more than ${maxLength} characters, which is not read. Try again; if it stays so, check which server answers there.`,
			);
	}
}

/** The bytes of an answer. Not every browser can iterate over a stream itself. */
export async function* bytesOf({
	body,
}: Pick<Response, 'body'>): AsyncGenerator<Uint8Array, void, undefined> {
	const reader = body?.getReader();
	if (!reader) return;
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			yield value;
		}
	} finally {
		await reader.cancel().catch(() => undefined);
	}
}
