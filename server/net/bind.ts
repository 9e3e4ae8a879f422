/** Puts a server on a port, or says in a sentence why it cannot be there. */

import type { Server } from 'node:net';
import { AppError, asAppError, errno } from '../protocol/index.ts';

/** Where the person who starts it chooses the address. */
export interface BindNames {
	/** Of the port: `--port`. */
	readonly port: string;
	/** Of the host: `--host`. */
	readonly host: string;
}

const usualNames: BindNames = { port: '--port', host: '--host' };

/** Rejects with `port_in_use`, and `invalid_request` for a host that is not of this machine. */
export async function bind(
	server: Server,
	place: { readonly host: string; readonly port: number },
	names = usualNames,
): Promise<void> {
	if (place.host === '')
		throw new AppError(
			'invalid_request',
			`${names.host} names no address. Leave it out, or name one: 127.0.0.1, or 0.0.0.0 for other machines.`,
		);
	await new Promise<void>((resolve, reject) => {
		server.once('error', (error) => reject(bindError(error, place, names)));
		server.listen(place.port, place.host, () => {
			server.removeAllListeners('error');
			resolve();
		});
	});
}

function bindError(
	error: Error,
	{ host, port }: { readonly host: string; readonly port: number },
	names: BindNames,
): AppError {
	const code = errno(error);
	if (code === 'EADDRINUSE')
		return new AppError(
			'port_in_use',
			`Port ${port} on ${host} is already in use. Choose another with ${names.port}, or 0 for any free one.`,
			{ cause: error },
		);
	if (code === 'EACCES')
		return new AppError(
			'port_in_use',
			`This user may not listen on port ${port}. Choose one above 1023 with ${names.port}.`,
			{ cause: error },
		);
	if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
		return new AppError(
			'invalid_request',
			`This machine has no address '${host}' to listen on. Correct ${names.host}.`,
			{ cause: error },
		);
	return asAppError(error, `opening ${host}:${port}`);
}
