/** `nearglot gateway`. */

import type { Command } from './command.ts';

export const gatewayCommand: Command = {
	name: 'gateway',
	summary: 'Run the sign-in gateway in front of a daemon.',
	help: 'Usage: nearglot gateway',
	run: async (_args, io) => {
		io.stderr.write('nearglot gateway is not part of this build yet.\n');
		return 1;
	},
};
