/** Words in attributes of Office documents: what pictures say to those who do not see them, hints of links, and the like. */

import { escapeMarkup, readable } from '../markup.ts';
import type { Piece } from '../piece.ts';
import { elementsIn, localName, readXml, type XmlElement, xmlAttributes } from '../xmlTree.ts';

/** Elements by their local names → local names of their attributes with words. */
export type WordedAttributes = Readonly<Record<string, readonly string[]>>;

/** Of links in shapes, which say something under the pointer. */
const shapeLinks: WordedAttributes = { hlinkClick: ['tooltip'], hlinkHover: ['tooltip'] };
const pictures = (name: string): WordedAttributes => ({ [name]: ['descr', 'title'] });
const drawnByMarkup = ['alt', 'title'];

/** Of slides, charts and diagrams. */
export const shapeAttributes: WordedAttributes = {
	...pictures('cNvPr'),
	...pictures('docPr'),
	...shapeLinks,
};

export const sheetAttributes: WordedAttributes = {
	...pictures('cNvPr'),
	...shapeLinks,
	hyperlink: ['tooltip'],
};

/** Of Word documents, with the shapes that Word drew before 2010 and still draws watermarks with. */
export const wordAttributes: WordedAttributes = {
	...pictures('docPr'),
	...shapeLinks,
	hyperlink: ['tooltip'],
	listItem: ['displayText'],
	tblCaption: ['val'],
	tblDescription: ['val'],
	shape: drawnByMarkup,
	rect: drawnByMarkup,
	roundrect: drawnByMarkup,
	oval: drawnByMarkup,
	group: drawnByMarkup,
	textpath: ['string'],
};

/** Of OpenDocument: what cells and fields say before something is typed into them, and the words on controls. */
export const openAttributes: WordedAttributes = {
	'help-message': ['title'],
	'error-message': ['title'],
	'text-input': ['description'],
	label: ['value'],
	a: ['title'],
	button: ['label', 'title'],
	checkbox: ['label', 'title'],
	radio: ['label', 'title'],
	'fixed-text': ['label'],
	frame: ['label'],
};

/** Reads attributes with words. */
export function altTexts(worded: WordedAttributes): (text: string) => Piece[] {
	// A large part without any of these is not read.
	const some = new RegExp(`<(?:[\\w-]{1,20}:)?(?:${Object.keys(worded).join('|')})\\s`);
	return (text) => {
		if (!some.test(text)) return [];
		const pieces: Piece[] = [];
		/** Choices of the same list → what is said already. */
		const lists = new Map<XmlElement | undefined, Map<string, number>>();
		for (const element of elementsIn(readXml(text))) {
			const name = localName(element);
			const own = Object.hasOwn(worded, name) ? worded[name] : undefined;
			if (!own) continue;
			for (const { name: key, value, start, end, quote } of xmlAttributes(text, element)) {
				if (!own.includes(key.slice(key.indexOf(':') + 1))) continue;
				// Programs write the name of the file there.
				if (!/\p{L}{2}/u.test(value) || /^\S+\.\w{2,4}$/.test(value.trim())) continue;
				const raw = text.slice(start, end);
				const said = name === 'listItem' ? (lists.get(element.parent) ?? new Map()) : undefined;
				if (said) lists.set(element.parent, said);
				pieces.push({
					start,
					end,
					text: readable(raw).trim(),
					encode: (made) =>
						escapeMarkup(made).replaceAll(quote, quote === '"' ? '&quot;' : '&apos;'),
					fault: (made) => {
						// Two choices of a list cannot have one name.
						if ((said?.get(made) ?? start) !== start)
							return 'another choice of its list says the same';
						said?.set(made, start);
						return undefined;
					},
				});
			}
		}
		return pieces;
	};
}
