/** Messages whose forms stand in one text with `|` between them, as vue-i18n and Laravel write plurals. */

import { leadingSpace, trailingSpace } from '../whiteSpace.ts';
import type { Branches } from './piece.ts';
import { isIcuBranching, samePlaceholders } from './placeholders.ts';

/**
 * The forms of a message; `undefined` when it is one text.
 *
 * @param lead what a form may begin with that is no word
 * @param keeps whether a translation has all that is put into a form
 */
export function branchesOfLine(
	text: string,
	lead = /^\s*/,
	keeps = samePlaceholders,
): Branches | undefined {
	const parts = text.split('|');
	if (parts.length < 2 || parts.length > 12) return undefined;
	const said = parts.map((part) => {
		const before = lead.exec(part)?.[0] ?? '';
		const rest = part.slice(before.length);
		const words = rest.trim();
		return {
			before: before + leadingSpace(rest),
			words,
			after: words === '' ? '' : trailingSpace(rest),
		};
	});
	// An empty form, or a mark that is no border, makes it something else.
	if (said.some(({ words }) => words === '') || !said.some(({ words }) => /\p{L}{2}/u.test(words)))
		return undefined;
	const asked = said.filter(({ words }) => /\p{L}{2}/u.test(words));
	return {
		texts: asked.map(({ words }) => words),
		join: (translations) => {
			let next = 0;
			const made: string[] = [];
			for (const { before, words, after } of said) {
				const own = /\p{L}{2}/u.test(words) ? translations[next++] : words;
				if (own === undefined || own.includes('|') || !keeps(words, own)) return undefined;
				made.push(before + own + after);
			}
			return made.join('|');
		},
	};
}

/** Forms of vue-i18n, which have blanks around the bars. */
export function vueForms(text: string): Branches | undefined {
	return text.includes(' | ') && !isIcuBranching(text) ? branchesOfLine(text) : undefined;
}
