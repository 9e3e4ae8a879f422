/**
 * The vectors of images that requests are reading, under ids of their own beyond every vocabulary. A sequence holds
 * these ids where its image stands, so caches and their prefixes tell images apart as they do tokens.
 */

/** Positions of an image's vectors along both sides. */
export interface VectorGrid {
	readonly rows: number;
	readonly columns: number;
}

export interface SeenImage {
	/** `[vectors, hidden size]`. */
	readonly vectors: Float32Array;
	readonly count: number;
	readonly grid: VectorGrid | undefined;
}

interface Entry extends SeenImage {
	readonly key: string | undefined;
	users: number;
	usedAt: number;
}

/** Ids of vectors begin here. */
const firstId = 2 ** 32;
/** Most vectors of one image. */
export const maxVectorsOfImage = 2 ** 16;
/** Bytes of vectors that nobody reads now and that are kept for the next turn of a conversation. */
const maxIdleBytes = 64 << 20;

export const isVectorId = (id: number): boolean => id >= firstId;

/** Images in use, and some that were. One per model. */
export class ImageVectors {
	readonly #entries = new Map<number, Entry>();
	readonly #numbers = new Map<string, number>();
	#last = 0;
	#clock = 0;

	/** The number of an image that is known; it is in use until {@link release}. */
	find(key: string | undefined): number | undefined {
		const number = key === undefined ? undefined : this.#numbers.get(key);
		const entry = number === undefined ? undefined : this.#entries.get(number);
		if (entry === undefined) return undefined;
		entry.users++;
		return number;
	}

	/** Takes an image in, in use until {@link release}; without a key it is forgotten then. */
	add(key: string | undefined, image: SeenImage): number {
		const number = ++this.#last;
		this.#entries.set(number, { ...image, key, users: 1, usedAt: ++this.#clock });
		if (key !== undefined) this.#numbers.set(key, number);
		return number;
	}

	/** Ids of all vectors of an image, in their order. */
	ids(number: number): number[] {
		const first = firstId + number * maxVectorsOfImage;
		return Array.from({ length: this.#entries.get(number)?.count ?? 0 }, (_, row) => first + row);
	}

	release(number: number): void {
		const entry = this.#entries.get(number);
		if (entry === undefined) return;
		entry.users--;
		entry.usedAt = ++this.#clock;
		const idle = [...this.#entries].filter(([, { users }]) => users === 0);
		idle.sort(([, a], [, b]) => a.usedAt - b.usedAt);
		let bytes = idle.reduce((sum, [, { vectors }]) => sum + vectors.byteLength, 0);
		for (const [each, { vectors, key }] of idle) {
			if (bytes <= maxIdleBytes && key !== undefined) continue;
			bytes -= vectors.byteLength;
			this.#entries.delete(each);
			if (key !== undefined && this.#numbers.get(key) === each) this.#numbers.delete(key);
		}
	}

	/** The vector of an id; `undefined` when its image is gone. */
	vector(id: number): Float32Array | undefined {
		const { entry, row } = this.#at(id);
		if (entry === undefined) return undefined;
		const width = entry.vectors.length / entry.count;
		return entry.vectors.subarray(row * width, (row + 1) * width);
	}

	/** Where in its image an id stands. */
	place(id: number): { readonly row: number; readonly grid: VectorGrid | undefined } {
		const { entry, row } = this.#at(id);
		return { row, grid: entry?.grid };
	}

	#at(id: number): { readonly entry: Entry | undefined; readonly row: number } {
		const offset = id - firstId;
		const row = offset % maxVectorsOfImage;
		return { entry: this.#entries.get(Math.floor(offset / maxVectorsOfImage)), row };
	}
}
