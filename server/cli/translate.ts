/** `nearglot translate`. */

import type { Command } from './command.ts';

export const translateCommand: Command = {
	name: 'translate',
	summary: 'Translate text or a file.',
	help: 'Usage: nearglot translate',
	run: async (_args, io) => {
		io.stderr.write('nearglot translate is not part of this build yet.\n');
		return 1;
	},
};
