/** Lets only so many at work at once; the others wait in their order, however many they are. */

import { AppError } from '../protocol/index.ts';

export class Places {
	#free: number;
	readonly #waiting = new Set<() => void>();

	constructor(count: number) {
		this.#free = count;
	}

	/** Waits for a place; rejects with `cancelled`. */
	async take(signal?: AbortSignal): Promise<Disposable> {
		if (signal?.aborted) throw new AppError('cancelled');
		if (this.#free > 0) this.#free--;
		else await this.#turn(signal);
		let isTaken = true;
		const leave = () => {
			if (!isTaken) return;
			isTaken = false;
			const [next] = this.#waiting;
			if (next) next();
			else this.#free++;
		};
		// Who was given a place and goes at that moment passes it on.
		if (signal?.aborted) {
			leave();
			throw new AppError('cancelled');
		}
		return { [Symbol.dispose]: leave };
	}

	#turn(signal: AbortSignal | undefined): Promise<void> {
		return new Promise((resolve, reject) => {
			const go = () => {
				this.#waiting.delete(go);
				signal?.removeEventListener('abort', leave);
				resolve();
			};
			const leave = () => {
				this.#waiting.delete(go);
				reject(new AppError('cancelled'));
			};
			this.#waiting.add(go);
			signal?.addEventListener('abort', leave, { once: true });
		});
	}
}
