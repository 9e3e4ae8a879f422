/** WordPiece (BERT) and word-level vocabularies: longest match first. */

import { asNumber, asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';
import { Vocabulary, VocabularyModel } from './tokenizerModel.ts';

/** A WordPiece vocabulary; with `wholeWords` a piece is one token or unknown. */
export class WordPiece extends VocabularyModel {
	readonly #unknown: number;
	readonly #prefix: string;
	readonly #maxChars: number;
	readonly #wholeWords: boolean;

	constructor(config: JsonRecord, wholeWords = false) {
		super(new Vocabulary(Object.entries(asRecord(config.vocab) ?? {}) as [string, number][]));
		this.#unknown = this.vocabulary.id(asString(config.unk_token) ?? '[UNK]') ?? 0;
		this.#prefix = asString(config.continuing_subword_prefix) ?? '##';
		this.#maxChars = asNumber(config.max_input_chars_per_word) ?? 100;
		this.#wholeWords = wholeWords;
	}

	encode(text: string, ends?: number[]): readonly number[] {
		const found = this.#wholeWords ? this.#whole(text) : this.#pieces(text);
		const { ids, stops } = found ?? { ids: [this.#unknown], stops: [text.length] };
		if (ends !== undefined) for (const stop of stops) ends.push(stop);
		return ids;
	}

	#whole(text: string) {
		const id = this.vocabulary.id(text);
		return id === undefined ? undefined : { ids: [id], stops: [text.length] };
	}

	#pieces(text: string): { ids: number[]; stops: number[] } | undefined {
		const chars = [...text];
		if (chars.length > this.#maxChars) return undefined;
		const ids: number[] = [];
		const stops: number[] = [];
		for (let from = 0; from < text.length; ) {
			let to = text.length;
			let id: number | undefined;
			while (to > from) {
				const part = text.slice(from, to);
				id = this.vocabulary.id(from === 0 ? part : this.#prefix + part);
				if (id !== undefined) break;
				to--;
			}
			if (id === undefined) return undefined;
			ids.push(id);
			stops.push(to);
			from = to;
		}
		return { ids, stops };
	}
}
