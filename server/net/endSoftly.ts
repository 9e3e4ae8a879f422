/** The soft end of an HTTP server: new ones are sent elsewhere, what runs may finish, the rest hears why not. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Ending } from './ending.ts';
import { onClose } from './onClose.ts';

/** Time the port stays open for those who choose by the readiness to notice. */
const noticeMs = 5000;
/** Time that kept connections get for one more request, whose answer closes them. */
const lastRequestMs = 1000;
/** Time that last events get to reach their readers. */
const lastWordsMs = 1000;
/** A kept connection turns idle only when its last answer is out. */
const sweepMs = 100;

/** Ends the server; running requests get the given time, 0 = none. Resolves when no connection is left. */
export type EndSoftly = (drainMs: number) => Promise<void>;

/**
 * Watches a server from its start on, so that it can be ended softly. `onSweep` is called again and again
 * while running requests finish.
 */
export function softEnd(server: Server, ending: Ending, onSweep: () => void = () => {}): EndSoftly {
	const open = new Set<ServerResponse>();
	const sockets = new Set<Socket>();
	const note = (_request: IncomingMessage, response: ServerResponse) => {
		open.add(response);
		onClose(response, () => open.delete(response));
		if (ending.begun) response.shouldKeepAlive = false;
	};
	server.prependListener('request', note);
	server.prependListener('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
		if (server.listenerCount('checkContinue') > 1) return note(request, response);
		// Node asks for the body itself only while nobody listens.
		response.writeContinue();
		server.emit('request', request, response);
	});
	server.on('connection', (socket: Socket) => {
		sockets.add(socket);
		onClose(socket, () => sockets.delete(socket));
	});
	const cut = () => {
		server.closeAllConnections();
		// Upgraded connections are no longer the server's.
		for (const socket of sockets) socket.destroy();
	};

	return async (drainMs) => {
		const started = performance.now();
		const passed = () => performance.now() - started;
		ending.begin();
		for (const response of open) response.shouldKeepAlive = false;
		const notice = Math.min(drainMs, ending.probed ? noticeMs : lastRequestMs);
		await sweepUntil(() => passed() >= notice || (!ending.probed && sockets.size === 0), onSweep);
		const closed = new Promise<void>((resolve) => server.close(() => resolve()));
		const leftMs = Math.max(0, drainMs - passed());
		if (leftMs === 0) ending.end();
		const over = setTimeout(() => ending.end(), leftMs);
		const last = setTimeout(cut, leftMs + lastWordsMs);
		const sweep = setInterval(() => {
			server.closeIdleConnections();
			onSweep();
		}, sweepMs);
		await closed;
		clearTimeout(over);
		clearTimeout(last);
		clearInterval(sweep);
		ending.end();
	};
}

async function sweepUntil(isDone: () => boolean, onSweep: () => void): Promise<void> {
	while (!isDone()) {
		onSweep();
		await new Promise((resolve) => setTimeout(resolve, sweepMs));
	}
}
