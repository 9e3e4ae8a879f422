/** Every route of the daemon, and a request that reaches it. */

import type { Backend } from '../../server/daemon/backend.ts';
import { createApp } from '../../server/http/app.ts';
import type { TestServer } from '../support/testServer.ts';

export interface RouteOf {
	readonly method: string;
	/** As it was registered, with its parameters. */
	readonly path: string;
}

/** What is registered, without the steps every request goes through; each route once. */
export function allRoutes(backend: Backend): RouteOf[] {
	const { routes } = createApp(backend, {
		key: 'k',
		requireKey: false,
		allowedOrigins: [],
		allowedHosts: [],
		port: () => undefined,
	});
	const once = new Map(
		routes
			.filter(({ path }) => path !== '/*')
			.map(({ method, path }) => [`${method} ${path}`, { method, path }]),
	);
	return [...once.values()];
}

/** A path that the route answers to. */
export function pathOf({ path }: RouteOf): string {
	return path
		.replace(/:endpoint\{[^}]*\}/, 'cognitiveservices')
		.replace(/:file\{.*\}$/, 'studio.css')
		.replace(/(?<=\/):\w+(?:\{[^}]*\})?/g, 'starter-chat');
}

/** Calls a route and reads its answer; of one that does not end, the first event. */
export async function callRoute(
	server: Pick<TestServer, 'url'>,
	route: RouteOf,
	headers: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string; headers: Headers }> {
	const method = route.method === 'ALL' ? 'POST' : route.method;
	const stop = new AbortController();
	const response = await fetch(server.url + pathOf(route), {
		method,
		signal: stop.signal,
		headers: method === 'GET' ? headers : { 'content-type': 'application/json', ...headers },
		...(method === 'GET' ? {} : { body: '{}' }),
	});
	const { status } = response;
	if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
		return { status, text: await response.text(), headers: response.headers };
	let text = '';
	const decoder = new TextDecoder();
	for await (const chunk of response.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		if (text.includes('\n\n')) break;
	}
	stop.abort();
	return { status, text, headers: response.headers };
}
