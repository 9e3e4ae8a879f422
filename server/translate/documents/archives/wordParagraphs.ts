/**
 * WordprocessingML: the paragraphs of a text, its notes, comments, headers and text boxes. Fields keep their
 * results, but for links; tracked deletions, formulas and pictures stay where they are.
 */

import { pushAll } from '../../../protocol/lists.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { languageTag } from '../languageTag.ts';
import type { Extract, Piece } from '../piece.ts';
import {
	childElements,
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlAttribute,
	xmlFault,
} from '../xmlTree.ts';
import { altTexts, wordAttributes } from './altTexts.ts';
import type { IsCodeStyle } from './codeStyles.ts';
import { isChoice, wordFieldTexts } from './fieldTexts.ts';
import { type RunAtom, type RunPlace, runPieces } from './runs.ts';

/** Elements around runs that are passed through; their own tags stay around their words. */
const containers = new Set(
	'hyperlink ins moveTo smartTag sdt sdtContent fldSimple customXml dir bdo'.split(' '),
);
/** Containers whose words are a field's result, and what is no text of the current version. */
const kept = new Set('del moveFrom oMath oMathPara'.split(' '));
const dropped = new Set('proofErr lastRenderedPageBreak softHyphen'.split(' '));
/** Where a sentence ends, whatever comes next. */
const breaks = new Set('tab ptab br cr'.split(' '));
const rangeStart = /^(bookmark|commentRange|permission|perm|moveToRange|customXml\w*Range)Start$/;
const rangeEnd = /^(bookmark|commentRange|permission|perm|moveToRange|customXml\w*Range)End$/;

/** @param isCodeStyle Words in these styles stay. */
export function extractWord(isCodeStyle: IsCodeStyle): Extract {
	const extract = (text: string): Piece[] => {
		const pieces: Piece[] = [];
		for (const element of elementsIn(readXml(text))) {
			if (localName(element) !== 'p' || element.name === 'a:p') continue;
			const prefix = element.name.slice(0, -1);
			if (isCodeStyle(styleOf(text, element, prefix, 'p'))) continue;
			// Text boxes hold paragraphs of their own, which come after.
			pushAll(pieces, paragraph(text, element, prefix, isCodeStyle));
		}
		return pieces.sort((a, b) => a.start - b.start);
	};
	const attributes = altTexts(wordAttributes);
	const before = (text: string): Piece[] =>
		[...attributes(text), ...wordFieldTexts(text)].sort((a, b) => a.start - b.start);
	return Object.assign(extract, { faultOf: xmlFault, rules: gateRules.office, before });
}

/** The id of the style of a paragraph or run. */
function styleOf(
	text: string,
	element: XmlElement,
	prefix: string,
	of: 'p' | 'r',
): string | undefined {
	const child = (above: XmlElement | undefined, name: string) =>
		above && childElements(above).find((one) => localName(one) === name);
	const style = child(child(element, `${of}Pr`), `${of}Style`);
	return style && xmlAttribute(text, style, `${prefix}val`);
}

/** Styles name the language that words are checked in, where runs name none. */
export const wordStyles: Extract = Object.assign((): Piece[] => [], { prepare: withLanguage });

function paragraph(
	text: string,
	element: XmlElement,
	prefix: string,
	isCodeStyle: IsCodeStyle,
): Piece[] {
	return runPieces(new WordAtoms(text, prefix, isCodeStyle).of(element), {
		runStart: `<${prefix}r>`,
		runEnd: `</${prefix}r>`,
		textStart: `<${prefix}t xml:space="preserve">`,
		textEnd: `</${prefix}t>`,
	});
}

/** A complex field whose marks are all in one paragraph. */
interface Field {
	readonly begin: XmlElement;
	separate?: XmlElement;
	end?: XmlElement;
	code: string;
}

class WordAtoms {
	readonly #text: string;
	readonly #prefix: string;
	readonly #isCodeStyle: IsCodeStyle;
	readonly #atoms: RunAtom[] = [];
	/** Runs with marks of a field → what becomes of them. */
	readonly #fields = new Map<XmlElement, Field>();
	/** The field whose runs are passed over. */
	#inside:
		| { readonly field: Field; readonly until: XmlElement; readonly start: number }
		| undefined;
	readonly #links = new Map<Field, number>();
	#id = 0;

	constructor(text: string, prefix: string, isCodeStyle: IsCodeStyle) {
		this.#text = text;
		this.#prefix = prefix;
		this.#isCodeStyle = isCodeStyle;
	}

