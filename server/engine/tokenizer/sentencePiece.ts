/** Segments text as the SentencePiece library does: its normalisation, then unigram or BPE. */

import type { AlignedText, Edit } from './alignedText.ts';
import { Bpe } from './bpe.ts';
import { CharsMap } from './charsmap.ts';
import { buildDecoder } from './decoders.ts';
import { replaceAll } from './normalizers.ts';
import { pieceType, type SentencePieceFile } from './sentencePieceFile.ts';
import { Tokenizer } from './tokenizer.ts';
import { type TokenizerModel, Vocabulary } from './tokenizerModel.ts';
import { Unigram } from './unigram.ts';

const space = '\u2581';

/** The normalisation of a model file: character map, spaces collapsed and marked, dummy prefix. */
export function sentencePieceNormalizer(
	file: SentencePieceFile,
): (piece: AlignedText) => AlignedText {
	const map = file.charsMap.length > 4 ? new CharsMap(file.charsMap) : undefined;
	return (piece) => {
		let text = map === undefined ? piece : map.normalizeLongest(piece);
		if (file.removeExtraWhitespaces) text = collapseSpaces(text);
		if (text.text === '') return text;
		if (file.addDummyPrefix) text = text.edited([{ from: 0, to: 0, text: ' ' }]);
		return replaceAll(text, / /g, space);
	};
}

function collapseSpaces(piece: AlignedText): AlignedText {
	const { text } = piece;
	const edits: Edit[] = [];
	for (const run of text.matchAll(/ +/g)) {
		const end = run.index + run[0].length;
		const outer = run.index === 0 || end === text.length;
		const keep = outer ? 0 : 1;
		if (run[0].length > keep) edits.push({ from: run.index + keep, to: end, text: '' });
	}
	return piece.edited(edits);
}

/** The segmentation of a model file. */
export function sentencePieceModel(file: SentencePieceFile): TokenizerModel {
	return file.kind === 'bpe' ? bpeModel(file) : unigramModel(file);
}

function unigramModel(file: SentencePieceFile): Unigram {
	const normal = file.pieces.filter((piece) => piece.type === pieceType.normal);
	const best = normal.reduce((max, piece) => Math.max(max, piece.score), Number.NEGATIVE_INFINITY);
	const hidden = new Set<number>();
	for (const [id, { type }] of file.pieces.entries()) {
		if (type !== pieceType.normal && type !== pieceType.userDefined) hidden.add(id);
	}
	const pieces = file.pieces.map(({ text, score, type }) => {
		// Symbols the user defined always win over what they could be cut into.
		const bonus = Buffer.byteLength(text) * best - 0.1;
		return [text, type === pieceType.userDefined ? bonus : score] as const;
	});
	return new Unigram(pieces, {
		unknownId: unknownId(file),
		byteFallback: file.byteFallback,
		singlePrecision: true,
		hidden,
	});
}

function bpeModel(file: SentencePieceFile): Bpe {
	const vocabulary = new Vocabulary(file.pieces.map((piece, id) => [piece.text, id] as const));
	const mergeable = file.pieces.map(
		({ type }) => type === pieceType.normal || type === pieceType.userDefined,
	);
	const order = file.pieces.map((_, id) => id);
	const score = (id: number) => file.pieces[id]?.score ?? 0;
	order.sort((a, b) => score(b) - score(a));
	const ranks = new Int32Array(order.length);
	let rank = 0;
	for (const [index, id] of order.entries()) {
		if (index > 0 && score(id) !== score(order[index - 1] as number)) rank++;
		ranks[id] = rank;
	}
	return new Bpe(
		vocabulary,
		(left, right) => {
			const id = vocabulary.id(`${vocabulary.token(left)}${vocabulary.token(right)}`);
			if (id === undefined || mergeable[id] !== true) return undefined;
			return { rank: ranks[id] as number, id };
		},
		{
			unknownToken: file.pieces[unknownId(file)]?.text,
			fuseUnknown: true,
			byteFallback: file.byteFallback,
		},
	);
}

function unknownId(file: SentencePieceFile): number {
	const id = file.pieces.findIndex((piece) => piece.type === pieceType.unknown);
	return id < 0 ? 0 : id;
}

/** A tokenizer made of a model file alone, as Llama-style folders without tokenizer.json have it. */
export function sentencePieceTokenizer(file: SentencePieceFile, bosToken = '<s>'): Tokenizer {
	const added = file.pieces.flatMap(({ text, type }, id) =>
		type === pieceType.control || type === pieceType.unknown
			? [
					{
						id,
						content: text,
						special: true,
						singleWord: false,
						stripsLeft: false,
						stripsRight: false,
						normalized: false,
					},
				]
			: [],
	);
	const bos = file.pieces.findIndex((piece) => piece.text === bosToken);
	return new Tokenizer({
		model: sentencePieceModel(file),
		normalizer: sentencePieceNormalizer(file),
		preTokenizer: (piece) => [piece],
		decoder: buildDecoder({
			type: 'Sequence',
			decoders: [
				{ type: 'Replace', pattern: { String: space }, content: ' ' },
				{ type: 'ByteFallback' },
				{ type: 'Fuse' },
				{ type: 'Strip', content: ' ', start: file.addDummyPrefix ? 1 : 0, stop: 0 },
			],
		}),
		specialTokens: { before: bos < 0 ? [] : [bos], after: [] },
		added,
		spelling: 'sentence-piece',
		cleansUp: false,
		isLinear: true,
	});
}
