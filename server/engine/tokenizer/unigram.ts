/** Unigram language-model segmentation (SentencePiece): Viterbi over the pieces, linear in the text. */

import { asNumber, type JsonRecord } from '../modelFiles/json.ts';
import { PrefixIndex } from './prefixIndex.ts';
import { ByteTokens, PieceCache, Vocabulary, VocabularyModel } from './tokenizerModel.ts';

/** How much worse than the worst piece an unknown character is. */
const unknownPenalty = 10;

/** Settings of a unigram model. */
export interface UnigramOptions {
	readonly unknownId: number;
	readonly byteFallback: boolean;
	/** SentencePiece adds scores in single precision, the tokenizers library in double. */
	readonly singlePrecision: boolean;
	/** Pieces that never come out of segmentation (control symbols). */
	readonly hidden?: ReadonlySet<number>;
}

interface Encoded {
	readonly ids: readonly number[];
	readonly ends: readonly number[];
}

/** A unigram vocabulary: pieces with log-probabilities; ids are positions in the list. */
export class Unigram extends VocabularyModel {
	readonly #scores: readonly number[];
	readonly #index: PrefixIndex;
	readonly #options: UnigramOptions;
	readonly #bytes: ByteTokens | undefined;
	readonly #unknownScore: number;
	readonly #cache = new PieceCache<Encoded>();

	constructor(pieces: readonly (readonly [string, number])[], options: UnigramOptions) {
		super(new Vocabulary(pieces.map(([token], id) => [token, id] as const)));
		this.#scores = pieces.map(([, score]) => score);
		this.#options = options;
		const usable = pieces.flatMap(([token], id) =>
			token === '' || options.hidden?.has(id) ? [] : [[token, id] as const],
		);
		this.#index = new PrefixIndex(usable);
		this.#bytes = options.byteFallback ? new ByteTokens(this.vocabulary) : undefined;
		const known = this.#scores.filter((_, id) => !options.hidden?.has(id));
		this.#unknownScore = known.reduce((min, score) => Math.min(min, score), 0) - unknownPenalty;
	}

	encode(text: string, ends?: number[]): readonly number[] {
		let encoded = this.#cache.get(text);
		if (encoded === undefined) {
			encoded = this.#segment(text);
			this.#cache.set(text, encoded);
		}
		if (ends !== undefined) for (const end of encoded.ends) ends.push(end);
		return encoded.ids;
	}

	#segment(text: string): Encoded {
		const length = text.length;
		const scores = new Float64Array(length + 1).fill(Number.NEGATIVE_INFINITY);
		const starts = new Int32Array(length + 1);
		const pieceIds = new Int32Array(length + 1);
		const round = this.#options.singlePrecision ? Math.fround : (value: number) => value;
		const { unknownId } = this.#options;
		scores[0] = 0;
		for (let at = 0; at < length; ) {
			const code = text.codePointAt(at) as number;
			const charLength = code > 0xffff ? 2 : 1;
			const base = scores[at] as number;
			let hasSingle = false;
			this.#index.matches(text, at, (id, end) => {
				if (end - at === charLength) hasSingle = true;
				const score = round(base + (this.#scores[id] as number));
				if (score > (scores[end] as number)) {
					scores[end] = score;
					starts[end] = at;
					pieceIds[end] = id;
				}
			});
			const end = at + charLength;
			if (!hasSingle) {
				const score = round(base + this.#unknownScore);
				if (score > (scores[end] as number)) {
					scores[end] = score;
					starts[end] = at;
					pieceIds[end] = unknownId;
				}
			}
			at = end;
		}
		return this.#path(text, starts, pieceIds);
	}

	#path(text: string, starts: Int32Array, pieceIds: Int32Array): Encoded {
		const spans: { id: number; from: number; to: number }[] = [];
		for (let to = text.length; to > 0; ) {
			const id = pieceIds[to] as number;
			const from = starts[to] as number;
			const after = spans.at(-1);
			// A run of unknown characters is one unknown token.
			if (id === this.#options.unknownId && after?.id === id) after.from = from;
			else spans.push({ id, from, to });
			to = from;
		}
		const ids: number[] = [];
		const ends: number[] = [];
		for (const { id, from, to } of spans.reverse()) {
			const unknown = id === this.#options.unknownId;
			const parts = (unknown ? this.#bytes?.encode(text.slice(from, to)) : undefined) ?? [id];
			for (const part of parts) {
				ids.push(part);
				ends.push(to);
			}
		}
		return { ids, ends };
	}
}

/** Builds the unigram model of a tokenizer.json file. */
export function buildUnigram(config: JsonRecord): Unigram {
	const pieces = (Array.isArray(config.vocab) ? config.vocab : []).map(
		(entry) => [String(entry[0]), Number(entry[1])] as const,
	);
	return new Unigram(pieces, {
		unknownId: asNumber(config.unk_id) ?? 0,
		byteFallback: config.byte_fallback === true,
		singlePrecision: false,
	});
}
