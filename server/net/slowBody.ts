/** Bodies of requests that come too slowly to be meant: each would hold its connection for nothing. */

import type { IncomingMessage } from 'node:http';
import { onClose } from './onClose.ts';

/** Half of what the thriftiest codec makes of speech, and more than pauses of a recording without sound do. */
export const minBodyBytesPerS = 64;
/** Time over which that is judged; a pause may be as long. */
export const bodyWindowMs = 20_000;

/**
 * Calls `onSlow` once when a window brings less than the least rate, unless somebody here did not take what came:
 * then the sender is not what is slow.
 *
 * @returns ends the watch
 */
export function watchBody(
	request: IncomingMessage,
	onSlow: () => void,
	windowMs = bodyWindowMs,
): () => void {
	if (!announcesBody(request)) return () => {};
	const { socket } = request;
	let before = socket.bytesRead;
	let held = false;
	const hold = () => {
		held = true;
	};
	const timer = setInterval(() => {
		const came = socket.bytesRead - before;
		const taken = !held && !request.isPaused() && request.readableLength === 0;
		[before, held] = [socket.bytesRead, request.isPaused()];
		if (request.complete || request.destroyed) stop();
		else if (taken && came < (minBodyBytesPerS * windowMs) / 1000) {
			stop();
			onSlow();
		}
	}, windowMs).unref();
	const stop = () => {
		clearInterval(timer);
		request.off('pause', hold);
	};
	request.on('pause', hold);
	onClose(request, stop);
	return stop;
}

function announcesBody({ headers }: IncomingMessage): boolean {
	return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
