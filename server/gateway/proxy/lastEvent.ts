/** A stream of events that this server's own end cuts short says so in a last event. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody } from '../../protocol/errors.ts';
import { asAppError } from '../../protocol/errorWire.ts';

/**
 * Watches a stream of events on its way from the app to the client; other answers are left alone. When `over`
 * is aborted, it ends after the event that is under way.
 *
 * @returns ends the watch
 */
export function endWithEvent(
	answer: IncomingMessage,
	response: ServerResponse,
	over: AbortSignal,
): () => void {
	const { headers } = answer;
	const isEvents = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
	// Nothing can be added to what is compressed or counted.
	if (!isEvents || headers['content-encoding'] || headers['content-length']) return () => {};
	let tail = '';
	const end = () => {
		if (!/^$|(\n\n|\r\r|\r\n\r\n)$/.test(tail) || response.writableEnded) return;
		answer.unpipe(response);
		response.end(`data: ${JSON.stringify(errorBody(asAppError(over.reason)))}\n\n`);
	};
	const note = (chunk: Buffer) => {
		tail = (tail + chunk.subarray(-4).toString('latin1')).slice(-4);
		// The pipe has not written this piece yet.
		if (over.aborted) setImmediate(end);
	};
	answer.on('data', note);
	over.addEventListener('abort', end, { once: true });
	return () => over.removeEventListener('abort', end);
}
