/** What BPE, Unigram, WordPiece and word-level vocabularies have in common. */

import { tokenizerLimits } from '../../hub/modelData/fileLimits.ts';
import { AppError } from '../../protocol/index.ts';

/** Cuts one pre-token into vocabulary ids. */
export interface TokenizerModel {
	/**
	 * Ids of a piece. When `ends` is given it receives, for every id, the UTF-16 unit of `text` at
	 * which that token ends.
	 */
	encode(text: string, ends?: number[]): readonly number[];
	tokenToId(token: string): number | undefined;
	idToToken(id: number): string | undefined;
	/** Highest id + 1. */
	readonly size: number;
}

/** Above all ids that a vocabulary of the largest size and its added tokens may have. */
const idLimit = tokenizerLimits.maxTokens + tokenizerLimits.maxAddedTokens;

/** @throws AppError `unsupported_model` for what is no id: whatever reads a vocabulary counts up to its highest */
export function checkTokenId(token: string, id: unknown): void {
	if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < idLimit) return;
	throw new AppError(
		'unsupported_model',
		`The tokenizer of the model gives the token ${JSON.stringify(token.slice(0, 100))} the id ${String(JSON.stringify(id)).slice(0, 100)}; ids are whole numbers from 0 to ${idLimit - 1}. Take another build of the model.`,
	);
}

/** Ids and tokens both ways. */
export class Vocabulary {
	readonly #ids: Map<string, number>;
	readonly #tokens: (string | undefined)[] = [];

	constructor(entries: Iterable<readonly [string, number]>) {
		this.#ids = new Map();
		for (const [token, id] of entries) {
			checkTokenId(token, id);
			this.#ids.set(token, id);
			this.#tokens[id] = token;
		}
	}

	get size(): number {
		return this.#tokens.length;
	}

	id(token: string): number | undefined {
		return this.#ids.get(token);
	}

	token(id: number): string | undefined {
		return this.#tokens[id];
	}

	entries(): Iterable<[string, number]> {
		return this.#ids.entries();
	}
}

/** Ids of the tokens `<0x00>` … `<0xFF>`; some vocabularies leave out bytes that have a token of their own. */
export class ByteTokens {
	readonly #ids: readonly (number | undefined)[];

	constructor(vocabulary: Vocabulary) {
		this.#ids = Array.from({ length: 256 }, (_, byte) =>
			vocabulary.id(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
		);
	}

	/** One id per UTF-8 byte, or `undefined` when a byte has none. */
	encode(text: string): number[] | undefined {
		const ids: number[] = [];
		for (const byte of Buffer.from(text, 'utf8')) {
			const id = this.#ids[byte];
			if (id === undefined) return undefined;
			ids.push(id);
		}
		return ids;
	}
}

/** Bounded memory of results for pieces that come again and again. */
export class PieceCache<T> {
	readonly #limit: number;
	#entries = new Map<string, T>();

	constructor(limit = 20_000) {
		this.#limit = limit;
	}

	get(text: string): T | undefined {
		return this.#entries.get(text);
	}

	set(text: string, value: T): void {
		if (text.length > 64) return;
		if (this.#entries.size >= this.#limit) this.#entries = new Map();
		this.#entries.set(text, value);
	}
}

/** A model whose ids are those of one vocabulary. */
export abstract class VocabularyModel implements TokenizerModel {
	protected readonly vocabulary: Vocabulary;

	constructor(vocabulary: Vocabulary) {
		this.vocabulary = vocabulary;
	}

	get size(): number {
		return this.vocabulary.size;
	}

	tokenToId(token: string): number | undefined {
		return this.vocabulary.id(token);
	}

	idToToken(id: number): string | undefined {
		return this.vocabulary.token(id);
	}

	abstract encode(text: string, ends?: number[]): readonly number[];
}
