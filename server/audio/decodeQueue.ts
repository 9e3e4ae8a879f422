/** How many recordings are open, and how many of them are decoded at once; the others wait for their turn. */

import { availableParallelism } from 'node:os';
import { AppError } from '../protocol/index.ts';

export interface DecodeQueueOptions {
	/** Decoders that run at once; default: one for each processor. */
	readonly atOnce?: number;
	/** Recordings between being asked for and being closed, those that wait included. */
	readonly maxOpen?: number;
}

/** Of one open recording. */
export interface DecodePlace {
	/** Nothing is decoded for it now, or hardly anything: somebody else's turn. */
	rest(): void;
	/** The recording is closed. */
	leave(): void;
}

/** Each takes up to some 40 MB of disk while it is heard. */
const maxOpenRecordings = 128;
const retryAfterS = 15;

export class DecodeQueue {
	readonly #atOnce: number;
	readonly #maxOpen: number;
	#open = 0;
	#running = 0;
	readonly #waiting: (() => void)[] = [];

	constructor({
		atOnce = availableParallelism(),
		maxOpen = maxOpenRecordings,
	}: DecodeQueueOptions = {}) {
		this.#atOnce = atOnce;
		this.#maxOpen = maxOpen;
	}

	/** Recordings that wait for their turn. */
	get waiting(): number {
		return this.#waiting.length;
	}

	/** Throws `overloaded` when no further recording can be opened. */
	checkRoom(): void {
		if (this.#open < this.#maxOpen) return;
		throw new AppError(
			'overloaded',
			`${this.#open} recordings are being heard or wait for it; no more are taken now. Try again later.`,
			{ retryAfterS },
		);
	}

	/** Waits for a turn. Rejects with `overloaded`, at once, and `cancelled`. */
	async enter(signal?: AbortSignal): Promise<DecodePlace> {
		this.checkRoom();
		if (signal?.aborted) throw new AppError('cancelled');
		this.#open++;
		let isRunning = true;
		let isOpen = true;
		const place: DecodePlace = {
			rest: () => {
				if (!isRunning) return;
				isRunning = false;
				const next = this.#waiting.shift();
				if (next === undefined) this.#running--;
				else next();
			},
			leave: () => {
				place.rest();
				if (isOpen) this.#open--;
				isOpen = false;
			},
		};
		if (this.#running < this.#atOnce) {
			this.#running++;
			return place;
		}
		try {
			await this.#turn(signal);
			return place;
		} catch (error) {
			isRunning = false;
			place.leave();
			throw error;
		}
	}

	#turn(signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve, reject) => {
			const onAbort = () => {
				this.#waiting.splice(this.#waiting.indexOf(turn), 1);
				reject(new AppError('cancelled'));
			};
			const turn = () => {
				signal?.removeEventListener('abort', onAbort);
				resolve();
			};
			signal?.addEventListener('abort', onAbort, { once: true });
			this.#waiting.push(turn);
		});
	}
}
