/** Finds every vocabulary entry that begins at a position: a sorted list narrowed character by character. */

/** Entries sorted by UTF-16 units; a first-unit table saves the widest search. */
export class PrefixIndex {
	readonly #tokens: readonly string[];
	readonly #ids: Int32Array;
	readonly #firsts = new Map<number, readonly [number, number]>();

	constructor(entries: readonly (readonly [string, number])[]) {
		const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
		this.#tokens = sorted.map(([token]) => token);
		this.#ids = Int32Array.from(sorted, ([, id]) => id);
		for (let from = 0; from < sorted.length; ) {
			const unit = this.#unit(from, 0);
			let to = from + 1;
			while (to < sorted.length && this.#unit(to, 0) === unit) to++;
			this.#firsts.set(unit, [from, to]);
			from = to;
		}
	}

	/** Calls back for every entry that starts at `at`, shortest first, with the unit after it. */
	matches(text: string, at: number, onMatch: (id: number, end: number) => void): void {
		const range = this.#firsts.get(text.charCodeAt(at));
		if (range === undefined) return;
		let [from, to] = range;
		for (let depth = 1; ; depth++) {
			// The shortest of the entries that share this prefix comes first.
			if ((this.#tokens[from] as string).length === depth) {
				onMatch(this.#ids[from] as number, at + depth);
				from++;
			}
			if (from >= to || at + depth >= text.length) return;
			const unit = text.charCodeAt(at + depth);
			from = this.#firstNotBelow(from, to, depth, unit);
			to = this.#firstNotBelow(from, to, depth, unit + 1);
			if (from >= to) return;
		}
	}

	#unit(index: number, depth: number): number {
		return (this.#tokens[index] as string).charCodeAt(depth);
	}

	#firstNotBelow(from: number, to: number, depth: number, unit: number): number {
		let low = from;
		let high = to;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.#unit(middle, depth) < unit) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
