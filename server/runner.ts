/**
 * A process for one model: started by the daemon, to which it talks over IPC. Where a program of its own begins, so
 * that it loads no more than it needs.
 */

import { endSignals } from './cli/endSignals.ts';
import { leaveOutCurrentFolder } from './cli/searchPath.ts';
import { processChannel, serveRunner } from './daemon/runnerMain.ts';
import { confineRunner, removeOwnScratch } from './daemon/runnerWall.ts';
import { loadEngine } from './engine/engine.ts';

leaveOutCurrentFolder(process.env);
const channel = processChannel();
// Signals of a terminal, or to a whole group, are the daemon's business; it closes its runners in order.
for (const signal of endSignals(process.platform)) process.on(signal, () => {});
process.once('disconnect', () => {
	// Nobody else is there to do it.
	removeOwnScratch();
	process.exit(0);
});
void serveRunner(channel, (options, onVerdict) => {
	confineRunner(options);
	return loadEngine(options, onVerdict);
}).then(() => {
	// Native threads of the runtime may still be parked; nothing is left to be lost.
	setImmediate(() => process.exit(0));
});
