/** Marian (OPUS-MT): one SentencePiece model per side and a joint vocabulary that gives the ids. */

import { AppError } from '../../protocol/index.ts';
import {
	asNumber,
	asString,
	type JsonRecord,
	readBinaryFile,
	readJsonFile,
} from '../modelFiles/json.ts';
import type { AddedToken } from './addedTokens.ts';
import { byteFallback, fallbackByte } from './decoders.ts';
import { sentencePieceModel, sentencePieceNormalizer } from './sentencePiece.ts';
import { readSentencePieceFile } from './sentencePieceFile.ts';
import { Tokenizer } from './tokenizer.ts';
import { type TokenizerModel, Vocabulary, VocabularyModel } from './tokenizerModel.ts';

/** The two sides of a Marian model; `decode` of either reads ids of its own vocabulary. */
export interface MarianTokenizers {
	readonly source: Tokenizer;
	readonly target: Tokenizer;
}

/** Whether a folder has the files of a Marian tokenizer. */
export async function readMarian(
	folder: string,
	config: JsonRecord,
): Promise<MarianTokenizers | undefined> {
	const source = await readBinaryFile(folder, 'source.spm');
	const vocabulary = await readJsonFile(folder, 'vocab.json');
	if (source === undefined || vocabulary === undefined) return undefined;
	const target = (await readBinaryFile(folder, 'target.spm')) ?? source;
	const targetVocabulary =
		config.separate_vocabs === true ? await readJsonFile(folder, 'target_vocab.json') : undefined;
	return {
		source: side(source, vocabularyOf(vocabulary), config),
		target: side(target, vocabularyOf(targetVocabulary ?? vocabulary), config),
	};
}

function side(model: Uint8Array, vocabulary: Vocabulary, config: JsonRecord): Tokenizer {
	const file = readSentencePieceFile(model);
	const unknownToken = asString(config.unk_token) ?? '<unk>';
	const endToken = asString(config.eos_token) ?? '</s>';
	const unknown = vocabulary.id(unknownToken);
	const end = vocabulary.id(endToken);
	if (unknown === undefined || end === undefined) {
		throw new AppError(
			'unsupported_model',
			`vocab.json of the model lacks ${unknown === undefined ? unknownToken : endToken}.`,
		);
	}
	const specials = [endToken, unknownToken, asString(config.pad_token) ?? '<pad>'];
	const added = specials.flatMap((content) => specialToken(content, vocabulary));
	return new Tokenizer({
		model: new NamedPieces(sentencePieceModel(file), vocabulary, unknown),
		normalizer: sentencePieceNormalizer(file),
		preTokenizer: (piece) => [piece],
		decoder: (tokens) => [byteFallback(tokens).join('').replaceAll('\u2581', ' ').trim()],
		specialTokens: { before: [], after: [end] },
		added,
		spelling: 'sentence-piece',
		cleansUp: false,
		isLinear: true,
	});
}

function specialToken(content: string, vocabulary: Vocabulary): AddedToken[] {
	const id = vocabulary.id(content);
	if (id === undefined) return [];
	return [
		{
			id,
			content,
			special: true,
			singleWord: false,
			stripsLeft: false,
			stripsRight: false,
			normalized: false,
		},
	];
}

function vocabularyOf(record: JsonRecord): Vocabulary {
	return new Vocabulary(
		Object.entries(record).flatMap(([token, id]) => {
			const number = asNumber(id);
			return number === undefined ? [] : [[token, number] as const];
		}),
	);
}

/** A SentencePiece model whose pieces get their ids from another vocabulary, by name. */
class NamedPieces extends VocabularyModel {
	readonly #pieces: TokenizerModel;
	readonly #unknown: number;

	constructor(pieces: TokenizerModel, vocabulary: Vocabulary, unknown: number) {
		super(vocabulary);
		this.#pieces = pieces;
		this.#unknown = unknown;
	}

	encode(text: string, ends: number[] = []): readonly number[] {
		const first = ends.length;
		let from = 0;
		return this.#pieces.encode(text, ends).map((piece, index) => {
			const to = ends[first + index] as number;
			const token = this.#pieces.idToToken(piece);
			// A byte is named by its token; any other piece by its text.
			const isByte = token !== undefined && fallbackByte(token) !== undefined;
			const id = this.vocabulary.id(isByte ? token : text.slice(from, to)) ?? this.#unknown;
			from = to;
			return id;
		});
	}
}
