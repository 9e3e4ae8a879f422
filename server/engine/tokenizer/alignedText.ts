/** Text on its way through a tokenizer, with the place in the original that every UTF-16 unit came from. */

/** One replacement: units `[from, to)` become `text`. */
export interface Edit {
	readonly from: number;
	readonly to: number;
	readonly text: string;
}

/**
 * Immutable text with alignment. Untracked text (plain encoding) keeps no tables, so it costs nothing;
 * its offsets are meaningless.
 */
export class AlignedText {
	readonly text: string;
	readonly tracked: boolean;
	readonly #origin: number;
	readonly #starts: Int32Array | undefined;
	readonly #ends: Int32Array | undefined;

	/** Text that is still identical to the original from unit `origin` on. */
	constructor(text: string, tracked: boolean, origin = 0, starts?: Int32Array, ends?: Int32Array) {
		this.text = text;
		this.tracked = tracked;
		this.#origin = origin;
		this.#starts = starts;
		this.#ends = ends;
	}

	/** Original offset where unit `index` begins. */
	startOf(index: number): number {
		if (this.#starts === undefined) return this.#origin + index;
		if (this.text.length === 0) return this.#origin;
		return index < this.text.length
			? (this.#starts[index] as number)
			: (this.#ends?.[this.text.length - 1] as number);
	}

	/** Original offset where unit `index` ends. */
	endOf(index: number): number {
		return this.#ends === undefined ? this.#origin + index + 1 : (this.#ends[index] as number);
	}

	/** Original `[start, end)` of units `[from, to)`. */
	span(from: number, to: number): [number, number] {
		if (to <= from) return [this.startOf(from), this.startOf(from)];
		const start = this.startOf(from);
		return [start, Math.max(start, this.endOf(to - 1))];
	}

	/** Units `[from, to)`. */
	slice(from: number, to: number): AlignedText {
		if (from === 0 && to === this.text.length) return this;
		const text = this.text.slice(from, to);
		if (this.#starts === undefined) {
			return new AlignedText(text, this.tracked, this.#origin + from);
		}
		const starts = this.#starts.subarray(from, to);
		return new AlignedText(
			text,
			this.tracked,
			this.startOf(from),
			starts,
			this.#ends?.subarray(from, to),
		);
	}

	/** The text with edits applied; they must be sorted and must not overlap. */
	edited(edits: readonly Edit[]): AlignedText {
		if (edits.length === 0) return this;
		const parts: string[] = [];
		let at = 0;
		for (const edit of edits) {
			parts.push(this.text.slice(at, edit.from), edit.text);
			at = edit.to;
		}
		parts.push(this.text.slice(at));
		const text = parts.join('');
		if (!this.tracked) return new AlignedText(text, false, this.#origin);
		return this.#aligned(text, edits);
	}

	#aligned(text: string, edits: readonly Edit[]): AlignedText {
		const starts = new Int32Array(text.length);
		const ends = new Int32Array(text.length);
		let to = 0;
		let at = 0;
		const keep = (until: number) => {
			for (; at < until; at++, to++) {
				starts[to] = this.startOf(at);
				ends[to] = this.endOf(at);
			}
		};
		for (const edit of edits) {
			keep(edit.from);
			const [start, end] = this.span(edit.from, edit.to);
			starts.fill(start, to, to + edit.text.length);
			ends.fill(end, to, to + edit.text.length);
			to += edit.text.length;
			at = edit.to;
		}
		keep(this.text.length);
		return new AlignedText(text, true, this.#origin, starts, ends);
	}
}
