/** argv → sub-command. Every command is loaded only when it is asked for. */

import { type Command, runCommand } from './cli/command.ts';
import { keepHeapSmall } from './daemon/smallHeap.ts';

const commands: Record<string, () => Promise<Command>> = {
	serve: async () => {
		// Loading the command lets the heap grow already.
		keepHeapSmall();
		return (await import('./cli/serve.ts')).serveCommand;
	},
	chat: async () => (await import('./cli/chat.ts')).chatCommand,
	transcribe: async () => (await import('./cli/transcribe.ts')).transcribeCommand,
	translate: async () => (await import('./cli/translate.ts')).translateCommand,
	keys: async () => (await import('./cli/keys.ts')).keysCommand,
	systems: async () => (await import('./cli/systems.ts')).systemsCommand,
	models: async () => (await import('./cli/models.ts')).modelsCommand,
	gateway: async () => (await import('./cli/gateway.ts')).gatewayCommand,
	mcp: async () => (await import('./cli/mcp.ts')).mcpCommand,
	lsp: async () => (await import('./cli/lsp.ts')).lspCommand,
	doctor: async () => (await import('./cli/doctor.ts')).doctorCommand,
	runner: async () => (await import('./cli/runner.ts')).runnerCommand,
};

void runCommand(commands, process.argv.slice(2));
