/**
 * Connections to other machines: through the proxies of the settings or the environment (HTTP_PROXY,
 * HTTPS_PROXY, ALL_PROXY, NO_PROXY), and with further certificate authorities.
 */

import { readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { getCACertificates, rootCertificates } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { AppError } from '../protocol/index.ts';

/** What is used of the options of `fetch`. */
export interface FetchOptions extends Pick<RequestInit, 'method' | 'headers' | 'signal'> {
	readonly body?: string | URLSearchParams | FormData | Uint8Array<ArrayBuffer> | null;
	/** A redirect is an answer: it would carry keys and texts to another address. */
	readonly redirect?: 'manual';
	/** What is sent with POST computes something and changes nothing, so that it may be sent twice. */
	readonly computes?: true;
	/** Milliseconds for a connection and its TLS; default 10 s. */
	readonly connectMs?: number;
}

/** A connection that nothing has taken or refused in time. */
export class UnansweredConnection extends Error {
	readonly withinMs: number;
	/** Host and port of the proxy that was connected to in its place. */
	readonly proxy: string | undefined;

	constructor(withinMs: number, proxy: string | undefined, cause: unknown) {
		super(`no connection within ${withinMs / 1000} s`, { cause });
		this.withinMs = withinMs;
		this.proxy = proxy;
	}
}

/** What is used of `fetch`. */
export type Fetch = (input: string | URL, options?: FetchOptions) => Promise<Response>;

export interface OutboundOptions {
	readonly env: NodeJS.ProcessEnv;
	/** Proxy for every address, `''` for none; without it those of the environment. */
	readonly proxy?: string | undefined;
	/** PEM file with further certificate authorities. */
	readonly caFile?: string | undefined;
	/** Resolves names for connections that go through no proxy. */
	readonly lookup?: LookupFunction;
	/** Milliseconds for a connection and its TLS; default: none, where who asks has limits of his own for all of it. */
	readonly connectMs?: number;
}

export interface Outbound {
	/**
	 * Connections for an address.
	 * @throws AppError `invalid_request` when its proxy is no address of one
	 */
	connectionsFor(url: URL): Promise<Dispatcher>;
	/** Host and port of the proxy that a request to this address has gone to, if to any. */
	proxyTaken(url: URL): string | undefined;
	close(): void;
}

type Scheme = 'http' | 'https';

/** Sockets are made when first needed and kept alive between requests. */
export function createOutbound(options: OutboundOptions): Outbound {
	const { env, proxy, caFile, lookup, connectMs = 0 } = options;
	const ca = authorities(caFile);
	const made = new Map<Scheme, Promise<Dispatcher>>();
	/** Hosts that were connected to without a proxy. */
	const direct = new Set<string>();
	const proxies = {
		http: proxyAddress(proxy ?? proxyOf('http', env)),
		https: proxyAddress(proxy ?? proxyOf('https', env)),
	};
	const noProxy = proxy === undefined ? (variable('no_proxy', env) ?? '') : '';

	/** The library is large and most commands never leave the machine. */
	async function connections(uri: string): Promise<Dispatcher> {
		const { buildConnector: connector, EnvHttpProxyAgent } = await import('./undici.ts');
		const tls = { ca, timeout: connectMs, allowH2: false };
		const connect = connector({ ...tls, ...(lookup ? { lookup } : {}) });
		return new EnvHttpProxyAgent({
			httpProxy: uri,
			httpsProxy: uri,
			noProxy,
			connect: (options: buildConnector.Options, callback: buildConnector.Callback) => {
				direct.add(options.host ?? options.hostname);
				connect(options, callback);
			},
			requestTls: tls,
			proxyTls: tls,
			allowH2: false,
			headersTimeout: 0,
			bodyTimeout: 0,
		});
	}

	return {
		async connectionsFor({ protocol }) {
			const scheme = protocol === 'https:' ? 'https' : 'http';
			const uri = proxies[scheme];
			if (uri === undefined) throw noProxyAddress();
			let known = made.get(scheme);
			if (known === undefined) {
				known = connections(uri);
				made.set(scheme, known);
			}
			return known;
		},
		proxyTaken({ protocol, host }) {
			const uri = proxies[protocol === 'https:' ? 'https' : 'http'];
			return uri && !direct.has(host) ? new URL(uri).host : undefined;
		},
		close() {
			for (const each of made.values())
				void each.then((dispatcher) => dispatcher.destroy()).catch(() => undefined);
		},
	};
}

const variable = (name: string, env: NodeJS.ProcessEnv): string | undefined =>
	env[name] || env[name.toUpperCase()] || undefined;

const proxyOf = (scheme: Scheme, env: NodeJS.ProcessEnv): string =>
	variable(`${scheme}_proxy`, env) ?? variable('all_proxy', env) ?? '';

/** The address of a proxy, which may come without its scheme; `undefined` for what is none, `''` for no proxy. */
function proxyAddress(text: string): string | undefined {
	if (text === '') return '';
	const url = URL.parse(text.includes('://') ? text : `http://${text}`);
	return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== ''
		? url.href
		: undefined;
}

const noProxyAddress = () =>
	new AppError(
		'invalid_request',
		'The proxy of the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) or of the settings is no address of one: write it like http://proxy.example:3128.',
	);

/** Certificate authorities to trust: Node's, the system's, and those of a PEM file. */
function authorities(caFile: string | undefined): string[] {
	const known = [...new Set([...rootCertificates, ...getCACertificates('system')])];
	if (caFile === undefined) return known;
	try {
		return [...known, readFileSync(caFile, 'utf8')];
	} catch (error) {
		throw new AppError('invalid_request', `The certificate file ${caFile} cannot be read.`, {
			cause: error,
		});
	}
}
