/**
 * `fetch` through the proxy and with the certificate authorities the user has set (NEARGLOT_PROXY,
 * HTTPS_PROXY, NO_PROXY, NEARGLOT_CA_FILE), for services that are not on this machine.
 */

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Readable } from 'node:stream';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import nodeFetch, { type RequestInit as NodeRequestInit } from 'node-fetch';
import { getProxyForUrl } from 'proxy-from-env';
import { authorities } from '../hub/http.ts';

/** Answers without a body, which `Response` insists on. */
const bodiless = new Set([101, 204, 205, 304]);

/** Agents are made when first needed and keep their connections. */
export function createProxiedFetch(env: NodeJS.ProcessEnv): typeof fetch {
	const agents = new Map<string, HttpAgent | HttpsAgent>();
	const agentFor = (url: URL): HttpAgent | HttpsAgent => {
		const proxy = env['NEARGLOT_PROXY'] ?? getProxyForUrl(url.href);
		const key = `${url.protocol}${proxy}`;
		const known = agents.get(key);
		if (known) return known;
		const agent = makeAgent(url.protocol === 'https:', proxy, env['NEARGLOT_CA_FILE']);
		agents.set(key, agent);
		return agent;
	};
	return async (input, init) => {
		const request = new Request(input, init);
		const body = init?.body;
		const response = await nodeFetch(request.url, {
			method: request.method,
			headers: Object.fromEntries(request.headers),
			...(body == null ? {} : { body: body instanceof URLSearchParams ? String(body) : body }),
			...(init?.signal ? { signal: init.signal } : {}),
			redirect: init?.redirect ?? 'follow',
			agent: agentFor,
		} as NodeRequestInit);
		const stream =
			response.body === null || bodiless.has(response.status)
				? null
				: Readable.toWeb(response.body as Readable);
		return new Response(stream as ConstructorParameters<typeof Response>[0], {
			status: response.status,
			statusText: response.statusText,
			headers: [...response.headers],
		});
	};
}

function makeAgent(
	secure: boolean,
	proxy: string,
	caFile: string | undefined,
): HttpAgent | HttpsAgent {
	const ca = secure ? authorities(caFile) : undefined;
	const options = { keepAlive: true, ...(ca ? { ca } : {}) };
	if (proxy === '') return secure ? new HttpsAgent(options) : new HttpAgent(options);
	return secure
		? (new HttpsProxyAgent(proxy, options) as unknown as HttpsAgent)
		: (new HttpProxyAgent(proxy, options) as unknown as HttpAgent);
}
