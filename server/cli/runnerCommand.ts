/** `nearglot runner`: a process for one model. Started by the daemon, talks over IPC. */

import { processChannel, serveRunner } from '../daemon/runnerMain.ts';
import { confineRunner, removeOwnScratch } from '../daemon/runnerWall.ts';
import { loadEngine } from '../engine/engine.ts';
import type { Command } from './command.ts';
import { endSignals } from './endSignals.ts';

export const runnerCommand: Command = {
	name: 'runner',
	summary: '',
	help: 'Usage: nearglot runner\n\nRuns one model for the daemon, which starts it. Not for manual use.',
	run: async (_args, _io) => {
		const channel = processChannel();
		// Signals of a terminal, or to a whole group, are the daemon's business; it closes its runners in order.
		for (const signal of endSignals(process.platform)) process.on(signal, () => {});
		process.once('disconnect', () => {
			// Nobody else is there to do it.
			removeOwnScratch();
			process.exit(0);
		});
		await serveRunner(channel, (options, onVerdict) => {
			confineRunner(options);
			return loadEngine(options, onVerdict);
		});
		// Native threads of the runtime may still be parked; nothing is left to be lost.
		setImmediate(() => process.exit(0));
		return 0;
	},
};
