/**
 * Fluent `.ftl` files: values and attributes of messages and terms. Placeables stay as they are; a message that
 * is chosen by a number gets the variants of the target language. Where words stand around a choice, and where
 * choices are in one another, the message stays.
 */

import { onOneLine } from '../../whiteSpace.ts';
import { type InlinePart, taggedText } from '../inlineTags.ts';
import type { Extract, Fault, Piece } from '../piece.ts';
import { asksToKeep } from '../remarks.ts';
import { type PluralItem, type PluralItems, withCategories } from './pluralItems.ts';

/** A stretch of source code. */
interface Range {
	readonly start: number;
	readonly end: number;
}

/** Text and placeables of a value, without the white space around it. */
interface Pattern extends Range {
	readonly parts: readonly (Range & { readonly isCode: boolean })[];
}

interface Variant extends Range {
	readonly key: string;
	readonly pattern: Pattern;
}

const entry = /^(?:-?[A-Za-z][\w-]*[ ]*=|[ ]+\.[A-Za-z][\w-]*[ ]*=)/gm;
const categories = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);

/** End of a placeable that begins at a brace; -1 when it is not closed. */
function closing(text: string, from: number, to: number): number {
	let depth = 0;
	for (let at = from; at < to; at++) {
		const letter = text[at];
		if (letter === '"') {
			for (at++; at < to && text[at] !== '"' && text[at] !== '\n'; at++)
				if (text[at] === '\\') at++;
		} else if (letter === '{') depth++;
		else if (letter === '}' && --depth === 0) return at + 1;
	}
	return -1;
}

function patternIn(text: string, start: number, end: number): Pattern | undefined {
	const raw = text.slice(start, end);
	const from = start + raw.length - raw.trimStart().length;
	const to = from + raw.trim().length;
	const parts: (Range & { isCode: boolean })[] = [];
	for (let at = from; at < to; ) {
		const brace = text.indexOf('{', at);
		const next = brace < 0 || brace >= to ? to : brace;
		if (next > at) parts.push({ start: at, end: next, isCode: false });
		if (next === to) break;
		const after = closing(text, next, to);
		if (after < 0) return undefined;
		parts.push({ start: next, end: after, isCode: true });
		at = after;
	}
	return { start: from, end: to, parts };
}

/** Values in order; a fault is where a placeable is not closed. */
function valuesOf(text: string): { patterns: Pattern[]; fault?: number } {
	const patterns: Pattern[] = [];
	let comment = '';
	let last = 0;
	entry.lastIndex = 0;
	for (let match = entry.exec(text); match; match = entry.exec(text)) {
		const between = text.slice(last, match.index);
		const isAttribute = match[0].startsWith(' ');
		if (!isAttribute) comment = /(?:^|\n)((?:#[^\n]*\n)+)$/.exec(between.slice(-2000))?.[1] ?? '';
		const start = match.index + match[0].length;
		let end = start;
		for (;;) {
			const brace = text.indexOf('{', end);
			const line = text.indexOf('\n', end);
			const lineEnd = line < 0 ? text.length : line;
			if (brace >= 0 && brace < lineEnd) {
				end = closing(text, brace, text.length);
				if (end < 0) return { patterns, fault: brace };
				continue;
			}
			end = lineEnd;
			if (line < 0) break;
			// The value goes on where a line is indented, and begins no attribute.
			const next = /^(?:[ \t]*\r?\n)*[ ]+(?![.\s])/.exec(text.slice(line + 1, line + 2000));
			if (!next) break;
			end = line + 1 + next[0].length;
		}
		const pattern = asksToKeep(comment) ? undefined : patternIn(text, start, end);
		if (pattern) patterns.push(pattern);
		last = end;
		entry.lastIndex = end;
	}
	return { patterns };
}

/** The variants of a value that is one choice and nothing else. */
function variantsOf(text: string, { parts }: Pattern): Variant[] | undefined {
	const [only] = parts;
	if (!only?.isCode || parts.length > 1) return undefined;
	const code = text.slice(only.start + 1, only.end - 1);
	const arrow = code.indexOf('->');
	if (arrow < 0) return undefined;
	const heads = [...code.matchAll(/^[ \t]*(\*?\[[ ]*([\w.-]{1,60})[ ]*\])/gm)].filter(
		({ index }) => index > arrow,
	);
	return heads.map((match, at) => {
		const [all, head = '', key = ''] = match;
		const start = only.start + 1 + match.index + all.length - head.length;
		const limit = only.start + 1 + (heads[at + 1]?.index ?? code.length);
		const pattern = patternIn(text, start + head.length, limit);
		const end = pattern?.end ?? limit;
		return { start, end, key, pattern: pattern ?? { start, end, parts: [] } };
	});
}

function pieceOf(text: string, { start, end, parts }: Pattern): Piece[] {
	const raws = parts.map((part) => text.slice(part.start, part.end));
	if (raws.some((raw, at) => parts[at]?.isCode && raw.includes('->'))) return [];
	const inline = raws.map((raw, at): InlinePart => {
		return { raw, role: parts[at]?.isCode ? 'single' : 'text' };
	});
	const tagged = taggedText(inline, (raw) => onOneLine(raw));
	if (!/\p{L}{2}/u.test(inline.map(({ raw, role }) => (role === 'text' ? raw : ' ')).join('')))
		return [];
	const write = (words: string) => onOneLine(words).replace(/[{}]/g, (brace) => `{"${brace}"}`);
	return [
		{
			start,
			end,
			text: tagged.text,
			...(tagged.tags ? { delimiters: tagged.tags, isWhole: tagged.isWhole } : {}),
			shown: (made) => tagged.restore(made, (words) => words),
			encode: (made) => tagged.restore(made, write),
		},
	];
}

function pluralsOf(text: string): PluralItems[] {
	return valuesOf(text).patterns.flatMap((pattern): PluralItems[] => {
		const variants = variantsOf(text, pattern) ?? [];
		if (
			!variants.some(({ key }) => key === 'other') ||
			!variants.every(({ key }) => categories.has(key) || /^\d+$/.test(key))
		)
			return [];
		const items = variants
			.filter(({ key }) => categories.has(key))
			.map(
				({ key, start, end }): PluralItem => ({
					category: key,
					start,
					end,
					text: text.slice(start, end),
				}),
			);
		const first = variants.findIndex(({ key }) => categories.has(key));
		// Numbers of their own come before the categories.
		if (variants.slice(first).some(({ key }) => /^\d+$/.test(key))) return [];
		return [
			{
				items,
				renamed: (code, category) =>
					code.replace(/^\*?\[[^\]\n]*\]/, `${category === 'other' ? '*' : ''}[${category}]`),
			},
		];
	});
}

export const extractFluent: Extract = Object.assign(
	(text: string): Piece[] =>
		valuesOf(text).patterns.flatMap((pattern) => {
			const variants = variantsOf(text, pattern);
			return variants
				? variants.flatMap((one) => pieceOf(text, one.pattern))
				: pieceOf(text, pattern);
		}),
	{
		faultOf: (text: string): Fault | undefined => {
			const { fault } = valuesOf(text);
			return fault === undefined ? undefined : { at: fault, what: 'a placeable is not closed' };
		},
		prepare: (text: string, to: string) => withCategories(text, pluralsOf(text), to),
	},
);
