/**
 * The daemon's named pipe (Unix socket elsewhere): JSON-RPC 2.0 with `Content-Length` headers, as
 * language servers speak it. Both sides prove that they know the secret of `endpoint.json`, the server first:
 * `prove {challenge}` is answered with `{proof, challenge}`, and `authenticate {proof}` makes a client one that is
 * notified of everything that changes; while it is connected the daemon stays.
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
import { isProof, maxChallengeChars, newChallenge, proofOf } from './daemonProof.ts';
import { notificationOf, type PipeEvent } from './pipeEvents.ts';

export interface PipeServer {
	notify(event: PipeEvent): void;
	/** Connected clients that have proved themselves. */
	readonly clients: number;
	close(): Promise<void>;
}

export interface PipeOptions {
	readonly path: string;
	/** That of `endpoint.json`. */
	readonly secret: string;
	readonly version: string;
	readonly onJoin: () => void;
	readonly onLeave: () => void;
}

/** Time a client has to prove itself, and bytes it may send before it has. */
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
	const refuse = (message: string) => {
		writer.endAfterNext();
		throw new ResponseError(errorKinds.invalid_api_key.rpcCode, message);
	};
	const challenge = newChallenge();
	connection.onRequest('prove', (params: unknown) => {
		const given = fieldOf(params, 'challenge');
		if (typeof given !== 'string' || given === '' || given.length > maxChallengeChars)
			return refuse(`'challenge' must be a text of 1 to ${maxChallengeChars} characters.`);
		return { proof: proofOf(options.secret, 'server', given), challenge };
	});
	connection.onRequest('authenticate', (params: unknown) => {
		if (!isProof(fieldOf(params, 'proof'), options.secret, 'client', challenge))
			return refuse(
				"This does not prove that the client knows this model server's secret. It stands in endpoint.json of its data folder, newly with each start.",
			);
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

const fieldOf = (params: unknown, name: string): unknown =>
	typeof params === 'object' && params !== null ? Reflect.get(params, name) : undefined;
