/** Puts a server on a port, or says in a sentence why it cannot be there. */

import type { Server } from 'node:http';
import { AppError, asAppError, errno } from '../protocol/index.ts';

/** Rejects with `port_in_use`, and `invalid_request` for a host that is not of this machine. */
export function bind(
	server: Server,
	{ host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once('error', (error) => reject(bindError(error, host, port)));
		server.listen(port, host, () => {
			server.removeAllListeners('error');
			resolve();
		});
	});
}

function bindError(error: Error, host: string, port: number): AppError {
	const code = errno(error);
	if (code === 'EADDRINUSE')
		return new AppError(
			'port_in_use',
			`Port ${port} on ${host} is already in use. Choose another with --port, or --port 0 for any free one.`,
			{ cause: error },
		);
	if (code === 'EACCES')
		return new AppError(
			'port_in_use',
			`This user may not listen on port ${port}. Choose one above 1023 with --port.`,
			{ cause: error },
		);
	if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
		return new AppError('invalid_request', `This machine has no address '${host}' to listen on.`, {
			cause: error,
		});
	return asAppError(error, `opening ${host}:${port}`);
}
