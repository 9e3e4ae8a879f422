/** Ends a thread that computes and does not get on. Time in which others have the processor does not count. */

import { availableParallelism } from 'node:os';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
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

const minWaitMs = 20;
/** Attempts to look at a thread that says nothing; then it is stuck where it cannot be asked. */
const maxUnanswered = 10;

/**
 * The time a thread has for one piece of work. A thread that computes all the time is ended when it is over; where
 * it waits, or others have the processor, not before it has computed for half of that time.
 */
export class ComputingTimer {
	readonly #worker: Worker;
	#timer: NodeJS.Timeout | undefined;
	/** Changes with every piece of work. */
	#piece = 0;

	constructor(worker: Worker) {
		this.#worker = worker;
	}

	/** Begins to count anew. */
	start(limitMs: number, onOver: () => void): void {
		this.stop();
		const piece = this.#piece;
		const halfMs = limitMs / 2;
		let atHalfMs: number | undefined;
		let unanswered = 0;
		const wait = (ms: number) => {
			this.#timer = setTimeout(() => void look(), ms);
		};
		const look = async () => {
			const computedMs = await Promise.race([
				threadMs(this.#worker).catch(() => undefined),
				silence(Math.max(halfMs, 100)),
			]);
			if (piece !== this.#piece) return;
			if (computedMs === undefined) {
				if (++unanswered < maxUnanswered) wait(halfMs);
				else onOver();
				return;
			}
			atHalfMs ??= computedMs;
			const leftMs = halfMs - (computedMs - atHalfMs);
			if (leftMs > 0) wait(Math.max(leftMs, minWaitMs));
			else onOver();
		};
		wait(halfMs);
	}

	stop(): void {
		this.#piece++;
		clearTimeout(this.#timer);
	}
}

const silence = (ms: number) => setTimeoutPromise(ms, undefined, { ref: false });

/** Processor time of a thread so far; before Node 24.6 a fair share of the process's. */
async function threadMs(worker: Worker): Promise<number> {
	const isKnown = typeof worker.cpuUsage === 'function';
	const { user, system } = isKnown ? await worker.cpuUsage() : process.cpuUsage();
	// As many threads may be decoding as there are processors, and the main one works beside them.
	return (user + system) / 1000 / (isKnown ? 1 : availableParallelism() + 1);
}
