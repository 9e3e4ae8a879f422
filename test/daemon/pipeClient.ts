/** The other end of the daemon's pipe: hears of states, downloads and logs, and keeps it alive. */

import { connect } from 'node:net';
import {
	createMessageConnection,
	ResponseError,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { isProof, newChallenge, proofOf } from '../../server/daemon/daemonProof.ts';
import { eventOf, type PipeEvent } from '../../server/daemon/pipeEvents.ts';
import { AppError, errorKinds } from '../../server/protocol/index.ts';

export interface PipeConnection {
	/** Resolves when the connection is gone. */
	readonly closed: Promise<void>;
	close(): void;
}

/**
 * Connects; first the server proves itself, then this client. Rejects when nobody listens, with `daemon_unavailable`
 * when it is another program, and with `invalid_api_key` when it does not take the client's proof.
 */
export async function joinPipe(
	path: string,
	secret: string,
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
		const challenge = newChallenge();
		const server: { proof: unknown; challenge: string } = await connection.sendRequest('prove', {
			challenge,
		});
		if (!isProof(server.proof, secret, 'server', challenge))
			throw new AppError('daemon_unavailable', 'Another program has the pipe.');
		await connection.sendRequest('authenticate', {
			proof: proofOf(secret, 'client', server.challenge),
		});
	} catch (error) {
		socket.destroy();
		if (error instanceof AppError) throw error;
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
