/** One piece of work at a time; interactive work goes before batch work. */

import { AppError } from '../../protocol/index.ts';

interface Waiting {
	readonly priority: 'interactive' | 'batch';
	readonly start: () => void;
}

/** A queue of promises with two priorities. A cancelled wait leaves the queue at once. */
export class Turns {
	#busy = false;
	readonly #waiting: Waiting[] = [];

	get waiting(): number {
		return this.#waiting.length;
	}

	async take<T>(
		priority: Waiting['priority'],
		work: () => Promise<T>,
		signal?: AbortSignal,
	): Promise<T> {
		if (signal?.aborted) throw new AppError('cancelled');
		if (this.#busy) await this.#wait(priority, signal);
		this.#busy = true;
		try {
			return await work();
		} finally {
			this.#next();
		}
	}

	#wait(priority: Waiting['priority'], signal: AbortSignal | undefined): Promise<void> {
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
		const urgent = this.#waiting.findIndex((entry) => entry.priority === 'interactive');
		const [entry] = this.#waiting.splice(Math.max(0, urgent), 1);
		// The place stays taken for the next one, so nobody slips in between.
		if (entry === undefined) this.#busy = false;
		else entry.start();
	}
}
