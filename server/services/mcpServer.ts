/** The Model Context Protocol server over the official SDK; transports are plugged in by the adapters. */

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
	CallToolRequestSchema,
	ErrorCode,
	ListToolsRequestSchema,
	McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { asAppError, productVersion } from '../protocol/index.ts';
import type { Send } from '../protocol/routeClient.ts';
import { mcpTools, runMcpTool } from './mcpTools.ts';

/** A server whose tools ask the daemon through `call`. One per connection. */
export function createMcpServer(call: Send): Server {
	const server = new Server(
		{ name: 'nearglot', title: 'Nearglot', version: productVersion() },
		{ capabilities: { tools: {} } },
	);
	server.setRequestHandler(ListToolsRequestSchema, () => ({
		tools: mcpTools.map(({ name, title, description, inputSchema, readOnly }) => ({
			name,
			title,
			description,
			inputSchema: inputSchema as { type: 'object' },
			annotations: {
				title,
				readOnlyHint: readOnly,
				destructiveHint: false,
				openWorldHint: false,
			},
		})),
	}));
	server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
		try {
			const result = await runMcpTool(params.name, params.arguments, call, signal);
			return { content: [...result.content], ...(result.isError ? { isError: true } : {}) };
		} catch (error) {
			throw new McpError(ErrorCode.InvalidParams, asAppError(error).message);
		}
	});
	return server;
}
