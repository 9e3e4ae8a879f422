/**
 * The direction in which an Office or OpenDocument file is read, turned for a translation that is written from the right:
 * of its paragraphs and words, its tables, pages and sheets.
 */

import type { ArchiveEnding } from '../../../protocol/archiveTypes.ts';
import { pushAll } from '../../../protocol/lists.ts';
import { applyEdits } from '../edits.ts';
import type { MessageEdit } from '../messageTree.ts';
import {
	childElements,
	contentOf,
	elementsIn,
	localName,
	readXml,
	type XmlElement,
	xmlAttribute,
	xmlAttributes,
	xmlWords,
} from '../xmlTree.ts';
import { openDocumentCodeStyles } from './codeStyles.ts';

type Turn = (text: string) => string;

const fromTheRight =
	/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thaana}\p{Script=Syriac}\p{Script=Nko}\p{Script=Adlam}]/u;

/** What comes behind the mark of direction in the order of Word's schema. */
const behind = {
	paragraph: new Set(
		'adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange'.split(
			' ',
		),
	),
	run: new Set('cs em lang eastAsianLayout specVanish oMath rPrChange'.split(' ')),
	section: new Set('rtlGutter docGrid printerSettings sectPrChange'.split(' ')),
	table: new Set(
		'tblStyleRowBandSize tblStyleColBandSize tblW jc tblCellSpacing tblInd tblBorders shd tblLayout tblCellMar tblLook tblCaption tblDescription tblPrChange'.split(
			' ',
		),
	),
};

const childOf = (element: XmlElement, name: string): XmlElement | undefined =>
	childElements(element).find((child) => localName(child) === name);

/** Words in the text elements of one. */
function wordsIn(text: string, above: XmlElement): string {
	let words = '';
	for (const element of elementsIn(above))
		if (localName(element) === 't') words += xmlWords(contentOf(text, element));
	return words;
}

/** Puts a mark into properties, before what comes behind it. */
function marked(
	text: string,
	properties: XmlElement,
	mark: string,
	behindIt: ReadonlySet<string>,
): MessageEdit[] {
	const prefix = properties.name.slice(0, -localName(properties).length);
	if (childOf(properties, mark)) return [];
	const code = `<${prefix}${mark}/>`;
	const { start, content, contentEnd, end } = properties;
	// An empty element has no place in it.
	if (content === end) {
		const open = `${text.slice(start, content - 2).trimEnd()}>`;
		return [{ start, end, text: `${open}${code}</${properties.name}>` }];
	}
	const next = childElements(properties).find((child) => behindIt.has(localName(child)));
	const at = next?.start ?? contentEnd;
	return [{ start: at, end: at, text: code }];
}

/** What a run from the right takes in the place of what is said for Latin letters. */
const ofComplexScripts: ReadonlyMap<string, string> = new Map([
	['b', 'bCs'],
	['i', 'iCs'],
	['sz', 'szCs'],
]);

/** The format of Latin letters once more for those from the right, where these have none of their own. */
function complexForms(text: string, properties: XmlElement, prefix: string): MessageEdit[] {
	return childElements(properties).flatMap((child): MessageEdit[] => {
		const { start, content, end } = child;
		if (localName(child) === 'rFonts') {
			const all = xmlAttributes(text, child);
			const font = all.find((one) => one.name === `${prefix}ascii`);
			const has = all.some((one) => one.name === `${prefix}cs` || one.name === `${prefix}cstheme`);
			if (font === undefined || has) return [];
			const said = text.slice(font.start - 1, font.end + 1);
			const tag = withAtEnd(text.slice(start, content), ` ${prefix}cs=${said}`);
			return [{ start, end: content, text: tag }];
		}
		const form = ofComplexScripts.get(localName(child));
		if (form === undefined || childOf(properties, form)) return [];
		const value = xmlAttribute(text, child, `${prefix}val`);
		const said = value === undefined ? '' : ` ${prefix}val="${value}"`;
		return [{ start: end, end, text: `<${prefix}${form}${said}/>` }];
	});
}

const turnWord: Turn = (text) => {
	const edits: MessageEdit[] = [];
	for (const element of elementsIn(readXml(text))) {
		const name = localName(element);
		const prefix = element.name.slice(0, -name.length);
		if (prefix === 'a:' || prefix === 'm:') continue;
		if (name === 'sectPr') pushAll(edits, marked(text, element, 'bidi', behind.section));
		else if (name === 'tblPr') pushAll(edits, marked(text, element, 'bidiVisual', behind.table));
		else if ((name === 'p' || name === 'r') && element.content < element.end) {
			const [mark, order] =
				name === 'p' ? (['bidi', behind.paragraph] as const) : (['rtl', behind.run] as const);
			if (!fromTheRight.test(wordsIn(text, element))) continue;
			const properties = childOf(element, `${name}Pr`);
			if (properties) {
				if (name === 'r') pushAll(edits, complexForms(text, properties, prefix));
				pushAll(edits, marked(text, properties, mark, order));
			} else {
				const code = `<${prefix}${name}Pr><${prefix}${mark}/></${prefix}${name}Pr>`;
				edits.push({ start: element.content, end: element.content, text: code });
			}
		}
	}
	return applyEdits(text, edits).text;
};

function withAtEnd(tag: string, attribute: string): string {
	const end = tag.endsWith('/>') ? '/>' : '>';
	return tag.slice(0, -end.length).trimEnd() + attribute + end;
}

