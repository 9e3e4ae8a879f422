/** .NET `.resx` files: values of strings; names, types, embedded files and what the form designer keeps stay. */

import { gateRules } from '../../gate/gateRules.ts';
import { isProse } from '../isProse.ts';
import type { Extract, Piece } from '../piece.ts';
import { asksToKeep } from '../remarks.ts';
import {
	childElements,
	contentOf,
	readXml,
	xmlAttribute,
	xmlCodeOfWords,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';

export const extractResx: Extract = Object.assign(
	(text: string): Piece[] =>
		childElements(childElements(readXml(text))[0] ?? readXml(text), 'data').flatMap((data) => {
			const [value] = childElements(data, 'value');
			const name = xmlAttribute(text, data, 'name') ?? '';
			const [comment] = childElements(data, 'comment');
			const isOther = ['type', 'mimetype'].some(
				(key) => xmlAttribute(text, data, key) !== undefined,
			);
			if (!value || isOther || name.startsWith('>>')) return [];
			if (comment && asksToKeep(xmlWords(contentOf(text, comment)))) return [];
			const words = xmlWords(contentOf(text, value));
			if (!isProse(words.trim())) return [];
			const said = comment ? xmlWords(contentOf(text, comment)).trim() : '';
			return [
				{
					...{ start: value.content, end: value.contentEnd, text: words, encode: xmlCodeOfWords },
					...(said === '' ? {} : { comment: said }),
				},
			];
		}),
	{ faultOf: xmlFault, rules: gateRules.resx },
);
