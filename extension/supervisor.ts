/** When and how often an ended server is started again. Pure: the clock is a parameter. */

/** Milliseconds to wait before the first, second, … restart. */
const restartDelaysMs = [0, 1_000, 5_000, 20_000] as const;

/** Ends that count together. */
const windowMs = 180_000;

export type RestartVerdict =
	| { readonly restart: true; readonly delayMs: number }
	| { readonly restart: false };

/** Remembers the last ends of one server. */
export class Supervisor {
	readonly #now: () => number;
	#ends: number[] = [];

	constructor(now: () => number = () => performance.now()) {
		this.#now = now;
	}

	/** Call when the server has ended unasked. Gives up after the fifth end within three minutes. */
	ended(): RestartVerdict {
		const now = this.#now();
		this.#ends = [...this.#ends.filter((end) => now - end < windowMs), now];
		const delayMs = restartDelaysMs[this.#ends.length - 1];
		return delayMs === undefined ? { restart: false } : { restart: true, delayMs };
	}

	/** Call when the user asks for a new start. */
	forgive(): void {
		this.#ends = [];
	}
}
