/** Ends a thread that computes and does not get on, or too long. Time in which others have the processor does not count. */

import { availableParallelism } from 'node:os';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

const checkMs = 500;

/**
 * Watches a thread until it exits, or until what is returned is called.
 * @param progress a number that grows with what the thread gets done
 * @param limitMs processor time between two steps of progress
 * @param onStuck called once, when that is exceeded
 */
export function limitComputing(
	worker: Worker,
	progress: () => number,
	limitMs: number,
	onStuck: () => void,
): () => void {
	let before = -1;
	let atProgressMs = 0;
	let asking = false;
	let isOver = false;
	const check = async () => {
		if (asking) return;
		asking = true;
		try {
			const computedMs = await threadMs(worker);
			if (isOver) return;
			if (progress() !== before) {
				before = progress();
				atProgressMs = computedMs;
			} else if (computedMs - atProgressMs > limitMs) {
				end();
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
	const end = () => {
		isOver = true;
		clearInterval(timer);
		worker.off('exit', end);
	};
	worker.once('exit', end);
	return end;
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

/** Shortest time between two looks at the processor time of a thread, in milliseconds. */
const minLookMs = 20;

/** What is known of a thread whose processor time is limited altogether. */
export interface ComputingWatch {
	/** The thread waits for an answer now. */
	rest(): void;
	/** It has been told what it waited for. */
	go(): void;
	end(): void;
}

/**
 * Watches a thread for the processor time it takes altogether, from now on.
 * @param onOver called once, when that is more than `maxMs`
 */
export function limitAltogether(worker: Worker, maxMs: number, onOver: () => void): ComputingWatch {
	let leftMs = maxMs;
	let timer: NodeJS.Timeout | undefined;
	// A share of the process's time goes on while the thread rests, and has begun long before it.
	let beforeMs = Number.NaN;
	const count = async () => {
		const nowMs = await threadMs(worker);
		if (Number.isNaN(beforeMs)) beforeMs = isKnown(worker) ? 0 : nowMs;
		leftMs -= nowMs - beforeMs;
		beforeMs = nowMs;
	};
	let turn = 0;
	const look = async (ofTurn: number) => {
		// It has not begun, or has just ended.
		await count().catch(() => {});
		if (ofTurn !== turn) return;
		if (leftMs < 0) {
			watch.end();
			onOver();
		} else lookLater();
	};
	// Before that much time has passed it cannot have taken more.
	const lookLater = () => {
		timer = setTimeout((ofTurn) => void look(ofTurn), Math.max(minLookMs, leftMs), turn);
		timer.unref();
	};
	const watch: ComputingWatch = {
		rest: () => {
			turn++;
			clearTimeout(timer);
			if (!isKnown(worker)) void count();
		},
		go: () => {
			turn++;
			if (!isKnown(worker)) beforeMs = Number.NaN;
			lookLater();
		},
		end: () => {
			turn++;
			clearTimeout(timer);
			worker.off('exit', watch.end);
		},
	};
	worker.once('exit', watch.end);
	if (!isKnown(worker)) void count();
	lookLater();
	return watch;
}

const isKnown = (worker: Worker) => typeof worker.cpuUsage === 'function';

/** Processor time of a thread so far; before Node 24.6 a fair share of the process's. */
async function threadMs(worker: Worker): Promise<number> {
	const { user, system } = isKnown(worker) ? await worker.cpuUsage() : process.cpuUsage();
	// As many threads may be decoding as there are processors, and the main one works beside them.
	return (user + system) / 1000 / (isKnown(worker) ? 1 : availableParallelism() + 1);
}
