/** The precompiled character map of SentencePiece: a double-array trie (Darts) and normalised strings. */

import { AppError } from '../../protocol/index.ts';
import type { AlignedText, Edit } from './alignedText.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
/** Bytes of the longest entry and of the longest string; the published maps stay far below. */
const maxEntryBytes = 256;

/** A character map; `longest` picks SentencePiece's own rule, otherwise that of tokenizer.json files. */
export class CharsMap {
	readonly #units: Uint32Array;
	readonly #strings: Uint8Array;
	readonly #cache = new Map<string, string | undefined>();
	readonly #segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

	/**
	 * @param blob `uint32 trie bytes, trie, zero-terminated strings`, little endian
	 * @throws AppError `unsupported_model` when it says to be longer than it is
	 */
	constructor(blob: Uint8Array) {
		const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
		const trieBytes = blob.length < 4 ? 0 : view.getUint32(0, true);
		if (trieBytes > blob.length - 4)
			throw new AppError(
				'unsupported_model',
				'The character map of the tokenizer is cut off; download the model again.',
			);
		this.#units = new Uint32Array(trieBytes >> 2);
		for (let i = 0; i < this.#units.length; i++) this.#units[i] = view.getUint32(4 + i * 4, true);
		this.#strings = blob.subarray(4 + trieBytes);
	}

	/** As tokenizer.json's `Precompiled`: whole grapheme clusters of up to 5 bytes first, then characters. */
	normalizeGraphemes(piece: AlignedText): AlignedText {
		const edits: Edit[] = [];
		const { text } = piece;
		if (isPlain(text)) {
			for (let at = 0; at < text.length; at++) this.#edit(edits, text[at] as string, at);
			return piece.edited(edits);
		}
		for (const { segment, index } of this.#segmenter.segment(text)) {
			const whole = Buffer.byteLength(segment) < 6 ? this.#lookUp(segment) : undefined;
			if (whole !== undefined) {
				if (whole !== segment) {
					edits.push({ from: index, to: index + segment.length, text: whole });
				}
				continue;
			}
			let at = index;
			for (const char of segment) {
				this.#edit(edits, char, at);
				at += char.length;
			}
		}
		return piece.edited(edits);
	}

	/** As SentencePiece itself: the longest entry at every position. */
	normalizeLongest(piece: AlignedText): AlignedText {
		const edits: Edit[] = [];
		const { text } = piece;
		const bytes = encoder.encode(text);
		let byte = 0;
		for (let at = 0; at < text.length; ) {
			const [length, value] = this.#longest(bytes, byte);
			if (length === 0) {
				const char = String.fromCodePoint(text.codePointAt(at) as number);
				byte += Buffer.byteLength(char);
				at += char.length;
				continue;
			}
			const from = at;
			for (const end = byte + length; byte < end; ) {
				const char = String.fromCodePoint(text.codePointAt(at) as number);
				byte += Buffer.byteLength(char);
				at += char.length;
			}
			edits.push({ from, to: at, text: this.#stringAt(value) });
		}
		return piece.edited(edits);
	}

	#edit(edits: Edit[], char: string, at: number): void {
		const mapped = this.#lookUp(char);
		if (mapped !== undefined && mapped !== char) {
			edits.push({ from: at, to: at + char.length, text: mapped });
		}
	}

	// The first (shortest) entry that is a prefix of the chunk, as the reference takes it.
	#lookUp(chunk: string): string | undefined {
		if (this.#cache.has(chunk)) return this.#cache.get(chunk);
		let found: string | undefined;
		this.#walk(encoder.encode(chunk), 0, (_length, value) => {
			found = this.#stringAt(value);
			return false;
		});
		if (this.#cache.size < 50_000) this.#cache.set(chunk, found);
		return found;
	}

	#longest(bytes: Uint8Array, from: number): [length: number, value: number] {
		let best: [number, number] = [0, 0];
		this.#walk(bytes, from, (length, value) => {
			best = [length, value];
			return true;
		});
		return best;
	}

	#walk(
		bytes: Uint8Array,
		from: number,
		onEntry: (length: number, value: number) => boolean,
	): void {
		const units = this.#units;
		let unit = units[0] ?? 0;
		let position = offsetOf(unit);
		for (let at = from; at < bytes.length && at < from + maxEntryBytes; at++) {
			const byte = bytes[at] as number;
			position ^= byte;
			unit = units[position] ?? 0;
			if ((unit & 0x800000ff) >>> 0 !== byte) return;
			position ^= offsetOf(unit);
			if (((unit >>> 8) & 1) === 1) {
				const value = (units[position] ?? 0) & 0x7fffffff;
				if (!onEntry(at - from + 1, value)) return;
			}
		}
	}

	#stringAt(start: number): string {
		let end = start;
		const limit = Math.min(this.#strings.length, start + maxEntryBytes);
		while (end < limit && this.#strings[end] !== 0) end++;
		return decoder.decode(this.#strings.subarray(start, end));
	}
}

function offsetOf(unit: number): number {
	return ((unit >>> 10) << ((unit & 0x200) >>> 6)) >>> 0;
}

// Clusters of several units cannot occur in ASCII without carriage returns.
function isPlain(text: string): boolean {
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code > 126 || code === 13) return false;
	}
	return true;
}
