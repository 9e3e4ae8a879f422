/** Titles of reStructuredText and the references to them, which name their words. */

import { linesOf } from '../../whiteSpace.ts';
import { isWithin } from '../edits.ts';
import type { DocumentAnchors, Heading, HeadingLink, OutwardLink, Slugs } from '../slugs.ts';
import { rstMarks } from './marks.ts';

/** Names as references write them. */
export const referenceName = (words: string): string =>
	words.trim().replace(/\s+/g, ' ').toLowerCase();

/** Whether a line is drawn under a title, or over it. */
export const isDrawnLine = (line: string): boolean =>
	/^([!-/:-@[-`{-~])\1{2,}$/.test(line.trimEnd());

/** Signs that would end a reference, or begin something else in it. */
const unnamed = /[<>`\\*|]/;

/** Whether a title can be referred to by these words whatever they become. */
export const canBeReferred = (words: string): boolean => !unnamed.test(words);

const given =
	/^[ \t]*\.\. _(?:`(?<quoted>[^`\n]{1,300})`|(?<bare>(?:[^:\n\\]|\\:){1,300})):(?=\s|$)|(?<![\w`])_`(?<inline>[^`]{1,300})`|`(?<link>[^`<]{1,300}?)\s<[^`<>]{1,500}>`_(?!_)/gm;
const reference =
	/``[^\n]{1,500}?``|:ref:`(?:[^`<]{1,300}<)?(?<role>[^`<>]{1,300})>?`|`[^`<]{1,300}<(?<alias>[^`<>]{1,300})_>`__?(?!_)|`(?<quoted>[^`<>]{1,300})`_(?!_)|(?<![\w`:<])(?<bare>[A-Za-z][\w-]{0,100}(?:[.+:][\w-]{1,100}){0,5})_(?![\w`])/dg;
/** A title of another document, where autosectionlabel puts the document before it. */
const ofDocument = /^\/?([\w][\w./-]{0,300}):(\S.*)$/s;
/** Directives whose body is no text. */
const coded =
	/^\.\.[ \t]+(?:[\w-]{1,40}:)?(?:code|code-block|sourcecode|parsed-literal|highlight|literalinclude|math|raw|prompt|doctest|testcode|testoutput|graphviz|mermaid|uml)::/;

export function rstAnchors(text: string): DocumentAnchors {
	const lines = linesOf(text);
	const headings: Heading[] = [];
	const literal: { start: number; end: number }[] = [];
	const indentOf = (line: string) => line.length - line.trimStart().length;
	for (let at = 0; at < lines.length; at++) {
		const { start, text: line } = lines[at] ?? { start: 0, text: '' };
		const body = line.trim();
		const [below, above] = [lines[at + 1]?.text ?? '', lines[at - 1]?.text ?? ''];
		const isCode = coded.test(body) || (body.endsWith('::') && !body.startsWith('..'));
		if (isCode) {
			const indent = indentOf(line);
			let last = at;
			for (let next = at + 1; next < lines.length; next++) {
				const { text: own } = lines[next] ?? { text: '' };
				if (own.trim() === '') continue;
				if (indentOf(own) <= indent) break;
				last = next;
			}
			const end = lines[last];
			literal.push({
				start: start + line.length,
				end: (end?.start ?? 0) + (end?.text.length ?? 0),
			});
			at = last;
			continue;
		}
		const isApart = above.trim() === '' || isDrawnLine(above) || /^(?:\.\.|:|[ \t])/.test(above);
		const isTitle =
			isApart &&
			/[\p{L}\p{N}]/u.test(body) &&
			isDrawnLine(below) &&
			below.trim().length >= Math.min(4, body.length) &&
			(indentOf(line) === 0 || isDrawnLine(above));
		if (!isTitle) continue;
		headings.push({ words: plainTitle(body) });
		at++;
	}
	const ids = new Set<string>();
	for (const { groups = {} } of text.matchAll(given))
		for (const name of Object.values(groups))
			if (name !== undefined) ids.add(referenceName(name.replaceAll('\\:', ':')));
	const links: HeadingLink[] = [];
	const outward: OutwardLink[] = [];
	for (const match of text.matchAll(reference)) {
		const [found] = Object.entries(match.indices?.groups ?? {}).filter(([, one]) => one);
		if (!found || isWithin(literal, match.index, match.index + match[0].length)) continue;
		const [kind, place] = found;
		const [start, end] = place;
		const name = referenceName(text.slice(start, end));
		const [, path, title = ''] = (kind === 'role' && ofDocument.exec(text.slice(start, end))) || [];
		if (path !== undefined) {
			const at = { start: end - title.length, end, name: referenceName(title) };
			outward.push({ ...at, path, isFromRoot: true, isEncoded: false });
		}
		links.push(
			kind === 'bare'
				? { start, end, name, write: (_, words) => (isSimple(words) ? words : `\`${words}\``) }
				: { start, end, name, write: (_, words) => words },
		);
	}
	return { headings, links, outward, ids, slugs: [byWords] };
}

const isSimple = (words: string): boolean => /^[A-Za-z\d]+(?:[-._+:][A-Za-z\d]+)*$/.test(words);

const plainTitle = (title: string): string =>
	title
		.replace(rstMarks, (mark: string, ...rest: unknown[]) => {
			const groups = Object.values(rest.at(-1) as Record<string, string | undefined>);
			return groups.find((one) => one !== undefined) ?? mark.replaceAll('``', '');
		})
		.replace(/\s+/g, ' ');

const byWords: Slugs = (headings) =>
	headings.map(({ words }) => (canBeReferred(words) ? referenceName(words) : ''));
