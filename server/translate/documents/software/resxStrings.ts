/** .NET `.resx` files: values of strings; names, types, embedded files and what the form designer keeps stay. */

import { gateRules } from '../../gate/gateRules.ts';
import { htmlSentencesIn } from '../htmlDocument.ts';
import { isProse } from '../isProse.ts';
import { type Extract, moved, type Piece } from '../piece.ts';
import { asksToKeep } from '../remarks.ts';
import {
	childElements,
	contentOf,
	readXml,
	type XmlElement,
	type XmlNode,
	xmlAttribute,
	xmlCodeOfWords,
	xmlFault,
	xmlWords,
} from '../xmlTree.ts';

/** The section of CDATA that a value is. */
function onlySection(text: string, { children }: XmlElement): XmlNode | undefined {
	const own = children.filter(
		({ kind, start, end }) => kind !== 'text' || text.slice(start, end).trim() !== '',
	);
	return own.length === 1 && own[0]?.kind === 'cdata' ? own[0] : undefined;
}

/** HTML, or plain words, in such a section, whose end no translation may hold. */
function sectionTexts(text: string, section: XmlNode): Piece[] {
	const from = section.start + '<![CDATA['.length;
	const end = section.end - ']]>'.length;
	const words = text.slice(from, end);
	if (!/<[a-z/!]|&(?:#\w{1,8}|[a-z]\w{1,30});/i.test(words)) {
		if (!isProse(words.trim())) return [];
		const encode = (made: string) => made.replaceAll(']]>', ']]]]><![CDATA[>');
		return [{ start: from, end, text: words, encode }];
	}
	const pieces = htmlSentencesIn(words);
	return moved(pieces, from).map((piece) => ({
		...piece,
		encode: (made, sourceOf) => piece.encode(made, sourceOf).replaceAll(']]>', ']]&gt;'),
	}));
}

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
			const said = comment ? xmlWords(contentOf(text, comment)).trim() : '';
			const withComment = (piece: Piece): Piece =>
				said === '' ? piece : { ...piece, comment: said };
			const section = onlySection(text, value);
			if (section) return sectionTexts(text, section).map(withComment);
			const words = xmlWords(contentOf(text, value));
			if (!isProse(words.trim())) return [];
			const { content: start, contentEnd: end } = value;
			return [withComment({ start, end, text: words, encode: xmlCodeOfWords })];
		}),
	{ faultOf: xmlFault, rules: gateRules.resx },
);
