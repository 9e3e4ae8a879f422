/**
 * Things of a length, kept so that taking some of like length costs what is taken, however many there are.
 */

export class LikeLengths<T> {
	/** By their length. */
	readonly #byLength: (Set<T> | undefined)[] = [];
	readonly #lengthOf: (item: T) => number;
	#size = 0;

	/** @param lengthOf a small whole number */
	constructor(lengthOf: (item: T) => number) {
		this.#lengthOf = lengthOf;
	}

	get size(): number {
		return this.#size;
	}

	add(item: T): void {
		const length = this.#lengthOf(item);
		const group = this.#byLength[length] ?? new Set();
		this.#byLength[length] = group;
		if (group.has(item)) return;
		group.add(item);
		this.#size++;
	}

	delete(item: T): void {
		if (this.#byLength[this.#lengthOf(item)]?.delete(item)) this.#size--;
	}

	/** The others, those of like length first. */
	*near(first: T): Generator<T, void, undefined> {
		const middle = this.#lengthOf(first);
		let left = this.#size;
		for (let away = 0; left > 0 && away <= this.#byLength.length + middle; away++)
			for (const length of away === 0 ? [middle] : [middle - away, middle + away])
				for (const item of this.#byLength[length] ?? []) {
					left--;
					if (item !== first) yield item;
				}
	}
}
