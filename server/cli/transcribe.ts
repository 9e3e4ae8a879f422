/** `nearglot transcribe`. */

import type { Command } from './command.ts';

export const transcribeCommand: Command = {
	name: 'transcribe',
	summary: 'Turn an audio file into text.',
	help: 'Usage: nearglot transcribe',
	run: async (_args, io) => {
		io.stderr.write('nearglot transcribe is not part of this build yet.\n');
		return 1;
	},
};