/** A start tag with attributes set, those that it has already among them. */
function withAttributes(tag: string, values: Readonly<Record<string, string>>): string {
	let made = tag;
	for (const [name, value] of Object.entries(values)) {
		const own = new RegExp(`(\\s${name}\\s*=\\s*)(?:"[^"]*"|'[^']*')`);
		made = own.test(made)
			? made.replace(own, `$1"${value}"`)
			: withAtEnd(made, ` ${name}="${value}"`);
	}
	return made;
}

const isLeft = (tag: string): boolean => /\salgn\s*=\s*["']l["']/.test(tag);

const turnSlide: Turn = (text) => {
	const edits: MessageEdit[] = [];
	for (const element of elementsIn(readXml(text))) {
		const { name, start, content, end } = element;
		const tag = text.slice(start, content);
		if (name === 'a:tblPr')
			edits.push({ start, end: content, text: withAttributes(tag, { rtl: '1' }) });
		if (name !== 'a:p' || content === end) continue;
		if (!fromTheRight.test(wordsIn(text, element))) continue;
		const properties = childOf(element, 'pPr');
		if (!properties) edits.push({ start: content, end: content, text: '<a:pPr rtl="1"/>' });
		else {
			const own = text.slice(properties.start, properties.content);
			const values = { rtl: '1', ...(isLeft(own) ? { algn: 'r' } : {}) };
			edits.push({
				...{ start: properties.start, end: properties.content },
				text: withAttributes(own, values),
			});
		}
	}
	return applyEdits(text, edits).text;
};

/** Styles of paragraphs by their levels, of masters and of the whole presentation. */
const turnLevels: Turn = (text) =>
	text.replace(/<a:lvl\dpPr\b[^<>]*>/g, (tag) =>
		withAttributes(tag, { rtl: '1', ...(isLeft(tag) ? { algn: 'r' } : {}) }),
	);

const turnSheet: Turn = (text) => {
	if (/<(?:\w{1,20}:)?sheetView\s/.test(text))
		return text.replace(/<(?:\w{1,20}:)?sheetView\s[^<>]*>/g, (tag) =>
			withAttributes(tag, { rightToLeft: '1' }),
		);
	const next = /<(\w{1,20}:)?(?:sheetFormatPr|cols|sheetData)\b/.exec(text);
	if (!next) return text;
	const prefix = next[1] ?? '';
	const view = `<${prefix}sheetViews><${prefix}sheetView workbookViewId="0" rightToLeft="1"/></${prefix}sheetViews>`;
	return text.slice(0, next.index) + view + text.slice(next.index);
};

/** Styles of pages, tables and paragraphs; what names no direction has that of its page. Code is read from the left. */
const turnOpen: Turn = (text) => {
	const edits: MessageEdit[] = [];
	const isCodeStyle = openDocumentCodeStyles([text]);
	const isCode = (style: XmlElement | undefined) =>
		style?.name === 'style:style' && isCodeStyle(xmlAttribute(text, style, 'style:name'));
	const fromTheLeft = { 'style:writing-mode': 'lr-tb' };
	for (const element of elementsIn(readXml(text))) {
		const { name, start, content, end } = element;
		if (isCode(element) && content < end && !childOf(element, 'paragraph-properties'))
			edits.push({
				...{ start: content, end: content },
				text: withAttributes('<style:paragraph-properties/>', fromTheLeft),
			});
		const tag = text.slice(start, content);
		if (name === 'style:paragraph-properties' && isCode(element.parent)) {
			edits.push({ start, end: content, text: withAttributes(tag, fromTheLeft) });
			continue;
		}
		const mode = xmlAttribute(text, element, 'style:writing-mode');
		const family = element.parent && xmlAttribute(text, element.parent, 'style:family');
		const isDefault = element.parent?.name === 'style:default-style' && family === 'paragraph';
		const isTurned =
			/^lr(?:-tb)?$/.test(mode ?? '') ||
			(mode === undefined &&
				(name === 'style:page-layout-properties' ||
					(name === 'style:table-properties' && family === 'table') ||
					(name === 'style:paragraph-properties' && isDefault)));
		if (isTurned && /^style:(?:page-layout|table|paragraph|graphic)-properties$/.test(name))
			edits.push({
				...{ start, end: content },
				text: withAttributes(tag, { 'style:writing-mode': 'rl-tb' }),
			});
	}
	return applyEdits(text, edits).text;
};

const ofSlides = /^ppt\/(?:slides\/slide|notesSlides\/notesSlide)\w*\.xml$/;
const ofDiagrams = /^(?:ppt|word|xl)\/diagrams\/(?:data|drawing)\d*\.xml$/;
const word = [
	[/^word\/(?:document\d*|header\d*|footer\d*|footnotes|endnotes|comments)\.xml$/, turnWord],
	[ofDiagrams, turnSlide],
] as const;
const slides = [
	[ofSlides, turnSlide],
	[ofDiagrams, turnSlide],
	[/^ppt\/(?:presentation|(?:slideMaster|slideLayout|notesMaster)s\/\w+)\.xml$/, turnLevels],
] as const;
const sheets = [
	[/^xl\/worksheets\/\w+\.xml$/, turnSheet],
	[/^xl\/drawings\/drawing\d*\.xml$/, turnSlide],
	[ofDiagrams, turnSlide],
] as const;
const open = [[/^(?:content|styles)\.xml$/, turnOpen]] as const;

/** How a part of a file is turned; `undefined` where it says nothing of directions. */
export function directionTurn(ending: ArchiveEnding, part: string): Turn | undefined {
	const turns = /^o/.test(ending)
		? open
		: /^(?:doc|dot)/.test(ending)
			? word
			: /^xl/.test(ending)
				? sheets
				: ending === 'epub'
					? []
					: slides;
	return turns.find(([name]) => name.test(part))?.[1];
}
