/**
 * Markdown and MDX: words of headings, paragraphs, items, quotes, cells, notes, descriptions and titles, those in
 * HTML and elements of MDX, and what front matter says to readers. All else stays byte for byte: code, formulas,
 * addresses, names of references, expressions, imports.
 */

import { AppError } from '../../protocol/errors.ts';
import { gateRules } from '../gate/gateRules.ts';
import { withFrontMatterLanguage } from './markdown/frontMatter.ts';
import { readMarkdown } from './markdown/reading.ts';
import type { Extract, Fault, Piece } from './piece.ts';

/** Markdown as it is written in files that are no programs. */
export const extractMarkdown: Extract = Object.assign(
	(text: string): Piece[] => readMarkdown(text, 'markdown').pieces.slice(),
	{ rules: gateRules.markdown, prepare: withFrontMatterLanguage },
);

/** Markdown with JSX: `import`, `export` and expressions in braces are code, too. */
export const extractMdx: Extract = Object.assign(
	(text: string): Piece[] => readMarkdown(text, 'mdx').pieces.slice(),
	{ rules: gateRules.mdx, prepare: withFrontMatterLanguage, faultOf: mdxFault },
);

/** Where MDX is no program that could be compiled. */
function mdxFault(text: string): Fault | undefined {
	try {
		readMarkdown(text, 'mdx');
		return undefined;
	} catch (error) {
		if (error instanceof AppError || error instanceof RangeError || !(error instanceof Error))
			throw error;
		const { place, reason, partStart = 0 } = error as Error & Partial<MdxError>;
		const point = place && 'start' in place ? place.start : place;
		const what = reason ?? error.message;
		return {
			at: partStart + (point?.offset ?? 0),
			what: what.charAt(0).toLowerCase() + what.slice(1),
		};
	}
}

interface Point {
	readonly offset?: number;
}

/** What the parser says of a fault, and where the part it read begins. */
interface MdxError {
	readonly place: Point | { readonly start: Point };
	readonly reason: string;
	readonly partStart: number;
}
