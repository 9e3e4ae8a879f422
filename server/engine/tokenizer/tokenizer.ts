/** A tokenizer.json file at work: added tokens → normalizer → pre-tokenizer → model, and back. */

import { AppError } from '../../protocol/index.ts';
import { largestOf } from '../../protocol/lists.ts';
import type { PairPiece } from '../api.ts';
import { asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';
import { type AddedToken, AddedTokenSplitter, readAddedTokens } from './addedTokens.ts';
import { AlignedText } from './alignedText.ts';
import { buildBpe } from './bpe.ts';
import { bytesOfChars } from './byteLevel.ts';
import { buildDecoder, cleanUp, fallbackByte, type TokenDecoder } from './decoders.ts';
import { isLinear } from './linearParts.ts';
import { buildNormalizer, type Normalizer } from './normalizers.ts';
import {
	readPairTemplate,
	readSpecialTokenTemplate,
	type SpecialTokenTemplate,
} from './postProcessor.ts';
import { buildPreTokenizer, type PreTokenizer } from './preTokenizers.ts';
import type { TokenizerModel } from './tokenizerModel.ts';
import { buildUnigram } from './unigram.ts';
import { WordPiece } from './wordPiece.ts';

/** How tokens become bytes, one by one. */
export type TokenSpelling = 'byte-level' | 'sentence-piece' | 'word-piece' | 'plain';

/** The parts of a tokenizer; {@link readTokenizer} makes them from files. */
export interface TokenizerParts {
	readonly model: TokenizerModel;
	readonly normalizer: Normalizer;
	readonly preTokenizer: PreTokenizer;
	readonly decoder: TokenDecoder;
	readonly specialTokens: SpecialTokenTemplate;
	/** How two texts are read together; absent: as two, one behind the other. */
	readonly pairTemplate?: readonly PairPiece[];
	readonly added: readonly AddedToken[];
	readonly spelling: TokenSpelling;
	readonly cleansUp: boolean;
	/** Normalizer and pre-tokenizer take time in proportion to the text. */
	readonly isLinear: boolean;
}

/** Longest token of a vocabulary that is looked up within bounds. */
const maxTokenChars = 256;

/** Encodes and decodes. Offsets are UTF-16 `[start, end)` into the given text. */
export class Tokenizer {
	readonly #parts: TokenizerParts;
	readonly #raw: AddedTokenSplitter;
	#normalized: AddedTokenSplitter | undefined;
	#isBounded: boolean | undefined;
	readonly #byId = new Map<number, AddedToken>();
	readonly #byContent = new Map<string, AddedToken>();
	readonly specialIds: ReadonlySet<number>;

	constructor(parts: TokenizerParts) {
		this.#parts = parts;
		const { added } = parts;
		for (const token of added) {
			this.#byId.set(token.id, token);
			this.#byContent.set(token.content, token);
		}
		this.#raw = new AddedTokenSplitter(
			added
				.filter((token) => !token.normalized)
				.map((token) => ({ content: token.content, token })),
		);
		this.specialIds = new Set(added.filter((token) => token.special).map((token) => token.id));
	}

	/** Highest id + 1. */
	get vocabularySize(): number {
		return largestOf(
			this.#parts.added.map((token) => token.id + 1),
			this.#parts.model.size,
		);
	}

	/** Added tokens as they are in normalised text. Reading the files runs nothing of theirs, so: on first use. */
	get #normalizedTokens(): AddedTokenSplitter {
		const { added, normalizer } = this.#parts;
		this.#normalized ??= new AddedTokenSplitter(
			added
				.filter((token) => token.normalized)
				.map((token) => ({
					content: normalizer(new AlignedText(token.content, false)).text,
					token,
				})),
		);
		return this.#normalized;
	}

	/** Encoding takes time in proportion to the text, whoever made the files. */
	get isBounded(): boolean {
		const { isLinear, model, added } = this.#parts;
		this.#isBounded ??=
			isLinear &&
			added.every((token) => token.content.length <= maxTokenChars) &&
			maxTokenLength(model) <= maxTokenChars;
		return this.#isBounded;
	}

	get spelling(): TokenSpelling {
		return this.#parts.spelling;
	}

	get pairTemplate(): readonly PairPiece[] {
		return this.#parts.pairTemplate ?? [];
	}

	get specialTokens(): SpecialTokenTemplate {
		return this.#parts.specialTokens;
	}

	get addedTokens(): readonly AddedToken[] {
		return this.#parts.added;
	}

	encode(text: string, addSpecial: boolean): number[] {
		const ids = this.#encode(new AlignedText(text, false));
		if (!addSpecial) return ids;
		return [...this.#parts.specialTokens.before, ...ids, ...this.#parts.specialTokens.after];
	}

	/** Ids of the text itself (nothing around it) with their places in it. */
	encodeWithOffsets(text: string): { ids: number[]; offsets: [number, number][] } {
		const offsets: [number, number][] = [];
		const ids = this.#encode(new AlignedText(text, true), offsets);
		return { ids, offsets };
	}

	#encode(text: AlignedText, offsets?: [number, number][]): number[] {
		const { model, normalizer, preTokenizer } = this.#parts;
		const ids: number[] = [];
		const addToken = (token: AddedToken, piece: AlignedText) => {
			ids.push(token.id);
			offsets?.push(piece.span(0, piece.text.length));
		};
		let isFirst = true;
		for (const { piece, token } of this.#raw.split(text)) {
			if (token !== undefined) {
				addToken(token, piece);
				isFirst = false;
				continue;
			}
			for (const part of this.#normalizedTokens.split(normalizer(piece))) {
				if (part.token !== undefined) addToken(part.token, part.piece);
				else {
					for (const word of preTokenizer(part.piece, isFirst))
						encodeWord(model, word, ids, offsets);
				}
				isFirst = false;
			}
		}
		return ids;
	}

	decode(ids: readonly number[], skipSpecial: boolean): string {
		const tokens: string[] = [];
		for (const id of ids) {
			if (skipSpecial && this.specialIds.has(id)) continue;
			const token = this.token(id);
			if (token !== undefined) tokens.push(token);
		}
		const text = this.#parts.decoder(tokens).join('');
		return this.#parts.cleansUp ? cleanUp(text) : text;
	}

	/** The token's own spelling in the vocabulary. */
	token(id: number): string | undefined {
		return this.#byId.get(id)?.content ?? this.#parts.model.idToToken(id);
	}

	tokenToId(token: string): number | undefined {
		return this.#byContent.get(token)?.id ?? this.#parts.model.tokenToId(token);
	}

	isAdded(id: number): boolean {
		return this.#byId.has(id);
	}

	/** Bytes the token adds to a text, a leading space included. */
	tokenBytes(id: number): Uint8Array {
		const added = this.#byId.get(id);
		if (added !== undefined) {
			const isPiece = !added.special && this.#parts.spelling === 'sentence-piece';
			const text = isPiece ? added.content.replaceAll('\u2581', ' ') : added.content;
			return Buffer.from(text, 'utf8');
		}
		const token = this.#parts.model.idToToken(id);
		if (token === undefined) return new Uint8Array();
		switch (this.#parts.spelling) {
			case 'byte-level':
				return bytesOfChars(token);
			case 'sentence-piece': {
				const byte = fallbackByte(token);
				return byte === undefined
					? Buffer.from(token.replaceAll('\u2581', ' '), 'utf8')
					: Uint8Array.of(byte);
			}
			case 'word-piece':
				return Buffer.from(token.startsWith('##') ? token.slice(2) : ` ${token}`, 'utf8');
			case 'plain':
				return Buffer.from(token.replace(/<\/w>$/, ' '), 'utf8');
		}
	}
}

