/**
 * Documents that are made of several texts, such as the parts of a zip file or the cells of a notebook: one text
 * with all of them, so that they are translated together and in one language.
 */

import { defined } from '../../protocol/defined.ts';
import { pushAll } from '../../protocol/lists.ts';
import type { GateRules, SyntaxNode } from '../gate/gate.ts';
import { type Extract, moved, type Piece } from './piece.ts';
import type { DocumentAnchors, Heading, HeadingLink } from './slugs.ts';

/** One of the texts. */
export interface DocumentPart {
	readonly name: string;
	readonly text: string;
	readonly extract: Extract;
	/** What has become of {@link text}, with what was left out of it. */
	readonly completed?: (text: string) => string;
}

/** Between two parts. No text format allows it. */
const border = '\u0000\u0000';

export class DocumentParts {
	readonly #parts: readonly DocumentPart[];

	/** @throws RangeError when a text holds what stands between texts */
	constructor(parts: readonly DocumentPart[]) {
		this.#parts = parts;
		const bad = parts.find(({ text }) => text.includes('\u0000'));
		if (bad) throw new RangeError(`${bad.name} holds a character with the code 0.`);
	}

	get text(): string {
		return this.#parts.map(({ text }) => text).join(border);
	}

	/** How the words of {@link text} are found. */
	get extract(): Extract {
		return extractOf(this.#parts.map(({ extract }) => extract));
	}

	/** The texts that differ, of what has become of {@link text}, by their names. */
	changed(text: string): Map<string, string> {
		const found = new Map<string, string>();
		text.split(border).forEach((one, at) => {
			const part = this.#parts[at];
			if (part && part.text !== one) found.set(part.name, part.completed?.(one) ?? one);
		});
		return found;
	}
}

/** Pieces with what they are held to. */
const held = (pieces: readonly Piece[], rules: GateRules | undefined): readonly Piece[] =>
	rules === undefined
		? pieces
		: pieces.map((piece) => ({
				...piece,
				rules,
				...(piece.inner ? { inner: held(piece.inner, rules) } : {}),
			}));

/** The syntax of all texts; one that cannot be read is one node. */
function nodesOf(extracts: readonly Extract[], text: string): SyntaxNode[] {
	const nodes: SyntaxNode[] = [];
	let start = 0;
	text.split(border).forEach((own, at) => {
		nodes.push({ at: start, node: border });
		const from = start;
		const found = extracts[at]?.rules?.nodes;
		const read = found ? (found(own) ?? [{ at: 0, node: 'unreadable' }]) : [];
		for (const { at: place, node } of read) nodes.push({ at: from + place, node });
		start += own.length + border.length;
	});
	return nodes;
}

/** The headings of all texts, and the links to them: those of a cell lead into others. */
function anchorsOf(extracts: readonly Extract[], text: string): DocumentAnchors {
	const headings: Heading[] = [];
	const links: HeadingLink[] = [];
	const ids = new Set<string>();
	let slugs: DocumentAnchors['slugs'] = [];
	let start = 0;
	text.split(border).forEach((own, at) => {
		const found = extracts[at]?.anchors?.(own);
		if (found) {
			pushAll(headings, found.headings);
			for (const link of found.links)
				links.push({ ...link, start: link.start + start, end: link.end + start });
			for (const id of found.ids) ids.add(id);
			slugs = found.slugs;
		}
		start += own.length + border.length;
	});
	return { headings, links, outward: [], ids, slugs };
}

/** What is translated before the rest of a text, held to the same. */
const beforeOf = ({ before, rules }: Extract): Extract =>
	Object.assign((text: string, to?: string) => before?.(text, to) ?? [], {
		...defined({ before: before?.before, rules }),
	});

function extractOf(extracts: readonly Extract[]): Extract {
	const each = (text: string, of: (extract: Extract, own: string) => Piece[]): Piece[] => {
		const pieces: Piece[] = [];
		let start = 0;
		text.split(border).forEach((own, at) => {
			const extract = extracts[at];
			if (extract) pushAll(pieces, held(moved(of(extract, own), start), extract.rules));
			start += own.length + border.length;
		});
		return pieces;
	};
	return Object.assign(
		(text: string, to?: string) => each(text, (extract, own) => extract(own, to)),
		{
			...(extracts.some((extract) => extract.before)
				? { before: extractOf(extracts.map(beforeOf)) }
				: {}),
			...(extracts.some((extract) => extract.anchors)
				? { anchors: (text: string) => anchorsOf(extracts, text) }
				: {}),
			rules: { nodes: (text: string) => nodesOf(extracts, text) },
			prepare: (text: string, to: string) =>
				text
					.split(border)
					.map((own, at) => extracts[at]?.prepare?.(own, to) ?? own)
					.join(border),
		},
	);
}
