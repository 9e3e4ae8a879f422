/** Gathers the sentences of all texts of a request, so that prompts hold what stands side by side. */

/** Answers sentences in their order. */
type Flush<T, R> = (items: readonly T[]) => Promise<readonly R[]>;

export class SentencePool<T, R> {
	readonly #waiting = new Map<number, readonly T[]>();
	readonly #expected: number;
	readonly #flush: Flush<T, R>;
	readonly #all = Promise.withResolvers<ReadonlyMap<number, readonly R[]>>();

	/** @param expected Texts whose sentences are waited for; each is given once. */
	constructor(expected: number, flush: Flush<T, R>) {
		this.#expected = expected;
		this.#flush = flush;
		// Who waits for nothing any more does not hear of failures.
		this.#all.promise.catch(() => {});
	}

	/**
	 * The sentences of one text; what a text gives after its first ones is answered by itself.
	 *
	 * @param place Of the text among the others.
	 */
	async add(place: number, items: readonly T[]): Promise<readonly R[]> {
		if (this.#waiting.has(place)) return this.#flush(items);
		this.#waiting.set(place, items);
		if (this.#waiting.size === this.#expected) void this.#run();
		return (await this.#all.promise).get(place) ?? [];
	}

	async #run(): Promise<void> {
		const texts = [...this.#waiting].sort(([a], [b]) => a - b);
		try {
			const answers = await this.#flush(texts.flatMap(([, items]) => items));
			let next = 0;
			const found = new Map<number, readonly R[]>();
			for (const [place, { length }] of texts) {
				found.set(place, answers.slice(next, next + length));
				next += length;
			}
			this.#all.resolve(found);
		} catch (error) {
			this.#all.reject(error);
		}
	}
}
