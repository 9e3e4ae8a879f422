/** A few pieces of work at a time; interactive work goes before batch work. */

import { AppError } from '../../protocol/index.ts';

type Priority = 'interactive' | 'batch';

interface Waiting {
	readonly priority: Priority;
	readonly start: () => void;
}

export interface TurnsOptions {
	/** Pieces of batch work at once; one more when it is interactive. Default: one of either. */
	readonly atOnce: number;
	/** False while batch work that comes now would have to go on alone. */
	readonly mayJoin: () => boolean;
}

/** A queue of promises with two priorities. A cancelled wait leaves the queue at once. */
export class Turns {
	readonly #options: TurnsOptions;
	#busy = 0;
	readonly #waiting: Waiting[] = [];

	constructor(options: TurnsOptions = { atOnce: 1, mayJoin: () => true }) {
		this.#options = options;
	}

	get waiting(): number {
		return this.#waiting.length;
	}

	async take<T>(priority: Priority, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		if (signal?.aborted) throw new AppError('cancelled');
		// Nobody overtakes those who wait, except where the keyboard waits.
		const queued = this.#waiting.some((entry) => entry.priority === priority);
		if (queued || !this.#hasRoom(priority)) await this.#wait(priority, signal);
		else this.#busy++;
		try {
			return await work();
		} finally {
			this.#busy--;
			this.#next();
		}
	}

	#hasRoom(priority: Priority): boolean {
		const { atOnce, mayJoin } = this.#options;
		if (this.#busy === 0) return true;
		if (atOnce === 1) return false;
		return priority === 'interactive' ? this.#busy <= atOnce : this.#busy < atOnce && mayJoin();
	}

	#wait(priority: Priority, signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve, reject) => {
			const leave = () => {
				this.#waiting.splice(this.#waiting.indexOf(entry), 1);
				reject(new AppError('cancelled'));
			};
			const entry: Waiting = {
				priority,
				start: () => {
					signal?.removeEventListener('abort', leave);
					resolve();
				},
			};
			signal?.addEventListener('abort', leave, { once: true });
			this.#waiting.push(entry);
		});
	}

	#next(): void {
		for (;;) {
			const urgent = this.#waiting.findIndex((entry) => entry.priority === 'interactive');
			const index = Math.max(0, urgent);
			const entry = this.#waiting[index];
			if (entry === undefined || !this.#hasRoom(entry.priority)) return;
			this.#waiting.splice(index, 1);
			// The place is taken here, so nobody slips in between.
			this.#busy++;
			entry.start();
		}
	}
}
