/** The other end of the daemon's pipe: hears of model states and downloads, and keeps it alive. */

import { connect } from 'node:net';
import type { PipeEvent } from './pipe.ts';

export interface PipeConnection {
	/** Resolves when the connection is gone. */
	readonly closed: Promise<void>;
	close(): void;
}

/** Connects and says the key. Rejects when nobody listens. */
export async function joinPipe(
	path: string,
	key: string,
	onEvent: (event: PipeEvent) => void,
): Promise<PipeConnection> {
	const socket = connect(path);
	await new Promise<void>((resolve, reject) => {
		socket.once('connect', resolve);
		socket.once('error', reject);
	});
	socket.on('error', () => {});
	socket.setEncoding('utf8');
	let text = '';
	socket.on('data', (chunk: string) => {
		const lines = (text + chunk).split('\n');
		text = lines.pop() ?? '';
		for (const line of lines) if (line !== '') onEvent(JSON.parse(line) as PipeEvent);
	});
	const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
	socket.write(`${JSON.stringify({ key })}\n`);
	return { closed, close: () => socket.destroy() };
}
