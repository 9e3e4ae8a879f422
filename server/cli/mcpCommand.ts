/** `nearglot mcp`: the Model Context Protocol over standard input and output. */

import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import type { Command } from './command.ts';
import { UsageError } from './command.ts';

export const mcpCommand: Command = {
	name: 'mcp',
	summary: 'Offer translate and transcribe to agents (Model Context Protocol, stdio).',
	help: `Usage: nearglot mcp

Speaks the Model Context Protocol on standard input and output. Put this into an agent's settings:

  {"mcpServers": {"nearglot": {"command": "nearglot", "args": ["mcp"]}}}

The command must be on the PATH of the agent; else write its whole path.

The same tools are at /mcp of the local server (streamable HTTP, with its key).`,
	run: async (args, io) => {
		if (args.length > 0) throw new UsageError('mcp takes no argument.');
		const [{ createMcpServer }, { StdioServerTransport }] = await Promise.all([
			import('../services/mcpServer.ts'),
			import('@modelcontextprotocol/sdk/server/stdio.js'),
		]);
		const server = createMcpServer(async (path, init) => {
			// Asked for anew each time: the daemon may have been replaced meanwhile.
			const daemon = await findOrStartDaemon({ env: io.env }, init.signal ?? undefined);
			return daemon.request(path, init);
		});
		const closed = new Promise<void>((resolve) => {
			server.onclose = resolve;
			io.stdin.once('end', resolve);
			io.signal.addEventListener('abort', () => resolve(), { once: true });
		});
		await server.connect(new StdioServerTransport(io.stdin, io.stdout.forProgram()));
		await closed;
		await server.close();
		return 0;
	},
};
