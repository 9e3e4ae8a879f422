/**
 * The one module that speaks HTTP to hubs: node-fetch with proxies (HTTP_PROXY, HTTPS_PROXY,
 * NO_PROXY), extra certificate authorities, checked redirects, and a token that goes to the hub's own
 * host only.
 */

import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { getCACertificates, rootCertificates } from 'node:tls';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import fetch, { type Response } from 'node-fetch';
import { getProxyForUrl } from 'proxy-from-env';
import { AppError, errno, systemReason } from '../protocol/index.ts';
import { checkUrl, publicLookup } from './addresses.ts';
import { discard } from './body.ts';
import { Patience, type Tell } from './patience.ts';
import { Retry } from './retry.ts';

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
	readonly onWait?: Tell;
	/** Milliseconds of silence before a word; default 5 s. */
	readonly wordMs?: number;
}

export interface HubHttp {
	readonly endpoint: URL;
	readonly patience: Patience;
	/**
	 * Follows up to 8 redirects and resolves with the last answer, whatever its status. Errors of the
	 * network are a {@link Retry} that names the address; an address or certificate that is refused, an AppError.
	 */
	get(
		url: string | URL,
		headers: Readonly<Record<string, string>>,
		signal: AbortSignal,
	): Promise<Response>;
	close(): void;
}

const maxRedirects = 8;

/** Makes the client. One per configuration; sockets are kept alive between requests. */
export function createHubHttp(options: HubHttpOptions): HubHttp {
	const endpoint = parseHubAddress(options.endpoint, options.endpointName);
	const patience = new Patience(options.onWait, options.wordMs);
	const { headTimeoutMs = 30_000 } = options;
	const trusted = new Set([endpoint.host]);
	const lookup = publicLookup(new Set([endpoint.hostname]));
	const ca = authorities(options.caFile);
	const plain = new HttpAgent({ keepAlive: true, lookup });
	const secure = new HttpsAgent({ keepAlive: true, lookup, ca });
	const proxies = new Map<string, HttpAgent | HttpsAgent>();

	const proxyOf = (url: URL) => options.proxy ?? getProxyForUrl(url.href);
	const agentFor = (url: URL) => {
		const proxy = proxyOf(url);
		if (proxy === '') return url.protocol === 'https:' ? secure : plain;
		const key = `${url.protocol}${proxy}`;
		const known = proxies.get(key);
		if (known !== undefined) return known;
		const made =
			url.protocol === 'https:'
				? (new HttpsProxyAgent(proxy, { keepAlive: true, ca }) as unknown as HttpsAgent)
				: (new HttpProxyAgent(proxy, { keepAlive: true }) as unknown as HttpAgent);
		proxies.set(key, made);
		return made;
	};

	async function once(url: URL, headers: Record<string, string>, signal: AbortSignal) {
		const through = throughProxy(proxyOf(url));
		const timeout = AbortSignal.timeout(headTimeoutMs);
		const stop = new AbortController();
		const abort = () => stop.abort();
		for (const source of [signal, timeout]) {
			if (source.aborted) abort();
			source.addEventListener('abort', abort);
		}
		try {
			// The signal given to fetch would also end the body, so the head's time-out is detached after it.
			const asked = fetch(url.href, {
				headers,
				agent: agentFor,
				redirect: 'manual',
				compress: false,
				signal: stop.signal,
			});
			const response = await patience.during(
				`Waiting for an answer of ${url.origin}, for up to ${headTimeoutMs / 1000} s.`,
				asked,
			);
			timeout.removeEventListener('abort', abort);
			return response;
		} catch (error) {
			timeout.removeEventListener('abort', abort);
			if (signal.aborted) throw new AppError('cancelled');
			throw networkError(`${url.origin}${url.pathname}${through}`, error, timeout.aborted);
		}
	}

	return {
		endpoint,
		patience,
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
				await discard(response);
				url = redirectedTo(location, url);
			}
			throw new AppError(
				'download_failed',
				`${new URL(start).href} redirects in circles, last to ${url.href}. ${otherHub}`,
			);
		},
		close() {
			plain.destroy();
			secure.destroy();
			for (const agent of proxies.values()) agent.destroy();
		},
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

/** Certificate authorities to trust: Node's, the system's, and those of a PEM file. */
export function authorities(caFile: string | undefined): string[] | undefined {
	if (caFile === undefined)
		return [...new Set([...rootCertificates, ...getCACertificates('system')])];
	try {
		return [...rootCertificates, ...getCACertificates('system'), readFileSync(caFile, 'utf8')];
	} catch (error) {
		throw new AppError('invalid_request', `The certificate file ${caFile} cannot be read.`, {
			cause: error,
		});
	}
}

/**
 * How messages name a proxy, without its password.
 * @throws AppError `invalid_request` for one that is no address
 */
function throughProxy(proxy: string): string {
	if (proxy === '') return '';
	const url = URL.parse(proxy);
	if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '')
		return ` (through the proxy ${url.host})`;
	throw new AppError(
		'invalid_request',
		'The proxy of the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) or of the settings is no address of one: write it like http://proxy.example:3128.',
	);
}

/** What the network did, as a reason to try again, unless the address or the certificate is refused. */
function networkError(at: string, error: unknown, timedOut: boolean): AppError | Retry {
	if (error instanceof AppError) return error;
	const cause = error instanceof Error && error.cause instanceof AppError ? error.cause : undefined;
	if (cause !== undefined) return cause;
	const reason = timedOut
		? 'no answer in time'
		: error instanceof Error
			? (systemReason(error) ?? errno(error) ?? error.message)
			: String(error);
	if (/CERT|SELF_SIGNED|ISSUER/.test(reason))
		return new AppError(
			'download_failed',
			`${at}: ${reason}. If your network inspects TLS, set the certificate file of its authority in the settings.`,
			{ cause: error },
		);
	return new Retry(`${at}: ${reason}. Check the network and the proxy settings.`, undefined, error);
}
