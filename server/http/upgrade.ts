/**
 * Connections that become WebSockets. The request goes through the app like any other, guard and roles included;
 * a route that has `context.env.upgrade` may take the connection over instead of answering.
 */

import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Ending } from '../net/ending.ts';
import { onClose } from '../net/onClose.ts';
import { AppError, asAppError } from '../protocol/index.ts';
import type { AppEnv, Upgrade } from './env.ts';
import { errorResponse } from './httpErrors.ts';
import { keyProtocol } from './keyProtocol.ts';
import { settleTarget } from './settleTarget.ts';

type Fetch = (request: Request, env: AppEnv['Bindings']) => Response | Promise<Response>;

/** Serves upgrades of a server by its app. */
export function takeUpgrades(server: Server, fetch: Fetch, ending: Pick<Ending, 'over'>): void {
	server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
		if (!isWebSocket(request)) {
			withoutUpgrade(server, request, socket, head);
			return;
		}
		socket.on('error', () => socket.destroy());
		void serve(request, socket, head, fetch, ending).catch((error: unknown) =>
			refuse(socket, errorResponse(asAppError(error))),
		);
	});
}

const isWebSocket = ({ headers }: IncomingMessage) =>
	headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Clients of newer protocols offer them with each request (`Upgrade: h2c`) and are content with an answer that
 * does not take the offer up: the request is read again without it.
 */
function withoutUpgrade(
	server: Server,
	request: IncomingMessage,
	socket: Duplex,
	head: Buffer,
): void {
	const { method, url, httpVersion, rawHeaders } = request;
	const lines = [`${method} ${url} HTTP/${httpVersion}`];
	for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
		const name = rawHeaders[at] as string;
		if (!['upgrade', 'http2-settings'].includes(name.toLowerCase()))
			lines.push(`${name}: ${kept(name, rawHeaders[at + 1] as string)}`);
	}
	socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
	server.emit('connection', socket);
}

/** A header without the offer. */
function kept(name: string, value: string): string {
	if (name.toLowerCase() !== 'connection') return value;
	const rest = value.split(',').filter((part) => !/^\s*(upgrade|http2-settings)\s*$/i.test(part));
	return rest.length === 0 ? 'keep-alive' : rest.join(',');
}

async function serve(
	request: IncomingMessage,
	socket: Duplex,
	head: Buffer,
	fetch: Fetch,
	ending: Pick<Ending, 'over'>,
): Promise<void> {
	settleTarget(request);
	const gone = new AbortController();
	const end = () => gone.abort(ending.over.reason);
	if (ending.over.aborted) end();
	ending.over.addEventListener('abort', end, { once: true });
	onClose(socket, () => {
		ending.over.removeEventListener('abort', end);
		gone.abort();
	});
	let accepted = false;
	const upgrade: Upgrade = {
		socket,
		accept: async (maxBytes) => {
			const made = await handshake(request, socket, head, maxBytes, gone.signal);
			accepted = true;
			return made;
		},
	};
	const asked = new Request(`http://${request.headers.host ?? ''}${request.url ?? ''}`, {
		headers: headersOf(request),
		signal: gone.signal,
	});
	const answer = await fetch(asked, { incoming: request, upgrade } as AppEnv['Bindings']);
	if (!accepted) await refuse(socket, answer);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
	const headers = new Headers();
	for (let at = 0; at + 1 < rawHeaders.length; at += 2)
		headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
	return headers;
}

function handshake(
	request: IncomingMessage,
	socket: Duplex,
	head: Buffer,
	maxBytes: number,
	signal: AbortSignal,
): Promise<WebSocket> {
	const { method, headers } = request;
	const key = headers['sec-websocket-key'] ?? '';
	if (
		method !== 'GET' ||
		headers['sec-websocket-version'] !== '13' ||
		!/^[+/\d=A-Za-z]{24}$/.test(key)
	)
		throw new AppError(
			'invalid_request',
			'This is no handshake of a WebSocket: it takes a GET with Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key.',
		);
	const server = new WebSocketServer({
		noServer: true,
		clientTracking: false,
		perMessageDeflate: false,
		maxPayload: maxBytes,
		// A key is not repeated to anybody.
		handleProtocols: (offered) =>
			offered.has('realtime')
				? 'realtime'
				: ([...offered].find((name) => !name.startsWith(keyProtocol)) ?? false),
	});
	return new Promise((resolve, reject) => {
		const onGone = () => reject(new AppError('cancelled'));
		if (signal.aborted) onGone();
		signal.addEventListener('abort', onGone, { once: true });
		server.handleUpgrade(request, socket, head, (made) => {
			signal.removeEventListener('abort', onGone);
			resolve(made);
		});
	});
}

/** Answers in HTTP, and ends the connection. */
async function refuse(socket: Duplex, answer: Response): Promise<void> {
	if (socket.destroyed) return;
	const body = Buffer.from(await answer.arrayBuffer());
	const headers = new Headers(answer.headers);
	headers.set('content-length', String(body.length));
	headers.set('connection', 'close');
	const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
	const status = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`;
	const text = `${[status, ...lines].join('\r\n')}\r\n\r\n`;
	socket.end(Buffer.concat([Buffer.from(text, 'latin1'), body]));
	// Who goes on sending is not read.
	socket.resume();
	setTimeout(() => socket.destroy(), 2000).unref();
}
