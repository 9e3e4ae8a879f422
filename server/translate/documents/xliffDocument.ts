/**
 * XLIFF 1.2 and 2.x: targets that are missing or empty are filled from their sources, with a state
 * that says a person has not looked yet. Inline tags stay, each once; translated units, and those
 * with `translate="no"`, are left alone.
 */

import { Parser } from 'htmlparser2';
import { AppError } from '../../protocol/errors.ts';
import { gateRules } from '../gate/gateRules.ts';
import { languageName, sameLanguage } from '../languageCodes.ts';
import { Nesting } from '../nesting.ts';
import { startOfRun } from '../whiteSpace.ts';
import { languageTag } from './languageTag.ts';
import { type MarkupPart, markupPiece } from './markup.ts';
import type { Extract, Piece } from './piece.ts';
import { xmlFault, xmlWords } from './xmlTree.ts';

/** Inline elements of XLIFF 1.2 whose content is code of another format. */
const codes = new Set(['ph', 'bpt', 'ept', 'it']);
/** Elements whose `translate="no"` counts for all that lies inside. */
const scopes = new Set(['file', 'group', 'unit', 'trans-unit']);

interface Place {
	readonly start: number;
	/** End of the start tag. */
	readonly content: number;
	end: number;
	readonly attributes: Readonly<Record<string, string>>;
}

/** What is known of a `<trans-unit>` or `<segment>` while its tags go by. */
interface Unit {
	readonly tag: Place;
	parts: MarkupPart[];
	source?: Place;
	target?: Place;
	targetEmpty: boolean;
	/** What somebody says of it. */
	notes: string;
}

function extract(text: string): Piece[] {
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const pieces: Piece[] = [];
	const kept: boolean[] = [];
	const stack: string[] = [];
	const nesting = new Nesting();
	let unit: Unit | undefined;
	/** Notes of a unit of version 2, before its segments. */
	let ofUnit = '';
	let inSource = false;
	/** Depth at which an inline code began. */
	let codeFrom: number | undefined;
	let done = 0;
	const inOwnTarget = () => stack.includes('target') && !stack.includes('alt-trans');
	const add = (to: number, fixed: boolean) => {
		if (!unit || to <= done) return;
		const raw = text.slice(done, to);
		const last = unit.parts.at(-1);
		if (codeFrom !== undefined && last?.fixed)
			unit.parts[unit.parts.length - 1] = { raw: last.raw + raw, fixed: true };
		else unit.parts.push({ raw, fixed });
		done = to;
	};
	const parser: Parser = new Parser(
		{
			onopentag(name, attributes) {
				const [start, content] = [parser.startIndex, parser.endIndex + 1];
				const above = stack.at(-1) ?? '';
				nesting.open();
				stack.push(name);
				const place = { start, content, end: content, attributes };
				if (scopes.has(name))
					kept.push(
						attributes['translate'] ? attributes['translate'] === 'no' : kept.at(-1) === true,
					);
				if (name === 'unit') ofUnit = '';
				if (name === 'trans-unit' || name === 'segment')
					unit = { tag: place, parts: [], targetEmpty: true, notes: ofUnit };
				else if (unit && name === 'source' && (above === 'trans-unit' || above === 'segment')) {
					unit.source = place;
					inSource = true;
					done = content;
				} else if (unit && name === 'target' && (above === 'trans-unit' || above === 'segment'))
					unit.target = place;
				else if (unit && inSource) {
					add(start, false);
					add(content, true);
					if (codeFrom === undefined && codes.has(name)) codeFrom = stack.length;
				} else if (unit && inOwnTarget()) unit.targetEmpty = false;
			},
			ontext(data) {
				if (inSource) add(parser.endIndex + 1, false);
				else if (stack.at(-1) === 'note') {
					if (unit) unit.notes += data;
					else ofUnit += data;
				} else if (unit && data.trim() !== '' && inOwnTarget()) unit.targetEmpty = false;
			},
			oncomment() {
				if (inSource) add(parser.endIndex + 1, true);
			},
			onclosetag(name, implied) {
				const [start, end] = [parser.startIndex, parser.endIndex + 1];
				if (unit && name === 'source' && inSource && stack.length > 0) {
					add(start, false);
					inSource = false;
					if (unit.source) unit.source.end = end;
				} else if (unit && name === 'target' && unit.target) {
					if (stack.at(-2) === 'trans-unit' || stack.at(-2) === 'segment') unit.target.end = end;
				} else if (unit && inSource) {
					if (end > done) add(end, true);
					if (codeFrom === stack.length) codeFrom = undefined;
				} else if (unit && (name === 'trans-unit' || name === 'segment') && !implied) {
					const piece = kept.at(-1) === true ? undefined : unitPiece(text, unit, eol);
					if (piece) pieces.push(piece);
					unit = undefined;
				}
				if (scopes.has(name)) kept.pop();
				nesting.close();
				stack.pop();
			},
		},
		{ xmlMode: true, decodeEntities: false },
	);
	parser.end(text);
	return pieces;
}

