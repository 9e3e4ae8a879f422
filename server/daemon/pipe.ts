/**
 * The daemon's named pipe (Unix socket elsewhere): JSON lines. A client says `{"key":…}` and is told
 * of every change of a model's state and of downloads; while it is connected the daemon stays.
 */

import { chmod, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { errno, unwritable } from './files.ts';

/** What is told over the pipe. */
export type PipeEvent =
	| { readonly type: 'hello'; readonly pid: number; readonly version: string }
	| { readonly type: 'model'; readonly model: string; readonly state: string }
	| {
			readonly type: 'download';
			readonly model: string;
			readonly file: string;
			/** 0…1 of the file. */
			readonly fileFraction: number;
			readonly doneBytes: number;
			readonly totalBytes: number;
			readonly bytesPerSecond: number;
			/** The name under which a client asked to be told. */
			readonly progressToken?: string;
	  };

export interface PipeServer {
	tell(event: PipeEvent): void;
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

/** Longest first line a client may send. */
const firstLineLimit = 1024;
const firstLineMs = 5000;

export async function openPipe(options: PipeOptions): Promise<PipeServer> {
	const joined = new Set<Socket>();
	const open = new Set<Socket>();
	const server = createServer((socket) => {
		open.add(socket);
		socket.setEncoding('utf8');
		socket.on('error', () => {});
		const timer = setTimeout(() => socket.destroy(), firstLineMs);
		let text = '';
		const onData = (chunk: string) => {
			text += chunk;
			const end = text.indexOf('\n');
			if (end < 0 && text.length <= firstLineLimit) return;
			clearTimeout(timer);
			socket.off('data', onData);
			if (end < 0 || keyOf(text.slice(0, end)) !== options.key) {
				socket.destroy();
				return;
			}
			socket.resume();
			joined.add(socket);
			options.onJoin();
			send(socket, { type: 'hello', pid: process.pid, version: options.version });
		};
		socket.on('data', onData);
		socket.on('close', () => {
			clearTimeout(timer);
			open.delete(socket);
			if (joined.delete(socket)) options.onLeave();
		});
	});
	const isFile = !options.path.startsWith('\\\\');
	// Whoever holds the daemon's lock owns the socket, so a left-over one may go.
	if (isFile) await rm(options.path, { force: true });
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
		tell: (event) => {
			for (const socket of joined) send(socket, event);
		},
		get clients() {
			return joined.size;
		},
		close: async () => {
			for (const socket of open) socket.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

function send(socket: Socket, event: PipeEvent): void {
	// A client that does not read must not fill our memory.
	if (socket.writableLength < 1 << 20) socket.write(`${JSON.stringify(event)}\n`);
}

function keyOf(line: string): string | undefined {
	try {
		const value: unknown = JSON.parse(line);
		const key = typeof value === 'object' && value !== null ? Reflect.get(value, 'key') : undefined;
		return typeof key === 'string' ? key : undefined;
	} catch {
		return undefined;
	}
}

/** Whether anybody listens on a pipe. */
export function pipeAnswers(path: string, timeoutMs = 2000): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(path);
		const done = (answer: boolean) => {
			clearTimeout(timer);
			socket.destroy();
			resolve(answer);
		};
		const timer = setTimeout(() => done(false), timeoutMs);
		socket.once('connect', () => done(true));
		socket.once('error', (error) => done(errno(error) === 'EPERM' || errno(error) === 'EACCES'));
	});
}
