/**
 * Markdown and MDX: words of headings, paragraphs, items, quotes, cells, notes, descriptions and titles, those in
 * HTML and elements of MDX, and what front matter says to readers. All else stays byte for byte: code, formulas,
 * addresses, names of references, expressions, imports.
 */

import { AppError } from '../../protocol/errors.ts';
import { gateRules } from '../gate/gateRules.ts';
import { withFrontMatterLanguage } from './markdown/frontMatter.ts';
import { markdownAnchors, readMarkdown } from './markdown/reading.ts';
import type { Extract, Fault, Piece } from './piece.ts';

/** Markdown as it is written in files that are no programs. */
export const extractMarkdown: Extract = Object.assign(
	(text: string): Piece[] => readMarkdown(text, 'markdown').pieces.slice(),
	{
		rules: gateRules.markdown,
		prepare: withFrontMatterLanguage,
		anchors: (text: string) => markdownAnchors(text, 'markdown'),
	},
);

/** Markdown with JSX: `import`, `export` and expressions in braces are code, too. */
export const extractMdx: Extract = Object.assign(
	(text: string): Piece[] => readMarkdown(text, 'mdx').pieces.slice(),
	{
		rules: gateRules.mdx,
		prepare: withFrontMatterLanguage,
		anchors: (text: string) => markdownAnchors(text, 'mdx'),
		faultOf: mdxFault,
	},
);

/** Where MDX is no program that could be compiled. */
function mdxFault(text: string): Fault | undefined {
	try {
		readMarkdown(text, 'mdx');
		return undefined;
	} catch (error) {
		if (error instanceof AppError || error instanceof RangeError || !(error instanceof Error))
			throw error;
		const { place, reason = '', ruleId = '', partStart = 0 } = error as Error & Partial<MdxError>;
		const point = place && 'start' in place ? place.start : place;
		const [, tag] = /`(<[^`\s]{1,80}>)`/.exec(reason) ?? [];
		const isTag = tag !== undefined && ruleId === 'end-tag-mismatch';
		return {
			at: partStart + (point?.offset ?? 0),
			what: isTag ? `the tag ${tag} and its end do not belong together` : mdxFaultOf(ruleId),
		};
	}
}

const mdxFaultOf = (ruleId: string): string => mdxFaults.get(ruleId) ?? 'this is no MDX';

const mdxFaults: ReadonlyMap<string, string> = new Map([
	['acorn', 'the code between braces, or after import or export, is no JavaScript'],
	['end-tag-mismatch', 'a tag is not closed, or another one is'],
	['non-esm', 'something follows an import or export; begin a paragraph of its own'],
	['non-spread', 'braces within a tag hold something else than attributes: {...props}'],
	['spread-extra', 'braces within a tag hold more than one set of attributes'],
	['unexpected-attribute', 'the end of a tag has attributes'],
	['unexpected-character', 'a character does not go into a tag; < of a text is written \\<'],
	['unexpected-closing-slash', 'a tag ends that has not begun'],
	['unexpected-empty-expression', 'braces within a tag are empty'],
	['unexpected-eof', 'a brace or a tag is not closed; { of a text is written \\{'],
	['unexpected-lazy', 'a line of a quote or an item does not begin like those before it'],
	['unexpected-self-closing-slash', 'the end of a tag has a slash too many'],
]);

interface Point {
	readonly offset?: number;
}

/** What the parser says of a fault, and where the part it read begins. */
interface MdxError {
	readonly place: Point | { readonly start: Point };
	readonly reason: string;
	/** What kind of fault it is. */
	readonly ruleId: string;
	readonly partStart: number;
}
