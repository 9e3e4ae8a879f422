/** Limits how many pieces of work run at a time; interactive work goes before batch work. */

import { AppError } from '../../protocol/index.ts';

type Priority = 'interactive' | 'batch';

interface Waiting {
	readonly priority: Priority;
	readonly start: () => void;
}

export interface PrioritySemaphoreOptions {
	/** Maximum pieces of batch work at once; one more if it is interactive. Default: 1. */
	readonly maxConcurrent: number;
	/** False if batch work that starts now could not share the runs of what is under way. */
	readonly canJoin: () => boolean;
}

/** A queue of promises with two priorities. A cancelled wait leaves the queue at once. */
export class PrioritySemaphore {
	readonly #options: PrioritySemaphoreOptions;
	#busy = 0;
	readonly #waiting: Waiting[] = [];

	constructor(options: PrioritySemaphoreOptions = { maxConcurrent: 1, canJoin: () => true }) {
		this.#options = options;
	}

	get waiting(): number {
		return this.#waiting.length;
	}

	async run<T>(priority: Priority, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		if (signal?.aborted) throw new AppError('cancelled');
		// First come, first served, except that interactive work may overtake.
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
		const { maxConcurrent, canJoin } = this.#options;
		if (this.#busy === 0) return true;
		if (maxConcurrent === 1) return false;
		return priority === 'interactive'
			? this.#busy <= maxConcurrent
			: this.#busy < maxConcurrent && canJoin();
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
			// Taken here, before the next call can see it as free.
			this.#busy++;
			entry.start();
		}
	}
}