/** Start tags that name the language of the targets, in either version of the format. */
const fileTag = /<(?:file|xliff)\b[^<>]{0,2000}>/g;
const languageAttribute =
	/(\s(?:target-language|trgLang)\s{0,20}=\s{0,20})(?:"([^"<>]*)"|'([^'<>]*)')/g;
const filledTarget = /<target(?:\s[^<>]{0,500})?(?<!\/)>(?!\s{0,500}<\/target)/;

/**
 * A file whose targets are in the language they are to be in.
 *
 * @throws AppError `invalid_request` when it has translations into another one.
 */
function inTargetLanguage(text: string, to: string): string {
	const tag = languageTag(to);
	if (tag === undefined) return text;
	const renamed = (all: string, before: string, one?: string, other?: string): string => {
		const named = one ?? other ?? '';
		if (sameLanguage(named, tag)) return all;
		if (named !== '' && filledTarget.test(text))
			throw new AppError(
				'invalid_request',
				`The file has translations into ${languageName(named, 'en')} (${named}). Translate it into that language, or a copy without its targets.`,
				{ param: 'to' },
			);
		return `${before}"${tag}"`;
	};
	return text.replace(fileTag, (start) => start.replace(languageAttribute, renamed));
}

export const extractXliff: Extract = Object.assign(extract, {
	rules: gateRules.xliff,
	faultOf: xmlFault,
	prepare: inTargetLanguage,
});

function unitPiece(text: string, unit: Unit, eol: string): Piece | undefined {
	const { tag, source, target, parts, notes } = unit;
	const comment = xmlWords(notes).trim();
	if (!source || tag.attributes['approved'] === 'yes') return undefined;
	if (!unit.targetEmpty && !isCopy(text, unit)) return undefined;
	// A target before its source is against the format.
	if (target && target.start < source.end) return undefined;
	const isSegment = text.startsWith('<segment', tag.start);
	const start = isSegment ? tag.start : source.end;
	const end = target?.end ?? source.end;
	const piece = markupPiece(parts, start, end);
	if (!piece) return undefined;
	return {
		...piece,
		...(comment === '' ? {} : { comment }),
		encode: (translation) => {
			const content = piece.encode(translation);
			const gap = text.slice(source.end, target?.start ?? source.end);
			const made = `${targetTag(text, target, isSegment)}${content}</target>`;
			const lead = target ? gap : text.slice(startOfRun(text, source.start, ' \t'), source.start);
			const isOwnLine = text[startOfRun(text, source.start, ' \t') - 1] === '\n';
			const between = target ? gap : isOwnLine ? eol + lead : '';
			if (!isSegment) return between + made;
			const opening = withAttribute(text.slice(tag.start, tag.content), 'state', 'translated');
			return opening + text.slice(tag.content, source.end) + between + made;
		},
	};
}

/** Whether the target is its source, and a tool says that it has only been put there. */
function isCopy(text: string, { tag, source, target }: Unit): boolean {
	const state = target?.attributes['state'] ?? tag.attributes['state'] ?? '';
	if (!source || !target || !/^(?:new|needs-translation|initial)$/.test(state)) return false;
	const wordsOf = ({ content, end }: Place) =>
		text.slice(content, text.lastIndexOf('</', end - 1)).trim();
	return wordsOf(source) === wordsOf(target);
}

/** Start tag of a target; a target that stood there empty keeps its attributes. */
function targetTag(text: string, target: Place | undefined, isSegment: boolean): string {
	const own = target
		? text.slice(target.start, target.content).replace(/(?<!\s)\s*\/>$/, '>')
		: '<target>';
	return isSegment ? own : withAttribute(own, 'state', 'needs-review-translation');
}

function withAttribute(tag: string, name: string, value: string): string {
	const there = new RegExp(`(\\s${name}\\s*=\\s*)(?:"[^"]*"|'[^']*')`);

	if (there.test(tag)) return tag.replace(there, `$1"${value}"`);
	return tag.replace(/>$/, ` ${name}="${value}">`);
}
