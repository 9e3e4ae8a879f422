/** Who may have a document's thread: so many at once, each owner some of them, and the others in fair turns. */

import { AppError } from '../../protocol/errors.ts';

export interface PlaceCounts {
	/** Threads at work at the same time. */
	readonly places: number;
	/** Of these for one owner, so that many documents of one leave room for the others. */
	readonly placesOfOwner: number;
	/** Documents that wait for a place, of everybody and of one owner. */
	readonly waiting: number;
	readonly waitingOfOwner: number;
}

interface Waiting {
	readonly owner: string;
	readonly go: () => void;
}

const retryAfterS = 15;

/** Places, given back by disposing of them. */
export class DocumentPlaces {
	readonly #counts: PlaceCounts;
	/** Owners that have places, with how many. */
	readonly #held = new Map<string, number>();
	#taken = 0;
	readonly #waiting: Waiting[] = [];

	constructor(counts: PlaceCounts) {
		this.#counts = counts;
	}

	/** Waits for a place. Rejects with `overloaded`, at once, and `cancelled`. */
	async take(owner: string, signal: AbortSignal): Promise<Disposable> {
		if (signal.aborted) throw new AppError('cancelled');
		if (this.#hasPlaceFor(owner)) this.#give(owner);
		else {
			this.#checkRoom(owner);
			await this.#turn(owner, signal);
		}
		let isHeld = true;
		return {
			[Symbol.dispose]: () => {
				if (isHeld) this.#takeBack(owner);
				isHeld = false;
			},
		};
	}

	#heldBy(owner: string): number {
		return this.#held.get(owner) ?? 0;
	}

	#hasPlaceFor(owner: string): boolean {
		const { places, placesOfOwner } = this.#counts;
		return this.#taken < places && this.#heldBy(owner) < placesOfOwner;
	}

	#give(owner: string): void {
		this.#taken++;
		this.#held.set(owner, this.#heldBy(owner) + 1);
	}

	#takeBack(owner: string): void {
		this.#taken--;
		const left = this.#heldBy(owner) - 1;
		if (left > 0) this.#held.set(owner, left);
		else this.#held.delete(owner);
		const next = this.#next();
		if (next === undefined) return;
		this.#waiting.splice(this.#waiting.indexOf(next), 1);
		this.#give(next.owner);
		next.go();
	}

	/** Of those that may go, whose owner has the fewest places; among these the one that came first. */
	#next(): Waiting | undefined {
		let next: Waiting | undefined;
		for (const one of this.#waiting) {
			if (!this.#hasPlaceFor(one.owner)) continue;
			if (next === undefined || this.#heldBy(one.owner) < this.#heldBy(next.owner)) next = one;
		}
		return next;
	}

	#checkRoom(owner: string): void {
		const { waiting, waitingOfOwner } = this.#counts;
		const own = this.#waiting.filter((one) => one.owner === owner).length;
		if (this.#waiting.length < waiting && own < waitingOfOwner) return;
		const whose = own < waitingOfOwner ? '' : ' of yours';
		const count = own < waitingOfOwner ? this.#waiting.length : own;
		throw new AppError(
			'overloaded',
			`${count} documents${whose} wait to be translated; no more are taken now. Try again later.`,
			{ retryAfterS },
		);
	}

	#turn(owner: string, signal: AbortSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			const leave = () => {
				this.#waiting.splice(this.#waiting.indexOf(one), 1);
				reject(new AppError('cancelled'));
			};
			const one: Waiting = {
				owner,
				go: () => {
					signal.removeEventListener('abort', leave);
					resolve();
				},
			};
			signal.addEventListener('abort', leave, { once: true });
			this.#waiting.push(one);
		});
	}
}
