/** Counts in the files of a tokenizer, before anything is built of them. */

import { tokenizerLimits } from './fileLimits.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a tokenizer's file has too much of, as a part of a sentence; `undefined` for all others. */
export function tokenizerFault(file: string, value: Json): string | undefined {
	const { maxTokens, maxMerges, maxAddedTokens, maxSteps } = tokenizerLimits;
	const model = recordOf(value['model']);
	const counts: [what: string, count: number, limit: number][] =
		file === 'tokenizer.json'
			? [
					['tokens', sizeOf(model['vocab']), maxTokens],
					['merges', sizeOf(model['merges']), maxMerges],
					['added tokens', sizeOf(value['added_tokens']), maxAddedTokens],
					['steps', sections.reduce((sum, name) => sum + stepsOf(value[name]), 0), maxSteps],
				]
			: file === 'tokenizer_config.json'
				? [['added tokens', sizeOf(value['added_tokens_decoder']), maxAddedTokens]]
				: /^(target_)?vocab\.json$/.test(file)
					? [['tokens', sizeOf(value), maxTokens]]
					: [];
	const over = counts.find(([, count, limit]) => count > limit);
	return over && `has ${over[1]} ${over[0]}; at most ${over[2]} are read`;
}

const sections = ['normalizer', 'pre_tokenizer', 'decoder', 'post_processor'];
const lists = ['normalizers', 'pretokenizers', 'decoders', 'processors'];

/** Steps of a section; the depth of the file is limited already. */
function stepsOf(value: unknown): number {
	const step = recordOf(value);
	const inner = lists.flatMap((name) => (Array.isArray(step[name]) ? step[name] : []));
	return inner.reduce((sum: number, one) => sum + stepsOf(one), 1);
}

function recordOf(value: unknown): Json {
	return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function sizeOf(value: unknown): number {
	if (Array.isArray(value)) return value.length;
	return Object.keys(recordOf(value)).length;
}

/**
 * As {@link tokenizerFault}, of a vocabulary in one of the forms that are no JSON: lines of a .tiktoken
 * file, pieces (field 1) of a SentencePiece model. Bytes that are neither are left to their reader.
 */
export function vocabularyFault(file: string, bytes: Uint8Array): string | undefined {
	if (!/\.(spm|model|tiktoken)$/.test(file)) return undefined;
	const { maxTokens } = tokenizerLimits;
	// A SentencePiece model begins with the tag of its first piece.
	const count = bytes[0] === firstPiece ? piecesIn(bytes, maxTokens) : linesIn(bytes, maxTokens);
	return count > maxTokens
		? `has more than ${maxTokens} tokens; at most ${maxTokens} are read`
		: undefined;
}

/** Field 1, of bytes. */
const firstPiece = 0x0a;

function linesIn(bytes: Uint8Array, limit: number): number {
	let lines = 0;
	for (let at = bytes.indexOf(0x0a); at >= 0 && lines <= limit; at = bytes.indexOf(0x0a, at + 1))
		lines++;
	return lines;
}

function piecesIn(bytes: Uint8Array, limit: number): number {
	let pieces = 0;
	for (let at = 0; bytes[at] === firstPiece && pieces <= limit; pieces++) {
		let length = 0;
		let scale = 1;
		let byte = 0x80;
		for (at++; byte >= 0x80; at++, scale *= 128) {
			byte = bytes[at] ?? 0;
			length += (byte & 0x7f) * scale;
		}
		at += length;
	}
	return pieces;
}
