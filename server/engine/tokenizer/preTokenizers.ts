/** The pre-tokenizers of tokenizer.json files: they cut text into pieces no token may cross. */

import { AppError } from '../../protocol/index.ts';
import { asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';
import type { AlignedText } from './alignedText.ts';
import { toByteChars } from './byteLevel.ts';
import { patternOf, replaceAll, wholeNumber } from './normalizers.ts';
import { compilePattern } from './regex.ts';

/** Cuts one piece into several; `isFirst` tells that it starts the whole text. */
export type PreTokenizer = (piece: AlignedText, isFirst: boolean) => AlignedText[];

const gpt2Pattern = compilePattern(
	"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
);
const whitespace = /\p{White_Space}+/gu;
const oneSpace = /\p{White_Space}/gu;
const punctuation = /[!-/:-@[-`{-~]|\p{P}/gu;

/** Builds a pre-tokenizer. @throws AppError `unsupported_model` for an unknown type */
export function buildPreTokenizer(value: unknown): PreTokenizer {
	const config = asRecord(value);
	if (config === undefined) return (piece) => [piece];
	const type = asString(config.type) ?? '';
	switch (type) {
		case 'Sequence': {
			const steps = (config.pretokenizers as unknown[]).map(buildPreTokenizer);
			return (piece, isFirst) =>
				steps.reduce<AlignedText[]>(
					(pieces, step) =>
						pieces.flatMap((part, index) =>
							part.text === '' ? [] : step(part, isFirst && index === 0),
						),
					[piece],
				);
		}
		case 'ByteLevel':
			return byteLevel(config);
		case 'Metaspace':
			return metaspace(config);
		case 'Split': {
			const pattern = patternOf(config.pattern);
			const behavior = asString(config.behavior) ?? 'Isolated';
			const invert = config.invert === true;
			return (piece) => split(piece, pattern, behavior, invert);
		}
		case 'Whitespace':
			return splitter(compilePattern('\\w+|[^\\w\\s]+'), 'Removed', true);
		case 'WhitespaceSplit':
			return splitter(whitespace, 'Removed');
		case 'BertPreTokenizer':
			return (piece) =>
				split(piece, oneSpace, 'Removed').flatMap((part) => split(part, punctuation, 'Isolated'));
		case 'Punctuation':
			return splitter(punctuation, asString(config.behavior) ?? 'Isolated');
		case 'Digits':
			return config.individual_digits === true
				? splitter(/\p{N}/gu, 'Isolated')
				: splitter(/\p{N}+/gu, 'Isolated');
		case 'CharDelimiterSplit':
			return splitter(patternOf(config.delimiter), 'Removed');
		case 'FixedLength':
			return fixedLength(wholeNumber(config.length, 5));
		default:
			throw new AppError(
				'unsupported_model',
				`The tokenizer uses the pre-tokenizer ${type}, which is not known here.`,
			);
	}
}

function splitter(pattern: RegExp, behavior: string, invert = false): PreTokenizer {
	return (piece) => split(piece, pattern, behavior, invert);
}

/** Cuts at matches; the behaviours are those of the `tokenizers` library. Empty pieces are left out. */
function split(
	piece: AlignedText,
	pattern: RegExp,
	behavior: string,
	invert = false,
): AlignedText[] {
	const { text } = piece;
	const cuts: { from: number; to: number; matched: boolean }[] = [];
	let at = 0;
	for (const match of text.matchAll(pattern)) {
		if (match[0] === '') continue;
		if (match.index > at) cuts.push({ from: at, to: match.index, matched: invert });
		at = match.index + match[0].length;
		cuts.push({ from: match.index, to: at, matched: !invert });
	}
	if (at < text.length) cuts.push({ from: at, to: text.length, matched: invert });
	return merge(cuts, behavior).map(({ from, to }) => piece.slice(from, to));
}

function merge(
	cuts: readonly { from: number; to: number; matched: boolean }[],
	behavior: string,
): { from: number; to: number }[] {
	if (behavior === 'Removed') return cuts.filter((cut) => !cut.matched);
	if (behavior === 'Isolated') return [...cuts];
	const merged: { from: number; to: number }[] = [];
	if (behavior === 'MergedWithNext') {
		let previousMatched = false;
		for (const cut of [...cuts].reverse()) {
			const last = merged.at(-1);
			if (cut.matched && !previousMatched && last !== undefined) last.from = cut.from;
			else merged.push({ from: cut.from, to: cut.to });
			previousMatched = cut.matched;
		}
		return merged.reverse();
	}
	let previousMatched = false;
	for (const cut of cuts) {
		const last = merged.at(-1);
		const joins =
			behavior === 'Contiguous' ? cut.matched === previousMatched : cut.matched && !previousMatched;
		if (joins && last !== undefined) last.to = cut.to;
		else merged.push({ from: cut.from, to: cut.to });
		previousMatched = cut.matched;
	}
	return merged;
}

function byteLevel(config: JsonRecord): PreTokenizer {
	const useRegex = config.use_regex !== false;
	const addSpace = config.add_prefix_space === true;
	return (piece) => {
		const spaced =
			addSpace && !piece.text.startsWith(' ')
				? piece.edited([{ from: 0, to: 0, text: ' ' }])
				: piece;
		const pieces = useRegex ? split(spaced, gpt2Pattern, 'Isolated') : [spaced];
		return pieces.map(toByteChars);
	};
}

function metaspace(config: JsonRecord): PreTokenizer {
	const mark = asString(config.replacement) ?? '\u2581';
	const legacy = config.add_prefix_space === false ? 'never' : 'always';
	const scheme = asString(config.prepend_scheme) ?? legacy;
	const mayCut = config.split !== false;
	const markPattern = patternOf(mark);
	return (piece, isFirst) => {
		let marked = replaceAll(piece, / /g, mark);
		const prepends = scheme === 'always' || (scheme === 'first' && isFirst);
		if (prepends && !marked.text.startsWith(mark)) {
			marked = marked.edited([{ from: 0, to: 0, text: mark }]);
		}
		return mayCut ? split(marked, markPattern, 'MergedWithNext') : [marked];
	};
}

function fixedLength(length: number): PreTokenizer {
	return (piece) => {
		const pieces: AlignedText[] = [];
		let from = 0;
		let at = 0;
		let count = 0;
		for (const char of piece.text) {
			at += char.length;
			if (++count % length === 0) {
				pieces.push(piece.slice(from, at));
				from = at;
			}
		}
		if (from < at) pieces.push(piece.slice(from, at));
		return pieces;
	};
}
