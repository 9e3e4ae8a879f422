/** What stands behind the digits of an ordinal number: a rule of the language, which no model has to guess. */

import { primaryLanguage } from '../languageCodes.ts';

const dotted = new Set('de da nb no nn fi cs sk hu tr pl hr sl is et lv sr bs eu'.split(' '));
const letters: Readonly<Record<string, string | undefined>> = {
	...{
		es: 'º',
		gl: 'º',
		it: 'º',
		pt: 'º',
		nl: 'e',
		ca: 'è',
		ru: '-й',
		uk: '-й',
		be: '-ы',
		bg: '-и',
	},
	...{ el: 'ος', ro: '-lea' },
};

/** English suffixes at the beginning of a text. */
export const ordinalSuffix = /^(?:st|nd|rd|th)(?![\p{L}\p{N}])/u;

/** The suffix in a language, for a number that stands for its category; `undefined` where no rule is known. */
export function suffixIn(to: string, number: number | undefined): string | undefined {
	const language = primaryLanguage(to);
	if (language === 'en') return number === 1 ? 'st' : 'th';
	if (dotted.has(language)) return '.';
	if (language === 'fr') return number === 1 ? 'er' : 'e';
	if (language === 'sv') return number === 1 || number === 2 ? ':a' : ':e';
	return Object.hasOwn(letters, language) ? letters[language] : undefined;
}
