/**
 * Fluent `.ftl` files: values and attributes of messages and terms. Placeables stay as they are; a message that
 * is chosen by a number gets the variants of the target language. Where words stand around a choice, and where
 * choices are in one another, the message stays.
 */

import { defined } from '../../../protocol/defined.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { onOneLine } from '../../whiteSpace.ts';
import { type InlinePart, taggedText } from '../inlineTags.ts';
import type { Extract, Fault, Piece } from '../piece.ts';
import { type FluentPattern, fluentValues, fluentVariants } from './fluentReader.ts';
import { type PluralItem, type PluralItems, withCategories } from './pluralItems.ts';

const categories = new Set(['zero', 'one', 'two', 'few', 'many', 'other']);

function pieceOf(text: string, { start, end, parts, comment }: FluentPattern): Piece[] {
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
			...defined({ comment }),
			...(tagged.tags ? { delimiters: tagged.tags, isWhole: tagged.isWhole } : {}),
			shown: (made) => tagged.restore(made, (words) => words),
			encode: (made) => tagged.restore(made, write),
		},
	];
}

/** The parts of a value between empty lines. */
function paragraphsOf(text: string, pattern: FluentPattern): FluentPattern[] {
	const found: FluentPattern[] = [];
	let parts: FluentPattern['parts'][number][] = [];
	const add = () => {
		const [first, last] = [parts[0], parts.at(-1)];
		if (first && last) found.push({ ...pattern, start: first.start, end: last.end, parts });
		parts = [];
	};
	for (const part of pattern.parts) {
		let { start } = part;
		const code = part.isCode ? '' : text.slice(part.start, part.end);
		for (const { 0: gap, index } of code.matchAll(/\n[ \t\r]*\n\s*/g)) {
			const at = start + text.slice(start, part.start + index).trimEnd().length;
			if (at > start) parts.push({ ...part, start, end: at });
			add();
			start = part.start + index + gap.length;
		}
		if (start < part.end) parts.push({ ...part, start });
	}
	add();
	return found;
}

function pluralsOf(text: string): PluralItems[] {
	return fluentValues(text).patterns.flatMap((pattern): PluralItems[] => {
		const variants = fluentVariants(text, pattern) ?? [];
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
		fluentValues(text).patterns.flatMap((pattern) => {
			const variants = fluentVariants(text, pattern);
			const values = variants ? variants.map((one) => one.pattern) : [pattern];
			return values
				.flatMap((value) => paragraphsOf(text, value))
				.flatMap((one) => pieceOf(text, one));
		}),
	{
		rules: gateRules.fluent,
		faultOf: (text: string): Fault | undefined => {
			const { fault } = fluentValues(text);
			return fault === undefined ? undefined : { at: fault, what: 'a placeable is not closed' };
		},
		prepare: (text: string, to: string) => withCategories(text, pluralsOf(text), to),
	},
);
