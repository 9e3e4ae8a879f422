/**
 * `fetch` through the proxy and with the certificate authorities the user has set (NEARGLOT_PROXY,
 * HTTPS_PROXY, NO_PROXY, NEARGLOT_CA_FILE), for services that are not on this machine.
 */

import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { Dispatcher } from 'undici';
import { isIdempotent, retryOnce } from '../net/closedUnanswered.ts';
import {
	createOutbound,
	type Fetch,
	type FetchOptions,
	type Outbound,
	UnansweredConnection,
} from '../net/outbound.ts';
import { AppError, errno } from '../protocol/index.ts';

/** Answers without a body, which `Response` insists on. */
const bodiless = new Set([101, 204, 205, 304]);

/** @param stream of the same body: forms hold files, which are sent as they are read */
function bodyOf(body: FetchOptions['body'], stream: ReadableStream | null) {
	if (body instanceof FormData) return stream && Readable.fromWeb(stream as WebStream);
	return body == null || body instanceof Uint8Array ? (body ?? null) : String(body);
}

/** What refuses a header quotes it, and may be shown: keys and tokens would be in there. */
function requestOf(url: URL, options: FetchOptions | undefined): Request {
	try {
		return new Request(url, options);
	} catch {
		throw new AppError(
			'invalid_request',
			`What is sent to ${url.host} beside the text (a key, a token) holds the end of a line or letters that no header can carry.`,
		);
	}
}

/** The system gives up by itself, later. */
const unanswered = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const usualConnectMs = 10_000;

/**
 * Connections are made when first needed and kept. Redirects are not followed. A request whose connection is closed
 * unanswered is sent once more, unless it may change something: see {@link FetchOptions.computes}.
 */
export function createProxiedFetch(env: NodeJS.ProcessEnv): Fetch {
	/** By their limit for a connection. */
	const outbounds = new Map<number, Outbound>();
	const outboundFor = (connectMs: number): Outbound => {
		const known = outbounds.get(connectMs);
		if (known !== undefined) return known;
		const { NEARGLOT_PROXY: proxy, NEARGLOT_CA_FILE: caFile } = env;
		const made = createOutbound({ env, proxy, caFile, connectMs });
		outbounds.set(connectMs, made);
		return made;
	};
	const send = async (url: URL, options: FetchOptions | undefined): Promise<Response> => {
		const connectMs = options?.connectMs ?? usualConnectMs;
		const outbound = outboundFor(connectMs);
		const { method, headers, body } = requestOf(url, options);
		const connections = await outbound.connectionsFor(url);
		try {
			const answer = await connections.request({
				origin: url.origin,
				path: url.pathname + url.search,
				method: method as Dispatcher.HttpMethod,
				headers: Object.fromEntries(headers),
				body: bodyOf(options?.body, body),
				signal: options?.signal ?? null,
			});
			return responseOf(answer);
		} catch (error) {
			if (!unanswered.has(errno(error) ?? '')) throw error;
			throw new UnansweredConnection(connectMs, outbound.proxyTaken(url), error);
		}
	};
	return (input, options) =>
		retryOnce(
			() => send(new URL(input), options),
			options?.computes === true || isIdempotent(options?.method),
			options?.computes === true,
		);
}

function responseOf({ statusCode, headers, body }: Dispatcher.ResponseData): Response {
	const isEmpty = bodiless.has(statusCode);
	if (isEmpty) body.resume();
	return new Response(isEmpty ? null : (Readable.toWeb(body) as ReadableStream<Uint8Array>), {
		status: statusCode,
		headers: Object.entries(headers).flatMap(([name, values]) =>
			[values ?? []].flat().map((value): [string, string] => [name, value]),
		),
	});
}
