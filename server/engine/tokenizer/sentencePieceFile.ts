/** Reads a SentencePiece model file (`.spm`, `.model`; sentencepiece_model.proto). */

import { AppError } from '../../protocol/index.ts';

/** `type` of a piece. */
export const pieceType = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 };

/** One entry of the vocabulary; its id is its position. */
export interface SentencePiece {
	readonly text: string;
	readonly score: number;
	/** One of {@link pieceType}. */
	readonly type: number;
}

/** What segmentation needs of the file. */
export interface SentencePieceFile {
	readonly pieces: readonly SentencePiece[];
	readonly kind: 'unigram' | 'bpe' | 'word' | 'char';
	readonly byteFallback: boolean;
	/** Precompiled character map; empty = none. */
	readonly charsMap: Uint8Array;
	readonly addDummyPrefix: boolean;
	readonly removeExtraWhitespaces: boolean;
}

/** @throws AppError `unsupported_model` when the bytes are no SentencePiece model */
export function readSentencePieceFile(bytes: Uint8Array): SentencePieceFile {
	try {
		return parse(bytes);
	} catch (error) {
		throw new AppError(
			'unsupported_model',
			'The SentencePiece model of the tokenizer cannot be read; download the model again.',
			{ cause: error },
		);
	}
}

const kinds = ['unigram', 'unigram', 'bpe', 'word', 'char'] as const;

function parse(bytes: Uint8Array): SentencePieceFile {
	const pieces: SentencePiece[] = [];
	let kind: SentencePieceFile['kind'] = 'unigram';
	let byteFallback = false;
	let charsMap: Uint8Array = new Uint8Array();
	let addDummyPrefix = true;
	let removeExtraWhitespaces = true;
	for (const field of fields(bytes)) {
		if (field.number === 1) pieces.push(readPiece(field.bytes));
		else if (field.number === 2) {
			for (const option of fields(field.bytes)) {
				if (option.number === 3) kind = kinds[option.value] ?? 'unigram';
				else if (option.number === 35) byteFallback = option.value !== 0;
			}
		} else if (field.number === 3) {
			for (const option of fields(field.bytes)) {
				if (option.number === 2) charsMap = option.bytes;
				else if (option.number === 3) addDummyPrefix = option.value !== 0;
				else if (option.number === 4) removeExtraWhitespaces = option.value !== 0;
			}
		}
	}
	if (pieces.length === 0) throw new Error('no pieces');
	return { pieces, kind, byteFallback, charsMap, addDummyPrefix, removeExtraWhitespaces };
}

const utf8 = new TextDecoder();

function readPiece(bytes: Uint8Array): SentencePiece {
	let text = '';
	let score = 0;
	let type = pieceType.normal;
	for (const field of fields(bytes)) {
		if (field.number === 1) text = utf8.decode(field.bytes);
		else if (field.number === 2) {
			score = new DataView(field.bytes.buffer, field.bytes.byteOffset, 4).getFloat32(0, true);
		} else if (field.number === 3) type = field.value;
	}
	return { text, score, type };
}

interface Field {
	readonly number: number;
	readonly value: number;
	readonly bytes: Uint8Array;
}

const noBytes = new Uint8Array();

function* fields(bytes: Uint8Array): Generator<Field> {
	let at = 0;
	const varint = (): number => {
		let value = 0;
		for (let scale = 1; scale < 2 ** 70; scale *= 128) {
			const byte = bytes[at++];
			if (byte === undefined) break;
			value += (byte & 0x7f) * scale;
			if (byte < 0x80) return value;
		}
		throw new Error('bad number');
	};
	while (at < bytes.length) {
		const tag = varint();
		const number = Math.floor(tag / 8);
		const wire = tag % 8;
		if (wire === 0) {
			yield { number, value: varint(), bytes: noBytes };
			continue;
		}
		const length = wire === 2 ? varint() : wire === 5 ? 4 : wire === 1 ? 8 : -1;
		if (length < 0 || at + length > bytes.length) throw new Error('bad field');
		yield { number, value: 0, bytes: bytes.subarray(at, at + length) };
		at += length;
	}
}
