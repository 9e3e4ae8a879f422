/** Room for work: so much at a time, in turn; whoever only waits for somebody else's store gives its part up meanwhile. */

/** Does something that needs no room: it is given up, and taken again afterwards. */
export type Outside = <T>(work: () => Promise<T>) => Promise<T>;

/** A part of the room as its holder sees it. */
export interface WorkPlace extends Disposable {
	readonly outside: Outside;
}

interface Waiting {
	readonly size: number;
	/** Somebody who had a part before. */
	readonly isBack: boolean;
	readonly enter: () => void;
}

export class WorkPlaces {
	#free: number;
	readonly #all: number;
	#waiting: Waiting[] = [];

	/** @param all whole number, from 0 */
	constructor(all: number) {
		this.#free = all;
		this.#all = all;
	}

	/**
	 * Waits for so much of the room, or for all of it where there is less. Who comes later is not let in before.
	 * Resolves without any when the signal is aborted, as nobody works any more then.
	 */
	async take(size: number, signal: AbortSignal): Promise<WorkPlace> {
		const part = Math.min(size, this.#all);
		let holds = await this.#enter(part, false, signal);
		let isOver = false;
		const leave = () => {
			if (holds) this.#leave(part);
			holds = false;
		};
		return {
			outside: async (work) => {
				leave();
				try {
					return await work();
				} finally {
					// Its work may have been given up meanwhile.
					if (!isOver) {
						holds = await this.#enter(part, true, signal);
						if (isOver) leave();
					}
				}
			},
			[Symbol.dispose]: () => {
				isOver = true;
				leave();
			},
		};
	}

	/** Whether there is room; `false` when the signal is aborted. */
	#enter(size: number, isBack: boolean, signal: AbortSignal): Promise<boolean> {
		if (signal.aborted) return Promise.resolve(false);
		if (this.#waiting.length === 0 && size <= this.#free) {
			this.#free -= size;
			return Promise.resolve(true);
		}
		return new Promise((resolve) => {
			const end = (holds: boolean) => {
				signal.removeEventListener('abort', giveUp);
				resolve(holds);
			};
			const own: Waiting = { size, isBack, enter: () => end(true) };
			const giveUp = () => {
				this.#waiting = this.#waiting.filter((one) => one !== own);
				end(false);
				this.#letIn();
			};
			signal.addEventListener('abort', giveUp, { once: true });
			const place = isBack ? this.#waiting.findIndex((one) => !one.isBack) : -1;
			this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, own);
			this.#letIn();
		});
	}

	#leave(size: number): void {
		this.#free += size;
		this.#letIn();
	}

	#letIn(): void {
		for (
			let next = this.#waiting[0];
			next !== undefined && next.size <= this.#free;
			next = this.#waiting[0]
		) {
			this.#waiting.shift();
			this.#free -= next.size;
			next.enter();
		}
	}
}
