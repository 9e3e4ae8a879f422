/** Requests that carry the key go to nobody but the daemon of `endpoint.json`. */

import { isIdempotent, retryingFetch, retryOnce } from '../net/closedUnanswered.ts';
import { AppError, type EndpointFile } from '../protocol/index.ts';
import { proof } from '../protocol/routeAddresses.ts';
import { Client, sender } from '../protocol/routeClient.ts';
import { isProof, newChallenge } from './daemonProof.ts';

/** A proof holds for as long: in a second nobody ends a daemon, takes its port and is asked. */
const provenMs = 1000;

/** When daemons last proved themselves, by address and secret. */
const provenAt = new Map<string, number>();
const nameOf = ({ url, secret }: EndpointFile): string => `${url} ${secret}`;

/**
 * `fetch` after whoever listens there has proved to be the daemon: it is asked without the key. Where a connection is
 * closed unanswered, what may be sent twice is, after another proof.
 * @throws AppError `daemon_unavailable` when another program listens there; the errors of `fetch` otherwise
 */
export const provenFetch = (
	endpoint: EndpointFile,
	url: URL,
	init: RequestInit,
): Promise<Response> => retryOnce(() => fetchOnce(endpoint, url, init), isIdempotent(init.method));

async function fetchOnce(endpoint: EndpointFile, url: URL, init: RequestInit): Promise<Response> {
	const at = provenAt.get(nameOf(endpoint));
	if (at === undefined || performance.now() - at > provenMs) await prove(endpoint, init.signal);
	try {
		return await fetch(url, init);
	} catch (error) {
		provenAt.delete(nameOf(endpoint));
		throw error;
	}
}

async function prove(
	endpoint: EndpointFile,
	signal: AbortSignal | null | undefined,
): Promise<void> {
	const { url, secret } = endpoint;
	provenAt.delete(nameOf(endpoint));
	const challenge = newChallenge();
	let failed: unknown;
	const client = new Client(
		sender({
			// What another program says of itself or of errors is of no interest, nor where it leads on to.
			fetch: (path, init) =>
				retryingFetch(new URL(path, url), { ...init, redirect: 'error' }).catch(
					(error: unknown) => {
						failed = error;
						throw error;
					},
				),
		}),
	);
	const given = await client
		.call(proof, { query: { challenge } }, signal ? { signal } : {})
		.catch((error: unknown) => {
			if (signal?.aborted) throw signal.reason;
			if (failed !== undefined) throw failed;
			return { proof: error };
		});
	if (!isProof(given.proof, secret, 'server', challenge))
		throw new AppError(
			'daemon_unavailable',
			`Another program answers at ${url}, where this user's model server was: nothing was sent to it. Try again; the model server is started anew where it has ended.`,
		);
	// Of daemons that were before nothing is needed.
	provenAt.clear();
	provenAt.set(nameOf(endpoint), performance.now());
}
