/**
 * The Model Context Protocol on the daemon: streamable HTTP at `/mcp`, stateless. The owner's alone,
 * because a tool reads files of this machine.
 */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { responseError } from '../daemon/connection.ts';
import type { DaemonCall } from '../services/mcpTools.ts';
import type { AppEnv } from './env.ts';

export function registerMcpRoutes(app: Hono<AppEnv>, _backend: Backend): void {
	app.post('/mcp', async (context) => {
		// Whatever the caller may do, its tools may: in whichever header it showed its key.
		const identity = { caller: context.get('caller'), person: context.get('person') };
		const origin = new URL(context.req.url).origin;
		const call: DaemonCall = async (path, init) => {
			const headers = new Headers(init.headers);
			headers.set('host', context.req.header('host') ?? '');
			const request = new Request(new URL(path, origin), { ...init, headers });
			const response = await app.request(request, undefined, { identity });
			if (!response.ok) throw await responseError(response);
			return response;
		};
		const [{ createMcpServer }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
			import('../services/mcpServer.ts'),
			import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
		]);
		const server = createMcpServer(call);
		const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
		context.get('signal').addEventListener('abort', () => void server.close(), { once: true });
		await server.connect(transport);
		return transport.handleRequest(context.req.raw);
	});
}
