/**
 * The one module that speaks HTTP to hubs: proxies and certificate authorities of the user, checked
 * redirects, and a token that goes to the hub's own host only.
 */

import type { Dispatcher } from 'undici';
import { createOutbound } from '../net/outbound.ts';
import { AppError, errno, systemReason } from '../protocol/index.ts';
import { checkUrl, publicLookup } from './publicAddresses.ts';
import { discard, type HubResponse } from './responseBody.ts';
import { Retry } from './retry.ts';
import { type NotifyWaiting, WaitNotices } from './waitNotices.ts';

export interface HubHttpOptions {
	/** Base address of the hub, e.g. `https://huggingface.co`. */
	readonly endpoint: string;
	/** Who has chosen it, at the beginning of a sentence; default: `The hub address`. */
	readonly endpointName?: string;
	/** Bearer token for the hub's own host; never sent elsewhere. */
	readonly token?: () => string | undefined;
	/** Proxy from the editor's settings; `undefined` = from the environment. */
	readonly proxy?: string;
	/** PEM file with further certificate authorities. */
	readonly caFile?: string;
	/** Milliseconds to wait for the head of an answer. */
	readonly headTimeoutMs?: number;
	/** Told when the hub is waited for. */
	readonly onWait?: NotifyWaiting;
	/** Milliseconds of silence before a word; default 5 s. */
	readonly wordMs?: number;
}

export interface HubHttp {
	readonly endpoint: URL;
	readonly waitNotices: WaitNotices;
	/**
	 * Follows up to 8 redirects and resolves with the last answer, whatever its status. Errors of the
	 * network are a {@link Retry} that names the address; an address or certificate that is refused, an AppError.
	 */
	get(
		url: string | URL,
		headers: Readonly<Record<string, string>>,
		signal: AbortSignal,
	): Promise<HubResponse>;
	close(): void;
}

const maxRedirects = 8;

/** Makes the client. One per configuration; sockets are kept alive between requests. */
export function createHubHttp(options: HubHttpOptions): HubHttp {
	const endpoint = parseHubAddress(options.endpoint, options.endpointName);
	const waitNotices = new WaitNotices(options.onWait, options.wordMs);
	const { headTimeoutMs = 30_000 } = options;
	const trusted = new Set([endpoint.host]);
	const outbound = createOutbound({
		env: process.env,
		proxy: options.proxy,
		caFile: options.caFile,
		lookup: publicLookup(new Set([endpoint.hostname])),
	});

	async function once(
		url: URL,
		headers: Record<string, string>,
		signal: AbortSignal,
	): Promise<HubResponse> {
		const connections = await outbound.connectionsFor(url);
		const timeout = AbortSignal.timeout(headTimeoutMs);
		const stop = new AbortController();
		const abort = () => stop.abort();
		for (const source of [signal, timeout]) {
			if (source.aborted) abort();
			source.addEventListener('abort', abort);
		}
		try {
			// The signal of a request would also end the body, so the head's time-out is detached after it.
			const asked = connections.request({
				origin: url.origin,
				path: url.pathname + url.search,
				method: 'GET',
				headers,
				headersTimeout: 0,
				bodyTimeout: 0,
				signal: stop.signal,
			});
			const response = await waitNotices.during(
				`Waiting for an answer of ${url.origin}, for up to ${headTimeoutMs / 1000} s.`,
				asked,
			);
			const answer = hubResponse(url, response);
			return answer;
		} catch (error) {
			if (signal.aborted) throw new AppError('cancelled');
			const proxy = outbound.proxyTaken(url);
			const through = proxy === undefined ? '' : ` (through the proxy ${proxy})`;
			throw networkError(`${url.origin}${url.pathname}${through}`, error, timeout.aborted);
		} finally {
			timeout.removeEventListener('abort', abort);
		}
	}

	return {
		endpoint,
		waitNotices,
		async get(start, headers, signal) {
			let url = new URL(start);
			for (let hop = 0; hop <= maxRedirects; hop++) {
				checkUrl(url, trusted);
				const token = url.host === endpoint.host ? options.token?.() : undefined;
				const response = await once(
					url,
					{
						'user-agent': 'nearglot',
						...headers,
						...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
					},
					signal,
				);
				const location = response.headers.get('location');
				if (response.status < 300 || response.status >= 400 || location === null) return response;
				discard(response);
				url = redirectedTo(location, url);
			}
			throw new AppError(
				'download_failed',
				`${new URL(start).href} redirects in circles, last to ${url.href}. ${otherHub}`,
			);
		},
		close() {
			outbound.close();
		},
	};
}

function hubResponse(
	url: URL,
	{ statusCode, headers, body }: Dispatcher.ResponseData,
): HubResponse {
	// A body that was left after all of it had come would end the process with its error.
	body.on('error', () => undefined);
	return {
		url: url.href,
		status: statusCode,
		ok: statusCode >= 200 && statusCode < 300,
		headers: {
			get(name) {
				const value = headers[name];
				return value === undefined ? null : String(value);
			},
		},
		body: body as HubResponse['body'],
	};
}

function redirectedTo(location: string, from: URL): URL {
	const target = URL.parse(location, from.href);
	if (target !== null) return target;
	throw new AppError(
		'download_failed',
		`${from.origin} sends the download to ${JSON.stringify(location)}, which is no address. ${otherHub}`,
	);
}

/** The way out where a hub answers what no hub answers. */
export const otherHub =
	'Check the hub address (HF_ENDPOINT or the settings), and open it in a browser: a network that wants a sign-in answers in its place.';

/**
 * The base address of a hub.
 * @param named Who has chosen it, at the beginning of a sentence.
 * @throws AppError `invalid_request`
 */
export function parseHubAddress(text: string, named = 'The hub address'): URL {
	const url = URL.parse(text);
	if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
		throw new AppError(
			'invalid_request',
			`${named} is ${JSON.stringify(text.slice(0, 200))}, which is no address of a hub: write it like https://huggingface.co.`,
		);
	url.pathname = url.pathname.replace(/\/+$/, '');
	return url;
}

/** Errors of undici itself have codes that say less than their messages. */
const isOfLibrary = (error: Error) => errno(error)?.startsWith('UND_ERR_') === true;

/** What the network did, as a reason to try again, unless the address or the certificate is refused. */
function networkError(at: string, error: unknown, timedOut: boolean): AppError | Retry {
	if (error instanceof AppError) return error;
	const cause = error instanceof Error && error.cause instanceof AppError ? error.cause : undefined;
	if (cause !== undefined) return cause;
	const reason = timedOut
		? 'no answer in time'
		: error instanceof Error
			? (systemReason(error) ??
				(isOfLibrary(error) ? error.message : errno(error)) ??
				error.message)
			: String(error);
	if (/\b407\b/.test(reason))
		return new AppError(
			'download_failed',
			`${at}: the proxy wants a name and a password. Write them into its address: http://name:password@proxy.example:3128.`,
			{ cause: error },
		);
	if (/CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE/.test(reason))
		return new AppError(
			'download_failed',
			`${at}: ${reason}. If your network inspects TLS, name a file with the certificate of its authority in NEARGLOT_CA_FILE.`,
			{ cause: error },
		);
	return new Retry(`${at}: ${reason}. Check the network and the proxy settings.`, undefined, error);
}
