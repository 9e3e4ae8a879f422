/** XML in which elements of some names hold a text each, such as titles of a document or entries of a menu. */

import { gateRules } from '../../gate/gateRules.ts';
import { sameLanguage } from '../../languageCodes.ts';
import { applyEdits } from '../edits.ts';
import { languageTag } from '../languageTag.ts';
import { readable } from '../markup.ts';
import type { Extract, Piece } from '../piece.ts';
import {
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlCode,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';

/**
 * @param names local names of elements with words
 * @param languages those of elements with the language of the document
 * @param kept those of elements in which all words stay
 */
export function labelTexts(
	names: readonly string[],
	languages: readonly string[] = [],
	kept: readonly string[] = [],
): Extract {
	const leaves = (text: string, of: readonly string[]): XmlElement[] =>
		[...elementsIn(readXml(text))].filter(
			(element) =>
				of.includes(localName(element)) &&
				!(element.parent && kept.includes(localName(element.parent))) &&
				element.content < element.contentEnd &&
				element.children.every(({ kind }) => kind === 'text'),
		);
	return Object.assign(
		(text: string): Piece[] =>
			leaves(text, names).flatMap((element) => {
				const raw = contentOf(text, element);
				if (!/\p{L}{2}/u.test(xmlWords(raw))) return [];
				const words = readable(raw);
				return [{ start: element.content, end: element.contentEnd, text: words, encode: xmlCode }];
			}),
		{
			faultOf: xmlFault,
			rules: gateRules.xml,
			prepare: (text: string, to: string) => {
				const tag = languageTag(to);
				const marks = tag === undefined ? [] : leaves(text, languages);
				const edits = marks
					.filter((mark) => !sameLanguage(contentOf(text, mark).trim(), tag ?? ''))
					.map((mark) => ({ start: mark.content, end: mark.contentEnd, text: tag ?? '' }));
				return applyEdits(text, edits).text;
			},
		},
	);
}
