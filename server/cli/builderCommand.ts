/** `nearglot builder`: a process that builds one model. Started by the daemon, talks over IPC. */

import { builderChannel, serveBuilder } from '../daemon/builderMain.ts';
import type { Command } from './command.ts';
import { endSignals } from './endSignals.ts';

export const builderCommand: Command = {
	name: 'builder',
	summary: '',
	help: 'Usage: nearglot builder\n\nBuilds one model for the daemon, which starts it. Not for manual use.',
	run: async (_args, _io) => {
		const channel = builderChannel();
		// Signals of a terminal, or to a whole group, are the daemon's business; it ends its builders in order.
		for (const signal of endSignals(process.platform)) process.on(signal, () => {});
		process.once('disconnect', () => process.exit(0));
		await serveBuilder(channel);
		// The daemon closes the channel when it has read the last word.
		return 0;
	},
};
