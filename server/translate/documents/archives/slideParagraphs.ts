/** DrawingML: the paragraphs of slides, notes, charts and diagrams. Slide numbers and dates stay. */

import { pushAll } from '../../../protocol/lists.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { languageTag } from '../languageTag.ts';
import { escapeMarkup } from '../markup.ts';
import type { Extract, Piece } from '../piece.ts';
import {
	childElements,
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlFault,
} from '../xmlTree.ts';
import { altTexts, shapeAttributes } from './altTexts.ts';
import { type RunAtom, runPieces } from './runs.ts';

const before = altTexts(shapeAttributes);

/** Slides, and whatever else has text in shapes. */
export const extractSlide: Extract = Object.assign(
	(text: string, to?: string) => shapes(text, to, false),
	{ faultOf: xmlFault, rules: gateRules.office, before },
);

/** Layouts and masters: what is in a placeholder there is never shown. */
export const extractLayout: Extract = Object.assign(
	(text: string, to?: string) => shapes(text, to, true),
	{ faultOf: xmlFault, rules: gateRules.office },
);

function shapes(text: string, to: string | undefined, isLayout: boolean): Piece[] {
	const tag = to === undefined ? undefined : languageTag(to);
	const pieces: Piece[] = [];
	for (const element of elementsIn(readXml(text))) {
		if (localName(element) !== 'p' || !isParagraph(text, element)) continue;
		if (isLayout && isPlaceholder(element)) continue;
		pushAll(pieces, paragraph(text, element, tag));
	}
	return pieces;
}

/** Paragraphs have runs, and nothing else is called `p` there. */
function isParagraph(text: string, { name, start, end }: XmlElement): boolean {
	const prefix = name.slice(0, -1);
	return prefix !== 'p:' && text.slice(start, end).includes(`<${prefix}r>`);
}

function isPlaceholder(element: XmlElement): boolean {
	for (let above = element.parent; above; above = above.parent)
		if (localName(above) === 'sp')
			for (const inner of elementsIn(above)) if (localName(inner) === 'ph') return true;
	return false;
}

function paragraph(text: string, element: XmlElement, tag: string | undefined): Piece[] {
	const prefix = element.name.slice(0, -1);
	const atoms: RunAtom[] = [];
	for (const child of childElements(element)) {
		const { start, end } = child;
		const name = localName(child);
		// Some programs write the properties of a paragraph again before each of its runs.
		if (name === 'endParaRPr' || (name === 'pPr' && atoms.length === 0)) continue;
		const [words] = childElements(child, `${prefix}t`);
		if (name === 'r' && words) {
			const [properties] = childElements(child, `${prefix}rPr`);
			const format = properties ? formatOf(text.slice(properties.start, properties.end), tag) : '';
			const run = { format, outerStart: start, outerEnd: end };
			atoms.push({ kind: 'text', raw: contentOf(text, words), run, start, end });
		} else if (name === 'br') atoms.push({ kind: 'break', start, end });
		else atoms.push({ kind: 'mark', raw: text.slice(start, end), start, end });
	}
	return runPieces(atoms, {
		runStart: `<${prefix}r>`,
		runEnd: `</${prefix}r>`,
		textStart: `<${prefix}t>`,
		textEnd: `</${prefix}t>`,
	});
}

/** Properties without marks of the checker, in the language of the words. */
function formatOf(properties: string, tag: string | undefined): string {
	const tagEnd = properties.indexOf('>');
	const first = properties
		.slice(0, tagEnd)
		.replace(/\s(?:dirty|err|smtClean|altLang)="[^"]*"/g, '')
		.replace(/\slang="[^"]*"/g, tag === undefined ? '' : ` lang="${escapeMarkup(tag)}"`);
	return first + properties.slice(tagEnd);
}
