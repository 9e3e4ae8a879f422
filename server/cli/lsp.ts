/** `nearglot lsp`. */

import type { Command } from './command.ts';

export const lspCommand: Command = {
	name: 'lsp',
	summary: 'Speak LSP with an editor.',
	help: 'Usage: nearglot lsp',
	run: async (_args, io) => {
		io.stderr.write('nearglot lsp is not part of this build yet.\n');
		return 1;
	},
};
