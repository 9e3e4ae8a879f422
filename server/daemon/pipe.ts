/**
 * The daemon's named pipe (Unix socket elsewhere): JSON-RPC 2.0 with `Content-Length` headers, as
 * language servers speak it. A client asks `authenticate {key}` and is then notified of everything
 * that changes; while it is connected the daemon stays.
 */

import { chmod } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import {
	createMessageConnection,
	type Message,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { errorKinds } from '../protocol/index.ts';
import { unwritable } from '../store/files.ts';
import { removePath } from '../store/movePath.ts';
import { isApiKeyValid } from './keyCheck.ts';
import { notificationOf, type PipeEvent } from './pipeEvents.ts';

export interface PipeServer {
	notify(event: PipeEvent): void;
	/** Connected clients that know the key. */
	readonly clients: number;
	close(): Promise<void>;
}

export interface PipeOptions {
	readonly path: string;
	readonly key: string;
	readonly version: string;
	readonly onJoin: () => void;
	readonly onLeave: () => void;
}

/** Time a client has to say the key, and bytes it may send before it has. */
const authTimeoutMs = 5000;
const maxUnauthenticatedBytes = 4096;
/** A client that does not read must not fill our memory. */
const maxBufferedBytes = 1 << 20;

/** Hangs up once the answer that says why is written. */
class ClosingWriter extends StreamMessageWriter {
	readonly #socket: Socket;
	#ends = false;

	constructor(socket: Socket) {
		super(socket);
		this.#socket = socket;
	}

	endAfterNext(): void {
		this.#ends = true;
	}

	override async write(message: Message): Promise<void> {
		await super.write(message);
		if (this.#ends) this.#socket.end();
	}
}

type Notify = (event: PipeEvent) => void;

export async function openPipe(options: PipeOptions): Promise<PipeServer> {
	const subscribers = new Map<Socket, Notify>();
	const open = new Set<Socket>();
	const server = createServer((socket) => {
		open.add(socket);
		socket.on('error', () => {});
		serveClient(socket, options, subscribers);
		socket.on('close', () => {
			open.delete(socket);
			if (subscribers.delete(socket)) options.onLeave();
		});
	});
	const isFile = !options.path.startsWith('\\\\');
	// The holder of the daemon's lock owns the socket, so a stale one may be removed.
	if (isFile) await removePath(options.path, { force: true });
	const umask = isFile ? process.umask(0o077) : undefined;
	try {
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject);
			server.listen(options.path, resolve);
		});
	} catch (error) {
		throw unwritable(options.path, error);
	} finally {
		if (umask !== undefined) process.umask(umask);
	}
	if (isFile) await chmod(options.path, 0o600).catch(() => {});
	return {
		notify: (event) => {
			for (const notify of subscribers.values()) notify(event);
		},
		get clients() {
			return subscribers.size;
		},
		close: async () => {
			for (const socket of open) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

function serveClient(socket: Socket, options: PipeOptions, subscribers: Map<Socket, Notify>): void {
	const writer = new ClosingWriter(socket);
	const connection = createMessageConnection(new StreamMessageReader(socket), writer);
	const timer = setTimeout(() => socket.destroy(), authTimeoutMs);
	const limit = () => {
		if (!subscribers.has(socket) && socket.bytesRead > maxUnauthenticatedBytes) socket.destroy();
	};
	socket.on('data', limit);
	socket.on('close', () => {
		clearTimeout(timer);
		connection.dispose();
	});
	connection.onError(() => socket.destroy());
	connection.onRequest('authenticate', (params: unknown) => {
		if (!isApiKeyValid(params, options.key)) {
			writer.endAfterNext();
			throw new ResponseError(
				errorKinds.invalid_api_key.rpcCode,
				'The key is not the one of this model server. It stands in endpoint.json of its data folder, newly with each start.',
			);
		}
		clearTimeout(timer);
		socket.off('data', limit);
		if (!subscribers.has(socket)) {
			options.onJoin();
			subscribers.set(socket, (event) => {
				if (socket.writableLength > maxBufferedBytes) return;
				const { method, params: facts } = notificationOf(event);
				// A client that has just gone is taken off the list by its `close`.
				connection.sendNotification(method, facts).catch(() => {});
			});
		}
		return { pid: process.pid, version: options.version };
	});
	connection.listen();
}
