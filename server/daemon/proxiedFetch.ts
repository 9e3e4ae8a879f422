/**
 * `fetch` through the proxy and with the certificate authorities the user has set (NEARGLOT_PROXY,
 * HTTPS_PROXY, NO_PROXY, NEARGLOT_CA_FILE), for services that are not on this machine.
 */

import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { Dispatcher } from 'undici';
import { createOutbound, type Fetch, type FetchOptions, type Outbound } from '../net/outbound.ts';

/** Answers without a body, which `Response` insists on. */
const bodiless = new Set([101, 204, 205, 304]);

/** @param stream of the same body: forms hold files, which are sent as they are read */
function bodyOf(body: FetchOptions['body'], stream: ReadableStream | null) {
	if (body instanceof FormData) return stream && Readable.fromWeb(stream as WebStream);
	return body == null || body instanceof Uint8Array ? (body ?? null) : String(body);
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
		const { method, headers, body } = new Request(url, options);
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
