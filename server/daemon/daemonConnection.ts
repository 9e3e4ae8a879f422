/** A running daemon as other processes see it: requests with its key, errors as AppError. */

import { AppError, asAppError, type EndpointFile } from '../protocol/index.ts';
import { defaultOverloadRetry } from '../protocol/retryWhenOverloaded.ts';
import { shutdown } from '../protocol/routeAddresses.ts';
import { Client, type Send, sender } from '../protocol/routeClient.ts';
import { notify } from '../store/notices.ts';
import { daemonFetch } from './daemonFetch.ts';
import type { NoticeReader } from './noticeBacklog.ts';

export class DaemonConnection extends Client {
	readonly #endpoint: () => EndpointFile;

	constructor(request: Send, endpoint: () => EndpointFile) {
		super(request);
		this.#endpoint = endpoint;
	}

	get endpoint(): EndpointFile {
		return this.#endpoint();
	}
}

/**
 * @param successor finds the daemon that has come in the place of one that has ended; nothing was done there
 * @param reader who hears what the daemon has to tell while it is waited for
 */
export function connectTo(
	found: EndpointFile,
	successor?: () => Promise<EndpointFile>,
	reader?: NoticeReader,
): DaemonConnection {
	let endpoint = found;
	const request: Send = async (path, init) => {
		try {
			return await requestOnce(endpoint, path, init, reader);
		} catch (error) {
			if (successor === undefined || !hasEnded(error)) throw error;
			endpoint = await successor().catch(unstarted);
			return requestOnce(endpoint, path, init, reader);
		}
	};
	return new DaemonConnection(request, () => endpoint);
}

/** Why there is no other daemon says nothing of the request that has found none. */
function unstarted(error: unknown): never {
	const known = asAppError(error);
	if (known.code === 'cancelled') throw error;
	throw new AppError('daemon_unavailable', known.message, { cause: error });
}

async function requestOnce(
	endpoint: EndpointFile,
	path: string,
	init: RequestInit,
	reader?: NoticeReader,
): Promise<Response> {
	const send = sender({
		fetch: (to, sent) => daemonFetch(endpoint, new URL(to, endpoint.url), sent, { reader }),
		key: endpoint.key,
		unreachable: (cause) =>
			new AppError('daemon_unavailable', `The model server at ${endpoint.url} does not answer.`, {
				cause,
			}),
		room: { ...defaultOverloadRetry, notify },
	});
	return send(path, init);
}

/** Whether a daemon has refused a request because it has ended, or is about to. */
function hasEnded(error: unknown): boolean {
	if (!(error instanceof AppError) || error.code !== 'daemon_unavailable') return false;
	const { cause } = error as { cause?: { cause?: { code?: unknown } } };
	return cause === undefined || cause.cause?.code === 'ECONNREFUSED';
}

/** Asks a daemon to end. Resolves to whether it does. */
export async function requestShutdown(endpoint: EndpointFile, onlyIdle: boolean): Promise<boolean> {
	try {
		const query = onlyIdle ? { if: 'idle' } : {};
		const { stopping } = await connectTo(endpoint).call(shutdown, { query });
		return stopping;
	} catch {
		return false;
	}
}
