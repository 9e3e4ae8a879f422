/** argv → sub-command. Every command is loaded only when it is asked for. */

import { type Command, runCommand } from './cli/command.ts';
import { leaveOutCurrentFolder } from './cli/searchPath.ts';
import { keepHeapSmall } from './daemon/smallHeap.ts';

const commands: Record<string, () => Promise<Command>> = {
	serve: async () => {
		// Loading the command lets the heap grow already.
		keepHeapSmall();
		return (await import('./cli/serveCommand.ts')).serveCommand;
	},
	chat: async () => (await import('./cli/chatCommand.ts')).chatCommand,
	transcribe: async () => (await import('./cli/transcribeCommand.ts')).transcribeCommand,
	translate: async () => (await import('./cli/translateCommand.ts')).translateCommand,
	keys: async () => (await import('./cli/keysCommand.ts')).keysCommand,
	usage: async () => (await import('./cli/usageCommand.ts')).usageCommand,
	people: async () => (await import('./cli/peopleCommand.ts')).peopleCommand,
	systems: async () => (await import('./cli/systemsCommand.ts')).systemsCommand,
	batch: async () => (await import('./cli/batchCommand.ts')).batchCommand,
	embed: async () => (await import('./cli/embedCommand.ts')).embedCommand,
	responses: async () => (await import('./cli/responsesCommand.ts')).responsesCommand,
	upstreams: async () => (await import('./cli/upstreamsCommand.ts')).upstreamsCommand,
	models: async () => (await import('./cli/modelsCommand.ts')).modelsCommand,
	gateway: async () => (await import('./cli/gatewayCommand.ts')).gatewayCommand,
	mcp: async () => (await import('./cli/mcpCommand.ts')).mcpCommand,
	lsp: async () => (await import('./cli/lspCommand.ts')).lspCommand,
	doctor: async () => (await import('./cli/doctorCommand.ts')).doctorCommand,
	builder: async () => (await import('./cli/builderCommand.ts')).builderCommand,
};

leaveOutCurrentFolder(process.env);
void runCommand(commands, process.argv.slice(2));
