/** The app behind the layer: remembers every head it sees and answers with it. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface SeenRequest {
	readonly method: string;
	readonly url: string;
	readonly rawHeaders: readonly string[];
	readonly upgrade: boolean;
	body: string;
	aborted: boolean;
	/** All values of a header, lower-case name. */
	values(name: string): string[];
}

export type Handler = (
	request: IncomingMessage,
	response: ServerResponse,
	seen: SeenRequest,
) => void;

export class TestApp implements AsyncDisposable {
	readonly seen: SeenRequest[] = [];
	/** Answers instead of the echo when set. */
	handler: Handler | undefined;
	readonly #server = createServer({ maxHeaderSize: 16 * 1024 });
	readonly #sockets = new Set<Duplex>();

	constructor() {
		this.#server.on('connection', (socket) => {
			this.#sockets.add(socket);
			socket.once('close', () => this.#sockets.delete(socket));
		});
		this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
			const seen = this.#note(request, false);
			response.once('close', () => {
				seen.aborted = !response.writableFinished;
			});
			if (this.handler) this.handler(request, response, seen);
			else {
				request.on('data', (chunk: Buffer) => {
					seen.body += chunk.toString('latin1');
				});
				request.on('end', () => {
					response.setHeader('Content-Type', 'application/json');
					response.end(
						JSON.stringify({
							method: seen.method,
							url: seen.url,
							headers: seen.rawHeaders,
							length: seen.body.length,
						}),
					);
				});
			}
		});
		this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
			this.#note(request, true);
			socket.on('error', () => socket.destroy());
			socket.write(
				'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-MS-CLIENT-PRINCIPAL-ID: evil\r\n\r\n',
			);
			socket.on('data', (chunk: Buffer) => socket.write(chunk));
			socket.on('end', () => socket.end());
		});
	}

	async listen(port = 0): Promise<void> {
		await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	get last(): SeenRequest {
		const last = this.seen.at(-1);
		if (!last) throw new Error('the app saw no request');
		return last;
	}

	#note(request: IncomingMessage, upgrade: boolean): SeenRequest {
		const rawHeaders = request.rawHeaders;
		const seen: SeenRequest = {
			method: request.method ?? '',
			url: request.url ?? '',
			rawHeaders,
			upgrade,
			body: '',
			aborted: false,
			values: (name) =>
				rawHeaders.filter(
					(_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name,
				),
		};
		this.seen.push(seen);
		return seen;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		await new Promise<void>((resolve) => this.#server.close(() => resolve()));
	}
}
