/**
 * The Model Context Protocol on the daemon: streamable HTTP at `/mcp`, stateless. The owner's alone,
 * because a tool reads files of this machine.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { asAppError, errorOfResponse } from '../protocol/index.ts';
import type { Send } from '../protocol/routeClient.ts';
import { mcp } from '../protocol/routes/status.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';
import { readJson } from './requestBody.ts';

export function registerMcpRoutes(app: Hono<AppEnv>, _backend: Backend): void {
	register(app, mcp, async ({ context }) => {
		// Whatever the caller may do, its tools may: in whichever header it showed its key.
		const identity = { caller: context.get('caller'), person: context.get('person') };
		const origin = new URL(context.req.url).origin;
		const call: Send = async (path, init) => {
			const headers = new Headers(init.headers);
			headers.set('host', context.req.header('host') ?? '');
			const request = new Request(new URL(path, origin), { ...init, headers });
			const response = await app.request(request, undefined, { identity });
			if (!response.ok) throw await errorOfResponse(response);
			return response;
		};
		// One after the other: all at once they would hold up others when they are first loaded.
		await import('@modelcontextprotocol/sdk/server/zod-compat.js');
		await nextTurn();
		await import('@modelcontextprotocol/sdk/types.js');
		await nextTurn();
		const { createMcpServer } = await import('../services/mcpServer.ts');
		await nextTurn();
		const { WebStandardStreamableHTTPServerTransport } = await import(
			'@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
		);
		const server = createMcpServer(call);
		const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
		context.get('signal').addEventListener('abort', () => void server.close(), { once: true });
		await server.connect(transport);
		// What is no JSON the transport refuses as the protocol wants it.
		const parsedBody = await readJson(context).catch((error: unknown) => {
			const isJson = !['invalid_json', 'invalid_request'].includes(asAppError(error).code);
			if (isJson) throw error;
			return null;
		});
		const { url, method, headers } = context.req.raw;
		return transport.handleRequest(new Request(url, { method, headers }), { parsedBody });
	});
}
