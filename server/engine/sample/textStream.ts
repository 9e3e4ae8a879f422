/**
 * Turns tokens into text as they come: whole characters only, stop strings found across token
 * borders, and nothing shown that may still turn out to be the beginning of a stop string.
 */

/** Text and tokens that are settled. */
export interface TextPiece {
	readonly text: string;
	/** Indices (in order of arrival) of the tokens whose text begins in this piece. */
	readonly tokens: readonly number[];
	/** The stop string that ended the text. */
	readonly stop?: string;
}

export class TextStream {
	readonly #stops: readonly string[];
	readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	#pending = '';
	/** Where each token not yet shown begins, relative to the pending text. */
	#waiting: { token: number; start: number }[] = [];
	#count = 0;
	#stopped = false;

	constructor(stops: readonly string[]) {
		this.#stops = stops.filter((stop) => stop !== '');
	}

	/** Adds a token's bytes; empty for tokens without text. */
	push(bytes: Uint8Array): TextPiece {
		this.#waiting.push({ token: this.#count++, start: this.#pending.length });
		return this.#take(this.#decoder.decode(bytes, { stream: true }), false);
	}

	/** The text is over: shows what was held back; an incomplete character becomes U+FFFD. */
	end(): TextPiece {
		return this.#take(this.#decoder.decode(), true);
	}

	#take(added: string, all: boolean): TextPiece {
		if (this.#stopped) return { text: '', tokens: [] };
		const from = this.#pending.length;
		this.#pending += added;
		const found = this.#find(from);
		if (found !== undefined) {
			this.#stopped = true;
			return { ...this.#show(found.at, false), stop: found.stop };
		}
		return this.#show(all ? this.#pending.length : this.#pending.length - this.#held(), all);
	}

	/** Earliest stop string; the longest of those that begin at the same place. */
	#find(from: number): { at: number; stop: string } | undefined {
		let best: { at: number; stop: string } | undefined;
		for (const stop of this.#stops) {
			const at = this.#pending.indexOf(stop, Math.max(0, from - stop.length + 1));
			if (at === -1) continue;
			if (
				best === undefined ||
				at < best.at ||
				(at === best.at && stop.length > best.stop.length)
			) {
				best = { at, stop };
			}
		}
		return best;
	}

	/** Length of the longest end of the pending text that begins a stop string. */
	#held(): number {
		let held = 0;
		for (const stop of this.#stops) {
			const maxHeld = Math.min(stop.length - 1, this.#pending.length);
			for (let length = maxHeld; length > held; length--) {
				if (this.#pending.endsWith(stop.slice(0, length))) {
					held = length;
					break;
				}
			}
		}
		return held;
	}

	#show(end: number, all: boolean): TextPiece {
		const text = this.#pending.slice(0, end);
		const settled = (start: number): boolean => all || start < end;
		const tokens = this.#waiting.filter(({ start }) => settled(start)).map(({ token }) => token);
		this.#waiting = this.#waiting
			.filter(({ start }) => !settled(start))
			.map(({ token, start }) => ({ token, start: Math.max(0, start - end) }));
		this.#pending = this.#pending.slice(end);
		return { text, tokens };
	}
}
