/** Styles of Office documents whose words are code: those that word processors have, and what converters call theirs. */

import { childElements, elementsIn, localName, readXml, xmlAttribute } from '../xmlTree.ts';

/** Names without blanks, in small letters. */
const names = new Set(
	'code codechar codeblock codeinline inlinecode listing verbatim verbatimchar sourcecode sourcecodechar sourcetext preformattedtext userentry teletype htmlcode htmlkeyboard htmlpreformatted htmlpreformattedchar htmlsample htmltypewriter'.split(
		' ',
	),
);

const isNamed = (name: string | undefined): boolean =>
	name !== undefined && names.has(name.replaceAll(/_20_|[\s_-]/g, '').toLowerCase());

interface Style {
	readonly id: string;
	readonly name?: string | undefined;
	readonly above?: string | undefined;
}

/** Whether the style with this id is for code; one made from such a style is. */
export type IsCodeStyle = (id: string | undefined) => boolean;

function codeStyles(styles: readonly Style[]): IsCodeStyle {
	const byId = new Map(styles.map((style) => [style.id, style]));
	const found = new Set<string>();
	for (const { id } of styles) {
		const passed = new Set<string>();
		for (let at: string | undefined = id; at !== undefined && !passed.has(at); ) {
			passed.add(at);
			const style = byId.get(at);
			if (isNamed(style?.name ?? at)) found.add(id);
			at = style?.above;
		}
	}
	// Styles that a program has by itself need not be in the file.
	return (id) => id !== undefined && (found.has(id) || (!byId.has(id) && isNamed(id)));
}

/** Of a Word document. @param text `word/styles.xml`, where it has one */
export function wordCodeStyles(text: string | undefined): IsCodeStyle {
	const styles: Style[] = [];
	if (text === undefined) return codeStyles(styles);
	for (const element of elementsIn(readXml(text))) {
		const id = element.name === 'w:style' ? xmlAttribute(text, element, 'w:styleId') : undefined;
		if (id === undefined) continue;
		const value = (wanted: string): string | undefined => {
			const child = childElements(element).find((one) => localName(one) === wanted);
			return child && xmlAttribute(text, child, 'w:val');
		};
		styles.push({ id, name: value('name'), above: value('basedOn') });
	}
	return codeStyles(styles);
}

/** Of an OpenDocument file. @param texts `styles.xml` and `content.xml` */
export function openDocumentCodeStyles(texts: readonly string[]): IsCodeStyle {
	const styles: Style[] = [];
	for (const text of texts)
		for (const element of elementsIn(readXml(text))) {
			if (element.name !== 'style:style') continue;
			const id = xmlAttribute(text, element, 'style:name');
			const above = xmlAttribute(text, element, 'style:parent-style-name');
			if (id !== undefined) styles.push({ id, above });
		}
	return codeStyles(styles);
}
