/** The other end of the daemon's pipe: hears of states, downloads and logs, and keeps it alive. */

import { connect } from 'node:net';
import {
	createMessageConnection,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { eventOf, type PipeEvent } from '../../server/daemon/pipeEvents.ts';
import { AppError, errorKinds } from '../../server/protocol/index.ts';

export interface PipeConnection {
	/** Resolves when the connection is gone. */
	readonly closed: Promise<void>;
	close(): void;
}

/** Connects and says the key. Rejects when nobody listens, and with `invalid_api_key` when it is wrong. */
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
	const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
	const connection = createMessageConnection(
		new StreamMessageReader(socket),
		new StreamMessageWriter(socket),
	);
	connection.onError(() => socket.destroy());
	connection.onNotification((method, params) => {
		const event = eventOf(method, params);
		if (event !== undefined) onEvent(event);
	});
	void closed.then(() => connection.dispose());
	connection.listen();
	try {
		await connection.sendRequest('authenticate', { key });
	} catch (error) {
		socket.destroy();
		if (error instanceof ResponseError && error.code === errorKinds.invalid_api_key.rpcCode)
			throw new AppError('invalid_api_key', error.message, { cause: error });
		throw new AppError(
			'daemon_unavailable',
			'The model server ended while its pipe was being joined.',
			{
				cause: error,
			},
		);
	}
	return { closed, close: () => socket.destroy() };
}
