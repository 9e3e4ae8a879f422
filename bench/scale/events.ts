/** The core of the simulator: events in the order of their times, and random numbers that a seed determines. */

/** Calls back at simulated times; those of one time in the order in which they were set. */
export class Events {
	now = 0;
	readonly #heap: { readonly at: number; readonly seq: number; readonly run: () => void }[] = [];
	#seq = 0;

	/** @param at simulated seconds, not before now */
	set(at: number, run: () => void): void {
		const heap = this.#heap;
		heap.push({ at: Math.max(at, this.now), seq: this.#seq++, run });
		for (let child = heap.length - 1; child > 0; ) {
			const parent = (child - 1) >> 1;
			if (this.#before(parent, child)) break;
			this.#swap(parent, child);
			child = parent;
		}
	}

	/** Runs until nothing is left, or until it is told to stop. */
	run(isOver: () => boolean = () => false): void {
		const heap = this.#heap;
		while (heap.length > 0 && !isOver()) {
			const first = heap[0] as (typeof heap)[number];
			const last = heap.pop() as (typeof heap)[number];
			if (heap.length > 0) {
				heap[0] = last;
				this.#sink();
			}
			this.now = first.at;
			first.run();
		}
	}

	#sink(): void {
		const heap = this.#heap;
		for (let parent = 0; ; ) {
			const left = 2 * parent + 1;
			if (left >= heap.length) return;
			const right = left + 1;
			const child = right < heap.length && this.#before(right, left) ? right : left;
			if (this.#before(parent, child)) return;
			this.#swap(parent, child);
			parent = child;
		}
	}

	#before(left: number, right: number): boolean {
		const [one, two] = [this.#heap[left], this.#heap[right]];
		if (one === undefined || two === undefined) return true;
		return one.at < two.at || (one.at === two.at && one.seq < two.seq);
	}

	#swap(left: number, right: number): void {
		const heap = this.#heap;
		[heap[left], heap[right]] = [heap[right] as never, heap[left] as never];
	}
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export function randomOf(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Time to the next of events that come by chance. */
export const exponential = (random: () => number, mean: number): number =>
	-mean * Math.log(1 - random());

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((left, right) => left - right);
	const at = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
	return sorted[at] ?? Number.NaN;
}

export const mean = (values: readonly number[]): number =>
	values.reduce((sum, value) => sum + value, 0) / values.length;
