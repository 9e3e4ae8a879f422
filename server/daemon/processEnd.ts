/** When a process that was started here is over. */

import type { ChildProcess } from 'node:child_process';

/** What a process has written arrives well before that after its end. */
const restMs = 2000;

/**
 * Tells once how a process has ended, when all that it wrote has arrived. Its pipes may stay open though: another process
 * has inherited them, or the system has lost their end (Wine does). So they are given up after a while.
 * @param waitMs milliseconds for what is still on its way
 */
export function onProcessEnd(
	child: ChildProcess,
	ended: (code: number | null, signal: NodeJS.Signals | null) => void,
	waitMs = restMs,
): void {
	let rest: NodeJS.Timeout | undefined;
	child.once('exit', () => {
		rest = setTimeout(() => {
			// This brings `close` about.
			if (child.connected) child.disconnect();
			for (const stream of child.stdio) stream?.destroy();
		}, waitMs).unref();
	});
	child.once('close', (code, signal) => {
		clearTimeout(rest);
		ended(code, signal);
	});
}
