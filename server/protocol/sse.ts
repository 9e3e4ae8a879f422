/** Server-sent events of a response body, event by event (WHATWG HTML, 9.2). */

export interface ServerSentEvent {
	/** `message` unless the stream names one. */
	readonly event: string;
	readonly data: string;
}

/**
 * Yields the events of a byte stream. Handles `\n`, `\r\n` and `\r`, several `data:` lines, comments
 * and characters cut by chunk borders. An unfinished last event is dropped, as the standard says.
 */
export async function* readEvents(
	body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
	const decoder = new TextDecoder();
	/** Of the line that has not ended. */
	let parts: string[] = [];
	let hold = '';
	let event = 'message';
	let data: string[] = [];
	for await (const chunk of body) {
		const text = hold + decoder.decode(chunk, { stream: true });
		let start = 0;
		for (;;) {
			const end = lineEnd(text, start);
			if (end === undefined) break;
			const line = parts.join('') + text.slice(start, end.at);
			parts = [];
			start = end.next;
			if (line === '') {
				if (data.length > 0) yield { event, data: data.join('\n') };
				event = 'message';
				data = [];
				continue;
			}
			const [field, value] = splitField(line);
			if (field === 'data') data.push(value);
			else if (field === 'event') event = value;
		}
		hold = text.endsWith('\r') ? '\r' : '';
		parts.push(text.slice(start, text.length - hold.length));
	}
}

function lineEnd(text: string, from: number): { at: number; next: number } | undefined {
	for (let index = from; index < text.length; index++) {
		if (text[index] === '\n') return { at: index, next: index + 1 };
		if (text[index] === '\r') {
			// A chunk may end between \r and \n.
			if (index + 1 === text.length) return undefined;
			return { at: index, next: text[index + 1] === '\n' ? index + 2 : index + 1 };
		}
	}
	return undefined;
}

function splitField(line: string): [string, string] {
	const colon = line.indexOf(':');
	if (colon === -1) return [line, ''];
	const value = line.slice(colon + 1);
	return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

/** The bytes of an answer. Not every browser can iterate over a stream itself. */
export async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array, void, undefined> {
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