function maxTokenLength(model: TokenizerModel): number {
	let longest = 0;
	for (let id = 0; id < model.size; id++)
		longest = Math.max(longest, model.idToToken(id)?.length ?? 0);
	return longest;
}

function encodeWord(
	model: TokenizerModel,
	word: AlignedText,
	ids: number[],
	offsets: [number, number][] | undefined,
): void {
	if (word.text === '') return;
	if (offsets === undefined) {
		for (const id of model.encode(word.text)) ids.push(id);
		return;
	}
	const ends: number[] = [];
	let from = 0;
	for (const [index, id] of model.encode(word.text, ends).entries()) {
		const to = ends[index] as number;
		ids.push(id);
		// Several byte tokens of one character share its place.
		offsets.push(word.span(from < to ? from : Math.max(0, lastCharBefore(word.text, to)), to));
		from = to;
	}
}

function lastCharBefore(text: string, end: number): number {
	const isPair = end > 1 && (text.codePointAt(end - 2) as number) > 0xffff;
	return end - (isPair ? 2 : 1);
}

/** Makes a tokenizer of the parsed tokenizer.json and tokenizer_config.json. */
export function readTokenizer(tokenizer: JsonRecord, config: JsonRecord): Tokenizer {
	const normalizer = asRecord(tokenizer.normalizer);
	const decoder = asRecord(tokenizer.decoder);
	const family = JSON.stringify([
		decoder?.type,
		decoder?.decoders,
		asRecord(tokenizer.pre_tokenizer),
	]);
	return new Tokenizer({
		model: buildModel(asRecord(tokenizer.model) ?? {}),
		normalizer: buildNormalizer(withBertOptions(normalizer, config)),
		preTokenizer: buildPreTokenizer(tokenizer.pre_tokenizer),
		decoder: buildDecoder(decoder),
		specialTokens: readSpecialTokenTemplate(tokenizer.post_processor),
		pairTemplate: readPairTemplate(tokenizer.post_processor),
		added: readAddedTokens(tokenizer, config),
		spelling: spellingOf(family),
		cleansUp: config.clean_up_tokenization_spaces === true && spellingOf(family) === 'word-piece',
		isLinear: isLinear(tokenizer),
	});
}

function spellingOf(family: string): TokenSpelling {
	if (family.includes('ByteLevel')) return 'byte-level';
	if (family.includes('WordPiece')) return 'word-piece';
	return family.includes('Metaspace') ||
		family.includes('\u2581') ||
		family.includes('ByteFallback')
		? 'sentence-piece'
		: 'plain';
}

// The tokenizer classes of BERT models let these settings win over the file's normalizer.
function withBertOptions(normalizer: JsonRecord | undefined, config: JsonRecord) {
	if (normalizer?.type !== 'BertNormalizer') return normalizer;
	return {
		...normalizer,
		...(typeof config.do_lower_case === 'boolean' ? { lowercase: config.do_lower_case } : {}),
		...(typeof config.strip_accents === 'boolean' ? { strip_accents: config.strip_accents } : {}),
	};
}

function buildModel(config: JsonRecord): TokenizerModel {
	const type = asString(config.type) ?? guessType(config);
	switch (type) {
		case 'BPE':
			return buildBpe(config);
		case 'Unigram':
			return buildUnigram(config);
		case 'WordPiece':
			return new WordPiece(config);
		case 'WordLevel':
			return new WordPiece(config, true);
		default:
			throw new AppError(
				'unsupported_model',
				`The tokenizer is of the type ${type}, which is not known here.`,
			);
	}
}

function guessType(config: JsonRecord): string {
	if (Array.isArray(config.merges)) return 'BPE';
	if (Array.isArray(config.vocab)) return 'Unigram';
	return config.continuing_subword_prefix === undefined ? 'WordLevel' : 'WordPiece';
}
