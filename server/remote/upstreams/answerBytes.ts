/** The bytes of an engine's answer as they were meant, however they were packed and labelled. */

import { bytesOf } from '../../protocol/sse.ts';

const unpackable: ReadonlyMap<string, 'gzip' | 'deflate'> = new Map([
	['gzip', 'gzip'],
	['x-gzip', 'gzip'],
	['deflate', 'deflate'],
]);

/** Unpacked, should something on the way have compressed them though it was asked not to. */
export function plainBytes(response: Response): AsyncIterable<Uint8Array> {
	const encoding = response.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
	const format = unpackable.get(encoding);
	if (format === undefined || response.body === null) return bytesOf(response);
	return bytesOf({ body: response.body.pipeThrough(new DecompressionStream(format)) });
}

/** How an answer begins that is a stream of events (WHATWG HTML, 9.2.5), white space before it left out. */
const eventLine = /^(?::|(?:data|event|id|retry)(?::|\r|\n|$))/;
const prefixLength = 6;
/** White space before an answer, in bytes, after which its label counts. */
const maxBlank = 65_536;

/**
 * Whether an answer is a stream of events, by what stands in it: labels are wrong now and then.
 *
 * @param contentType what the answer says of itself; it counts where nothing else tells
 * @returns with all bytes, those that were looked at among them
 */
export async function detectForm(
	bytes: AsyncIterable<Uint8Array>,
	contentType: string,
): Promise<{ readonly isEvents: boolean; readonly bytes: AsyncIterable<Uint8Array> }> {
	const rest = bytes[Symbol.asyncIterator]();
	const held: Uint8Array[] = [];
	const decoder = new TextDecoder();
	let begin = '';
	let size = 0;
	while (begin.length < prefixLength && size < maxBlank) {
		const { done, value } = await rest.next();
		if (done) break;
		held.push(value);
		size += value.length;
		begin = (begin + decoder.decode(value, { stream: true })).trimStart().slice(0, prefixLength);
	}
	const isLabelled = /event-stream/i.test(contentType);
	return {
		isEvents: begin.startsWith('{') ? false : isLabelled || eventLine.test(begin),
		bytes: again(held, rest),
	};
}

async function* again(held: Uint8Array[], rest: AsyncIterator<Uint8Array>) {
	try {
		while (held.length > 0) yield held.shift() as Uint8Array;
		for (;;) {
			const { done, value } = await rest.next();
			if (done) return;
			yield value;
		}
	} finally {
		await rest.return?.();
	}
}
