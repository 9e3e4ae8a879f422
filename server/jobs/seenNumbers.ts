/**
 * Numbers that were seen before, however many: eight bytes each in a table outside the heap. A `Set` of as many takes
 * five times that, and the collector goes through all of it again and again.
 */

/** Places at the beginning; always a power of two. */
const firstPlaces = 1024;
/** Part of the places that may be taken: beyond it, looking one up takes ever longer. */
const maxFilled = 0.7;

export class SeenNumbers {
	#places = new Float64Array(firstPlaces);
	#size = 0;

	get size(): number {
		return this.#size;
	}

	/**
	 * Notes a number.
	 * @param value a whole number from 0 to 2^53 - 2, spread evenly, as of a digest
	 * @returns whether it was new
	 */
	add(value: number): boolean {
		// An empty place holds 0.
		const isNew = place(this.#places, value + 1);
		if (isNew && ++this.#size > this.#places.length * maxFilled) this.#grow();
		return isNew;
	}

	#grow(): void {
		const larger = new Float64Array(this.#places.length * 2);
		for (const held of this.#places) if (held !== 0) place(larger, held);
		this.#places = larger;
	}
}

/** Puts a number into the first free place from its own on; `false` where it is there already. */
function place(places: Float64Array, held: number): boolean {
	const { length } = places;
	for (let at = held % length; ; at = at + 1 === length ? 0 : at + 1) {
		const found = places[at];
		if (found === held) return false;
		if (found !== 0) continue;
		places[at] = held;
		return true;
	}
}