	of(paragraph: XmlElement): readonly RunAtom[] {
		this.#children(paragraph);
		return this.#atoms;
	}

	#raw({ start, end }: { readonly start: number; readonly end: number }): string {
		return this.#text.slice(start, end);
	}

	#children(parent: XmlElement): void {
		for (const [run, field] of this.#fieldsOf(parent)) this.#fields.set(run, field);
		for (const child of childElements(parent)) {
			const name = localName(child);
			const { start, end } = child;
			if (
				name === 'pPr' ||
				name === 'sdtPr' ||
				name === 'sdtEndPr' ||
				/^(?:smartTag|customXml)Pr$/.test(name)
			)
				continue;
			if (name === 'r' && child.name === `${this.#prefix}r`) this.#run(child);
			else if (this.#inside) continue;
			else if (dropped.has(name)) this.#atoms.push({ kind: 'drop', start, end });
			else if (kept.has(name)) this.#mark(child);
			else if (rangeStart.test(name) || rangeEnd.test(name)) {
				const id = `${name.replace(/(?:Start|End)$/, '')} ${xmlAttribute(this.#text, child, `${this.#prefix}id`)}`;
				const kind = rangeStart.test(name) ? 'from' : 'to';
				this.#atoms.push({ kind, id, raw: this.#raw(child), start, end });
			} else if (name === 'fldSimple' && !isLink(this.#text, child)) this.#mark(child);
			else if (isChoice(child)) this.#mark(child);
			else if (containers.has(name)) this.#container(child);
			else this.#mark(child);
		}
	}

	#container(child: XmlElement): void {
		const id = this.#id++;
		const first = childElements(child).find((one) =>
			/^(?:r|sdtContent|hyperlink|ins)$/.test(localName(one)),
		);
		const { start, content, contentEnd, end } = child;
		// Properties belong to the start tag.
		const inner = first && localName(child) !== 'hyperlink' ? first.start : content;
		const raw = this.#text.slice(start, inner);
		this.#atoms.push({ kind: 'open', id, raw, start, end: inner });
		this.#children(child);
		this.#atoms.push({
			kind: 'close',
			id,
			raw: this.#text.slice(contentEnd, end),
			start: contentEnd,
			end,
		});
	}

	/** An element that is kept as it is; one with paragraphs in it stands between sentences. */
	#mark(child: XmlElement, run?: RunPlace): void {
		const { start, end } = child;
		const raw = this.#raw(child);
		if (raw.includes(`<${this.#prefix}p>`) || raw.includes(`<${this.#prefix}p `))
			this.#atoms.push({ kind: 'break', start, end });
		else if (run)
			this.#atoms.push({
				kind: 'mark',
				raw: `<${this.#prefix}r>${run.format}${raw}</${this.#prefix}r>`,
				...{ start, end, run },
			});
		else this.#atoms.push({ kind: 'mark', raw, start, end });
	}

	#run(run: XmlElement): void {
		const field = this.#fields.get(run);
		if (this.#inside) {
			if (run !== this.#inside.until) return;
			const { start, field: own } = this.#inside;
			this.#inside = undefined;
			this.#fieldBorder(own, run, start);
			return;
		}
		if (field) {
			if (run === field.begin && field.end) {
				const isPassed = isLinkCode(field.code) && field.separate !== undefined;
				const until = isPassed ? (field.separate ?? field.end) : field.end;
				if (until === run) this.#mark(run);
				else this.#inside = { field, until, start: run.start };
			} else if (run === field.end) this.#fieldBorder(field, run, run.start);
			return;
		}
		const content = childElements(run).filter((child) => localName(child) !== 'rPr');
		const [properties] = childElements(run).filter((child) => localName(child) === 'rPr');
		const format = properties ? this.#format(properties) : '';
		const isCode = this.#isCodeStyle(styleOf(this.#text, run, this.#prefix, 'r'));
		const said = content.filter((child) => !dropped.has(localName(child)));
		for (const child of content) {
			const { start, end } = child;
			const name = localName(child);
			const place: RunPlace = {
				format,
				...(child === said[0] ? { outerStart: run.start } : {}),
				...(child === said.at(-1) ? { outerEnd: run.end } : {}),
			};
			if (dropped.has(name)) this.#atoms.push({ kind: 'drop', start, end });
			else if ((name === 't' || name === 'noBreakHyphen' || name === 'ruby') && !isCode)
				this.#atoms.push({ kind: 'text', raw: this.#wordsOf(child), run: place, start, end });
			else if (breaks.has(name) || name === 'fldChar' || name === 'instrText')
				this.#atoms.push({ kind: 'break', start, end });
			else this.#mark(child, place);
		}
	}

	/** Hyphens are parts of words; what is said above words is about words that are gone then. */
	#wordsOf(element: XmlElement): string {
		const name = localName(element);
		if (name === 'noBreakHyphen') return '-';
		if (name === 't') return contentOf(this.#text, element);
		const [base] = childElements(element).filter((child) => localName(child) === 'rubyBase');
		if (!base) return '';
		return [...elementsIn(base)]
			.filter((inner) => localName(inner) === 't')
			.map((inner) => contentOf(this.#text, inner))
			.join('');
	}

	/** Properties of a run without what is of no matter to readers. */
	#format(properties: XmlElement): string {
		const inner = childElements(properties)
			.filter((child) => !/^(?:lang|noProof)$/.test(localName(child)))
			.map((child) => this.#raw(child))
			.join('');
		return inner === '' ? '' : `<${properties.name}>${inner}</${properties.name}>`;
	}

	/** A link's field is a pair around its words, any other one stands in its place with its result. */
	#fieldBorder(field: Field, run: XmlElement, start: number): void {
		const raw = this.#text.slice(start, run.end);
		const place = { raw, start, end: run.end };
		if (!isLinkCode(field.code) || !field.separate) this.#atoms.push({ kind: 'mark', ...place });
		else if (run === field.separate) {
			this.#links.set(field, this.#id);
			this.#atoms.push({ kind: 'open', id: this.#id++, ...place });
		} else this.#atoms.push({ kind: 'close', id: this.#links.get(field) ?? -1, ...place });
	}

	/** Fields that begin and end among the children of one paragraph, in runs of their own. */
	#fieldsOf(paragraph: XmlElement): Map<XmlElement, Field> {
		const found = new Map<XmlElement, Field>();
		const open: Field[] = [];
		for (const run of childElements(paragraph)) {
			if (localName(run) !== 'r') continue;
			const parts = childElements(run).filter((child) => localName(child) !== 'rPr');
			if (!parts.some((child) => /^(?:fldChar|instrText)$/.test(localName(child)))) continue;
			// Words beside the marks of a field are no part of it.
			if (parts.some((child) => localName(child) === 't')) return new Map();
			for (const part of parts) {
				const type = xmlAttribute(this.#text, part, `${this.#prefix}fldCharType`);
				const top = open.at(-1);
				if (localName(part) === 'instrText') {
					if (top) top.code += contentOf(this.#text, part);
				} else if (type === 'begin') open.push({ begin: run, code: '' });
				else if (type === 'separate' && top) top.separate = run;
				else if (type === 'end' && top) {
					open.pop();
					top.end = run;
					for (const one of [top.begin, top.separate, run]) if (one) found.set(one, top);
				}
			}
		}
		return found;
	}
}

/** Links, and tables of contents, whose entries are headings. */
const isLinkCode = (code: string) => /^\s*(?:HYPERLINK|TOC)\b/.test(code);
const isLink = (text: string, { start, content }: XmlElement) =>
	/\binstr\s*=\s*["']\s*HYPERLINK\b/.test(text.slice(start, content));

/** Scripts whose language Word has in places of their own. */
const ownPlaces: readonly (readonly [RegExp, string])[] = [
	[/^(?:zh|ja|ko)\b/, 'eastAsia'],
	[/^(?:ar|fa|he|ur|ps|ug|yi|dv|sd|ckb)\b/, 'bidi'],
];

function withLanguage(text: string, to: string): string {
	const tag = languageTag(to);
	if (tag === undefined) return text;
	const place = ownPlaces.find(([languages]) => languages.test(tag))?.[1];
	return text.replace(/<w:(?:lang|themeFontLang)\b[^<>]{0,200}?\/>/g, (element) => {
		const made = element.replace(/(\sw:val=")[^"]*"/, `$1${tag}"`);
		if (place === undefined) return made;
		const own = new RegExp(`(\\sw:${place}=")[^"]*"`);
		return own.test(made)
			? made.replace(own, `$1${tag}"`)
			: `${made.slice(0, -2).trimEnd()} w:${place}="${tag}"/>`;
	});
}
