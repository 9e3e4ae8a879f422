/** Places at work: whoever only waits for somebody else's store gives its place up meanwhile. */

/** Does something that needs no place: it is given up, and taken again afterwards. */
export type Outside = <T>(work: () => Promise<T>) => Promise<T>;

/** One place as its holder sees it. */
export interface WorkPlace extends Disposable {
	readonly outside: Outside;
}

interface Waiting {
	/** Somebody who had a place before. */
	readonly isBack: boolean;
	readonly enter: () => void;
}

export class WorkPlaces {
	#free: number;
	#waiting: Waiting[] = [];
	readonly #onBack: () => void;

	/** @param onBack Told when somebody waits to come back */
	constructor(places: number, onBack: () => void) {
		this.#free = places;
		this.#onBack = onBack;
	}

	/** Whether somebody waits to come back, for whom idle ones make room. */
	get isWanted(): boolean {
		return this.#waiting.some(({ isBack }) => isBack);
	}

	/** Waits for a place. Resolves without one when the signal is aborted, as nobody works any more then. */
	async take(signal: AbortSignal): Promise<WorkPlace> {
		let holds = await this.#enter(false, signal);
		let isOver = false;
		const leave = () => {
			if (holds) this.#leave();
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
						holds = await this.#enter(true, signal);
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

	/** Whether there is a place; `false` when the signal is aborted. */
	#enter(isBack: boolean, signal: AbortSignal): Promise<boolean> {
		if (signal.aborted) return Promise.resolve(false);
		if (this.#free > 0) {
			this.#free--;
			return Promise.resolve(true);
		}
		return new Promise((resolve) => {
			const end = (holds: boolean) => {
				signal.removeEventListener('abort', giveUp);
				resolve(holds);
			};
			const own: Waiting = { isBack, enter: () => end(true) };
			const giveUp = () => {
				this.#waiting = this.#waiting.filter((one) => one !== own);
				end(false);
			};
			signal.addEventListener('abort', giveUp, { once: true });
			this.#waiting.push(own);
			if (isBack) this.#onBack();
		});
	}

	#leave(): void {
		const at = this.#waiting.findIndex(({ isBack }) => isBack);
		const [next] = this.#waiting.splice(Math.max(0, at), 1);
		if (next === undefined) this.#free++;
		else next.enter();
	}
}
