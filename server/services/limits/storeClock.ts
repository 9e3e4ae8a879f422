/** The time of a store, which is the same for all replicas, however their own clocks are set. */

import type { ForwardClock } from './forwardClock.ts';

/** After this the store is asked again. */
const freshMs = 10_000;
/** And at once where the clock that nobody sets has stood still for so long, as while a computer sleeps. */
const maxDriftMs = 1000;

export class StoreClock implements ForwardClock {
	readonly #own: ForwardClock;
	readonly #passed: () => number;
	/** A time, and when it was, by the clock that nobody sets. */
	#known: { readonly ms: number; readonly atMs: number } | undefined;
	#askedAtMs = Number.NEGATIVE_INFINITY;
	/** What its own clock was ahead of the one that nobody sets when it last asked. */
	#drift = 0;

	/**
	 * @param own which counts until the store has been asked, and where it tells no time
	 * @param passed milliseconds of a clock that nobody sets
	 */
	constructor(own: ForwardClock, passed: () => number) {
		this.#own = own;
		this.#passed = passed;
	}

	now(): number {
		if (this.#known === undefined) return this.#own.now();
		return this.#known.ms + this.#passed() - this.#known.atMs;
	}

	note(ms: number): void {
		if (this.#known === undefined) this.#own.note(ms);
		else if (ms > this.now()) this.#known = { ms, atMs: this.#passed() };
	}

	/** Asks a store now and then. @param timeMs resolves with milliseconds since 1970 */
	async ask(timeMs: (() => Promise<number>) | undefined): Promise<void> {
		const before = this.#passed();
		const isFresh =
			before - this.#askedAtMs < freshMs &&
			Math.abs(this.#own.now() - before - this.#drift) < maxDriftMs;
		if (timeMs === undefined || isFresh) return;
		const ms = await timeMs();
		const atMs = this.#passed();
		this.#askedAtMs = atMs;
		this.#drift = this.#own.now() - atMs;
		const known = ms + (atMs - before) / 2;
		// Where the clock of the store is set back, time goes on as it passes.
		this.#known = { ms: this.#known === undefined ? known : Math.max(known, this.now()), atMs };
	}
}
