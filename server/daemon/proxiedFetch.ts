/**
 * `fetch` through the proxy and with the certificate authorities the user has set (NEARGLOT_PROXY,
 * HTTPS_PROXY, NO_PROXY, NEARGLOT_CA_FILE), for services that are not on this machine.
 */

import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { Dispatcher } from 'undici';
import { createOutbound, type Fetch, type FetchOptions, type Outbound } from '../net/outbound.ts';
import { AppError } from '../protocol/index.ts';

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

/** Connections are made when first needed and kept. Redirects are not followed. */
export function createProxiedFetch(env: NodeJS.ProcessEnv): Fetch {
	let outbound: Outbound | undefined;
	return async (input, options) => {
		outbound ??= createOutbound({
			env,
			proxy: env['NEARGLOT_PROXY'],
			caFile: env['NEARGLOT_CA_FILE'],
		});
		const url = new URL(input);
		const { method, headers, body } = requestOf(url, options);
		const connections = await outbound.connectionsFor(url);
		const answer = await connections.request({
			origin: url.origin,
			path: url.pathname + url.search,
			method: method as Dispatcher.HttpMethod,
			headers: Object.fromEntries(headers),
			body: bodyOf(options?.body, body),
			signal: options?.signal ?? null,
		});
		const isEmpty = bodiless.has(answer.statusCode);
		if (isEmpty) answer.body.resume();
		return new Response(
			isEmpty ? null : (Readable.toWeb(answer.body) as ReadableStream<Uint8Array>),
			{
				status: answer.statusCode,
				headers: Object.entries(answer.headers).flatMap(([name, values]) =>
					[values ?? []].flat().map((value): [string, string] => [name, value]),
				),
			},
		);
	};
}
