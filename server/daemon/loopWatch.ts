/**
 * How long the daemon's loop is held while it serves: the processor time of its own thread between two
 * turns, so what others on the machine take does not count. Nothing runs while nobody asks.
 */

import type { Metrics } from '../net/metrics.ts';
import type { RequestWatch } from './quietHeap.ts';

/** Holds of a few milliseconds more may be several short turns in a row. */
const everyMs = 5;
/** Shorter ones are not worth a note. */
const minHoldMs = 10;

export function watchLoop(metrics: Metrics, busyMs = threadBusyMs): RequestWatch {
	let running = 0;
	let timer: NodeJS.Timeout | undefined;
	let since = 0;
	const look = () => {
		const now = busyMs();
		const heldMs = now - since;
		since = now;
		if (heldMs >= minHoldMs) metrics.observe('nearglot_loop_held_seconds', heldMs / 1000);
		if (running > 0) return;
		// The last turn of the last request has been looked at, too.
		clearInterval(timer);
		timer = undefined;
	};
	return {
		begin: () => {
			running++;
			if (timer !== undefined) return;
			since = busyMs();
			timer = setInterval(look, everyMs);
			timer.unref();
		},
		end: () => {
			running = Math.max(0, running - 1);
		},
	};
}

/** Older Nodes know the time of the whole process only, its threads' among it. */
function threadBusyMs(): number {
	const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
	return (user + system) / 1000;
}
