/** Ends a thread that computes and does not get on. Time in which others have the processor does not count. */

import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';

const checkMs = 500;

/**
 * Watches a thread until it exits.
 * @param progress a number that grows with what the thread gets done
 * @param limitMs processor time between two steps of progress
 * @param onStuck called once, when that is exceeded
 */
export function limitComputing(
	worker: Worker,
	progress: () => number,
	limitMs: number,
	onStuck: () => void,
): void {
	let before = -1;
	let atProgressMs = 0;
	let asking = false;
	const check = async () => {
		if (asking) return;
		asking = true;
		try {
			const computedMs = await threadMs(worker);
			if (progress() !== before) {
				before = progress();
				atProgressMs = computedMs;
			} else if (computedMs - atProgressMs > limitMs) {
				clearInterval(timer);
				onStuck();
			}
		} catch {
			// It has not begun, or has just ended.
		} finally {
			asking = false;
		}
	};
	const timer = setInterval(() => void check(), checkMs);
	timer.unref();
	worker.once('exit', () => clearInterval(timer));
}

/** Processor time of a thread so far; before Node 24.6 a fair share of the process's. */
async function threadMs(worker: Worker): Promise<number> {
	const isKnown = typeof worker.cpuUsage === 'function';
	const { user, system } = isKnown ? await worker.cpuUsage() : process.cpuUsage();
	// As many threads may be decoding as there are processors, and the main one works beside them.
	return (user + system) / 1000 / (isKnown ? 1 : availableParallelism() + 1);
}
