/** The normalizers of tokenizer.json files. */

import { AppError } from '../../protocol/index.ts';
import { asNumber, asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';
import type { AlignedText, Edit } from './alignedText.ts';
import { toByteChars } from './byteLevel.ts';
import { CharsMap } from './charsmap.ts';
import { compilePattern, literalPattern } from './regex.ts';

/** Rewrites text and keeps its alignment. */
export type Normalizer = (piece: AlignedText) => AlignedText;

/** Builds a normalizer; absent means unchanged. @throws AppError `unsupported_model` for an unknown type */
export function buildNormalizer(value: unknown): Normalizer {
	const config = asRecord(value);
	if (config === undefined) return (piece) => piece;
	const type = asString(config.type) ?? '';
	switch (type) {
		case 'Sequence': {
			const steps = (config.normalizers as unknown[]).map(buildNormalizer);
			return (piece) => steps.reduce((text, step) => step(text), piece);
		}
		case 'NFC':
		case 'NFD':
		case 'NFKC':
		case 'NFKD':
			return (piece) => unicodeForm(piece, type);
		case 'Lowercase':
			return lowercase;
		case 'Nmt':
			return nmt;
		case 'Strip':
			return (piece) => strip(piece, config.strip_left !== false, config.strip_right !== false);
		case 'StripAccents':
			return (piece) => replaceAll(piece, /\p{M}/gu, '');
		case 'Prepend': {
			const prefix = asString(config.prepend) ?? '';
			return (piece) =>
				piece.text === '' ? piece : piece.edited([{ from: 0, to: 0, text: prefix }]);
		}
		case 'Replace': {
			const pattern = patternOf(config.pattern);
			const content = asString(config.content) ?? '';
			return (piece) => replaceAll(piece, pattern, content);
		}
		case 'BertNormalizer':
			return bertNormalizer(config);
		case 'ByteLevel':
			return toByteChars;
		case 'Precompiled': {
			const encoded = asString(config.precompiled_charsmap);
			if (encoded === undefined) return (piece) => piece;
			const map = new CharsMap(Buffer.from(encoded, 'base64'));
			return (piece) => map.normalizeGraphemes(piece);
		}
		default:
			throw new AppError(
				'unsupported_model',
				`The tokenizer uses the normalizer ${type}, which is not known here.`,
			);
	}
}

/** `{"String": …}` or `{"Regex": …}` as a pattern. */
export function patternOf(value: unknown): RegExp {
	const record = asRecord(value);
	const text = asString(value) ?? asString(record?.String);
	if (text !== undefined) return literalPattern(text);
	return compilePattern(asString(record?.Regex) ?? '');
}

/** Replaces every match by a fixed text. */
export function replaceAll(piece: AlignedText, pattern: RegExp, content: string): AlignedText {
	const edits: Edit[] = [];
	for (const match of piece.text.matchAll(pattern)) {
		if (match[0] === '') continue;
		edits.push({ from: match.index, to: match.index + match[0].length, text: content });
	}
	return piece.edited(edits);
}

function perChar(piece: AlignedText, change: (char: string) => string): AlignedText {
	const edits: Edit[] = [];
	let at = 0;
	for (const char of piece.text) {
		const changed = change(char);
		if (changed !== char) edits.push({ from: at, to: at + char.length, text: changed });
		at += char.length;
	}
	return piece.edited(edits);
}

// Text between two starters that do not compose with each other can be normalised on its own.
const cluster = /[\u1100-\u11ff\uac00-\ud7ff]+|\P{M}\p{M}*|\p{M}+/gu;

/**
 * Marks on one letter that are put in order. That takes time by the square of their number, in one step
 * that nothing ends; no script has more than a dozen.
 */
const pileOfMarks = /\p{M}{512}/u;

function unicodeForm(piece: AlignedText, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): AlignedText {
	if (pileOfMarks.test(piece.text)) throw new RangeError('too many marks on one letter');
	const whole = piece.text.normalize(form);
	if (whole === piece.text) return piece;
	if (!piece.tracked) return piece.edited([{ from: 0, to: piece.text.length, text: whole }]);
	const edits: Edit[] = [];
	for (const match of piece.text.matchAll(cluster)) {
		const text = match[0].normalize(form);
		if (text !== match[0]) {
			edits.push({ from: match.index, to: match.index + match[0].length, text });
		}
	}
	const aligned = piece.edited(edits);
	return aligned.text === whole
		? aligned
		: piece.edited([{ from: 0, to: piece.text.length, text: whole }]);
}

function lowercase(piece: AlignedText): AlignedText {
	return perChar(piece, (char) => char.toLowerCase());
}

function strip(piece: AlignedText, left: boolean, right: boolean): AlignedText {
	const leading = left ? (/^\p{White_Space}*/u.exec(piece.text)?.[0].length ?? 0) : 0;
	const rest = piece.text.slice(leading);
	const trailing = right ? (/\p{White_Space}*$/u.exec(rest)?.[0].length ?? 0) : 0;
	return piece.slice(leading, piece.text.length - trailing);
}

function nmt(piece: AlignedText): AlignedText {
	return perChar(piece, (char) => {
		if (/[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]/.test(char)) return '';
		return /[\u0009\u000a\u000c\u000d\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/.test(char)
			? ' '
			: char;
	});
}

function bertNormalizer(config: JsonRecord): Normalizer {
	const lower = config.lowercase !== false;
	const stripAccents = typeof config.strip_accents === 'boolean' ? config.strip_accents : lower;
	return (piece) => {
		let text = piece;
		if (config.clean_text !== false) text = perChar(text, cleanChar);
		if (config.handle_chinese_chars !== false) {
			text = perChar(text, (char) => (isHan(char.codePointAt(0) ?? 0) ? ` ${char} ` : char));
		}
		if (stripAccents) text = replaceAll(unicodeForm(text, 'NFD'), /\p{Mn}/gu, '');
		return lower ? lowercase(text) : text;
	};
}

function cleanChar(char: string): string {
	if (char === '\t' || char === '\n' || char === '\r') return ' ';
	if (char === '\0' || char === '\ufffd' || /[\p{Cc}\p{Cf}\p{Cn}\p{Co}]/u.test(char)) return '';
	return /\p{White_Space}/u.test(char) ? ' ' : char;
}

function isHan(code: number): boolean {
	return (
		(code >= 0x4e00 && code <= 0x9fff) ||
		(code >= 0x3400 && code <= 0x4dbf) ||
		(code >= 0x20000 && code <= 0x2a6df) ||
		(code >= 0x2a700 && code <= 0x2b73f) ||
		(code >= 0x2b740 && code <= 0x2b81f) ||
		(code >= 0x2b920 && code <= 0x2ceaf) ||
		(code >= 0xf900 && code <= 0xfaff) ||
		(code >= 0x2f800 && code <= 0x2fa1f)
	);
}

/** A whole number from a config, or a default. */
export function wholeNumber(value: unknown, otherwise: number): number {
	const number = asNumber(value);
	return number === undefined ? otherwise : Math.floor(number);
}
