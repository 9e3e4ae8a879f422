/** The languages that the styles of an OpenDocument file name, each for scripts of one kind. */

import { languageTag } from '../languageTag.ts';

/** By what attributes of language and country are called for the scripts that a language is written in. */
const ownPlaces: readonly (readonly [RegExp, string])[] = [
	[/^(?:zh|ja|ko)$/, 'style:%-asian'],
	[/^(?:ar|fa|he|ur|ps|ug|yi|dv|sd|ckb|hi|th|km|lo|my|bn|ta|te)$/, 'style:%-complex'],
];

/** The language of the styles that a document is made with, from its `styles.xml`. */
export const openLanguageOf = (styles: string): string | undefined =>
	/\sfo:language="([a-z]{2,3})"/.exec(styles)?.[1];

/**
 * A part of a document whose styles name the language of its words. Words of another language than the document's, and
 * those of none, stay what they are.
 *
 * @param source the document's language
 */
export function withOpenLanguage(text: string, source: string | undefined, to: string): string {
	const tag = languageTag(to);
	const [language, ...rest] = tag?.split('-') ?? [];
	if (tag === undefined || language === undefined || source === undefined) return text;
	const country = rest.find((part) => /^[A-Z]{2}$/.test(part)) ?? 'none';
	const own = ownPlaces.find(([languages]) => languages.test(language))?.[1];
	return text.replace(/<style:text-properties\s[^<>]*>/g, (properties) => {
		let made = properties;
		for (const place of own === undefined ? ['fo:%'] : ['fo:%', own]) {
			const [ofLanguage, ofCountry] = [
				attribute(place.replace('%', 'language')),
				attribute(place.replace('%', 'country')),
			];
			const named = ofLanguage.exec(made)?.[2];
			const isOther = place === own ? /^(?:none|zxx)$/.test(named ?? 'none') : named !== source;
			if (isOther || source === 'zxx') continue;
			made = made.replace(ofLanguage, `$1${language}$3`).replace(ofCountry, `$1${country}$3`);
		}
		return made;
	});
}

const attribute = (name: string): RegExp => new RegExp(`(\\s${name}=")([^"]*)(")`);
