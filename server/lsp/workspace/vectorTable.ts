/** Vectors of chunks in memory, in eight bits each, searched one after the other: fast enough for hundreds of thousands. */

export interface Neighbour {
	readonly id: number;
	/** Cosine. */
	readonly score: number;
}

/** A vector as it is kept: its direction in steps of 1/127 of its largest number. */
export function quantised(vector: ArrayLike<number>): Int8Array {
	let largest = 0;
	for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at] ?? 0));
	const scale = largest === 0 ? 0 : 127 / largest;
	return Int8Array.from(vector, (value) => Math.round(value * scale));
}

/** One per index. All vectors have one length. */
export class VectorTable {
	#dimensions = 0;
	#values = new Int8Array(0);
	#lengths = new Float32Array(0);
	#ids: number[] = [];
	readonly #places = new Map<number, number>();

	get size(): number {
		return this.#ids.length;
	}

	set(id: number, vector: Int8Array): void {
		if (this.size === 0 && vector.length !== this.#dimensions) {
			this.clear();
			this.#dimensions = vector.length;
		}
		if (vector.length !== this.#dimensions) return;
		const place = this.#places.get(id) ?? this.#ids.length;
		if (place === this.#ids.length) {
			this.#ids.push(id);
			this.#places.set(id, place);
			this.#grow();
		}
		this.#values.set(vector, place * this.#dimensions);
		this.#lengths[place] = lengthOf(vector);
	}

	delete(id: number): void {
		const place = this.#places.get(id);
		if (place === undefined) return;
		const last = this.#ids.length - 1;
		const moved = this.#ids[last] ?? id;
		const size = this.#dimensions;
		this.#values.copyWithin(place * size, last * size, (last + 1) * size);
		this.#lengths[place] = this.#lengths[last] ?? 1;
		this.#ids[place] = moved;
		this.#places.set(moved, place);
		this.#ids.pop();
		this.#places.delete(id);
	}

	clear(): void {
		this.#ids = [];
		this.#places.clear();
		this.#values = new Int8Array(0);
		this.#lengths = new Float32Array(0);
	}

	/** The nearest, best first. */
	nearest(vector: Float32Array, limit: number): Neighbour[] {
		if (vector.length !== this.#dimensions) return [];
		const size = this.#dimensions;
		const values = this.#values;
		const best: Neighbour[] = [];
		const length = lengthOf(vector);
		let floor = Number.NEGATIVE_INFINITY;
		for (let place = 0; place < this.#ids.length; place++) {
			const start = place * size;
			let sum = 0;
			for (let at = 0; at < size; at++)
				sum += (values[start + at] as number) * (vector[at] as number);
			const score = sum / ((this.#lengths[place] ?? 1) * length);
			if (score <= floor && best.length >= limit) continue;
			best.push({ id: this.#ids[place] ?? 0, score });
			if (best.length < 4 * limit) continue;
			best.sort((a, b) => b.score - a.score).splice(limit);
			floor = best.at(-1)?.score ?? floor;
		}
		return best.sort((a, b) => b.score - a.score).slice(0, limit);
	}

	#grow(): void {
		if (this.#ids.length <= this.#lengths.length) return;
		const capacity = Math.max(1024, this.#lengths.length * 2);
		const values = new Int8Array(capacity * this.#dimensions);
		values.set(this.#values.subarray(0, this.#lengths.length * this.#dimensions));
		const lengths = new Float32Array(capacity);
		lengths.set(this.#lengths);
		this.#values = values;
		this.#lengths = lengths;
	}
}

function lengthOf(vector: ArrayLike<number>): number {
	let sum = 0;
	for (let at = 0; at < vector.length; at++) sum += (vector[at] ?? 0) ** 2;
	return Math.sqrt(sum) || 1;
}
