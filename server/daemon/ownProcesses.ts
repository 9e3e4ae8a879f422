/** Starting processes of the program that this daemon is. */

import { defaultDrainS } from '../net/ending.ts';
import { programState } from './machine.ts';
import type { RunnerCommand } from './runnerProcess.ts';

/** Where a daemon of the background cannot start its own processes any more, the next one can: it ends in good order. */
export const ownProcesses =
	({
		persistent,
		stop,
	}: {
		readonly persistent: boolean;
		stop(reason: string, ms: number): void;
	}) =>
	(command: () => RunnerCommand): RunnerCommand => {
		try {
			return command();
		} catch (error) {
			if (!persistent && /^(?:gone|replaced)$/.test(programState()))
				stop('the program was replaced', defaultDrainS * 1000);
			throw error;
		}
	};
