/**
 * What a translation must hold to be written: the same placeholders, marks and delimiters as its source, and a
 * document whose syntax is what it was. Knows no format; what each of them holds is in {@link GateRules}.
 */

import { isPrintf, placeholders, sameConversions } from '../documents/placeholders.ts';
import { keepsAllWords } from '../keepsWords.ts';

/** A part of a document's syntax that words cannot change: a tag, a link, a key. */
export interface SyntaxNode {
	/** Offset of its beginning in UTF-16 units. */
	readonly at: number;
	/** What it is, with all that must stay of it; equal for nodes that may stand for each other. */
	readonly node: string;
}

/** What translations in one format are held to. */
export interface GateRules {
	/** Characters that a translation has no more of than its source. */
	readonly delimiters?: string;
	/** Pairs of brackets, `[]`: a translation opens as many more than it closes as its source, mostly none. */
	readonly brackets?: readonly string[];
	/** Whether texts with a conversion of printf are formats, of which every percent sign counts. */
	readonly conversions?: boolean;
	/** Spans that stand in a translation as often as in its source. Has the flag `g`. */
	readonly marks?: RegExp;
	/** A translation as readers of the format take it for what it says. */
	readonly written?: (translation: string, source: string) => string;
	/** The syntax of a whole document by a parser, in order; `undefined` when it cannot be read. */
	readonly nodes?: (text: string) => readonly SyntaxNode[] | undefined;
}

/** A span of a document. */
export interface Region {
	readonly start: number;
	readonly end: number;
}

/** A document and where its translated texts stand; regions are in order and disjoint. */
export interface Spliced {
	readonly text: string;
	readonly regions: readonly Region[];
}

/**
 * What a translation would lose or add, as a part of a sentence.
 *
 * @returns `undefined` when nothing: the translation may be written.
 */
export function gateFault(
	source: string,
	translation: string,
	rules: GateRules,
): string | undefined {
	if (/\p{L}/u.test(source) && translation.trim() === '') return 'nothing is left of it';
	if (!keepsAllWords(source, translation)) return 'words would be lost';
	const unseen = unseenFault(source, translation);
	if (unseen !== undefined) return unseen;
	const lost = difference(placeholders(source), placeholders(translation));
	if (lost !== undefined) return lost;
	if (rules.conversions && isPrintf(source) && !sameConversions(source, translation))
		return 'its conversions would be others';
	if (rules.marks) {
		const { marks } = rules;
		const other = difference(source.match(marks) ?? [], translation.match(marks) ?? []);
		if (other !== undefined) return other;
	}
	for (const delimiter of rules.delimiters ?? '')
		if (count(translation, delimiter) > count(source, delimiter))
			return `'${delimiter}' would be added`;
	for (const pair of rules.brackets ?? [])
		if (excess(translation, pair) !== excess(source, pair))
			return `'${pair}' would not be closed as it is`;
	return undefined;
}

/**
 * Characters that are not seen and change what is: controls, which files of XML cannot hold at all, those that turn the
 * direction of what follows them, other ends of lines, halves of a pair.
 */
const unseen =
	/[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu;

/** Whether a translation would add such a character, as a part of a sentence. */
export function unseenFault(source: string, translation: string): string | undefined {
	const own = new Set(source.match(unseen));
	const added = translation.match(unseen)?.find((letter) => !own.has(letter));
	if (added === undefined) return undefined;
	const code = added.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
	return `the unseen character U+${code} would be added`;
}

/** What one of two lists has more of, as a part of a sentence. */
function difference(source: readonly string[], translation: readonly string[]): string | undefined {
	const counts = new Map<string, number>();
	for (const one of source) counts.set(one, (counts.get(one) ?? 0) + 1);
	for (const one of translation) {
		const left = counts.get(one) ?? 0;
		if (left === 0) return `'${shortened(one)}' would be added`;
		counts.set(one, left - 1);
	}
	for (const [one, left] of counts) if (left > 0) return `'${shortened(one)}' would be lost`;
	return undefined;
}

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

/** How many more brackets a text opens than it closes. */
const excess = (text: string, [open = '', close = '']: string): number =>
	count(text, open) - count(text, close);

function count(text: string, letter: string): number {
	let found = 0;
	for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) found++;
	return found;
}

/** Whether a translation has the nodes of its source, however they have moved. */
export function holdsNodes(source: string, translation: string, { nodes }: GateRules): boolean {
	const listed = (text: string) =>
		nodes?.(text)
			?.map(({ node }) => node)
			.sort() ?? [];
	return isSame(listed(source), listed(translation));
}

/** Where the syntax of a translated document is not what it was. */
export interface SyntaxFaults {
	/** Numbers of regions whose own nodes are others. */
	readonly inside: readonly number[];
	/** Numbers of regions beside spans whose nodes are others, though no words stand there. */
	readonly beside: readonly number[];
	/** The translated document cannot be read, so nobody knows where its faults are. */
	readonly isBroken?: true;
}

/**
 * Compares the syntax of a document before and after its texts were replaced: nodes within a region may
 * move there, what stands between regions stays in its order.
 *
 * @returns `undefined` when it is the same.
 */
export function syntaxFaults(
	before: Spliced,
	after: Spliced,
	{ nodes }: GateRules,
): SyntaxFaults | undefined {
	const own = nodes?.(before.text);
	// A document nobody can read is left to those who check whether it is whole.
	if (!nodes || own === undefined || before.text === after.text) return undefined;
	const made = nodes(after.text);
	const all = [...before.regions.keys()];
	if (made === undefined) return { inside: all, beside: [], isBroken: true };
	const [from, to] = [placed(own, before.regions), placed(made, after.regions)];
	const inside = all.filter((region) => {
		const [old = [], now = []] = [from.within.get(region), to.within.get(region)];
		return !isSame([...old].sort(), [...now].sort());
	});
	const beside = new Set<number>();
	for (let gap = 0; gap <= before.regions.length; gap++) {
		const [old = [], now = []] = [from.between.get(gap), to.between.get(gap)];
		if (isSame(old, now)) continue;
		if (gap > 0) beside.add(gap - 1);
		if (gap < before.regions.length) beside.add(gap);
	}
	if (inside.length === 0 && beside.size === 0) return undefined;
	return { inside, beside: [...beside] };
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
	a.length === b.length && a.every((one, index) => one === b[index]);

/** Nodes by the region they begin in, or by the number of regions before them. */
function placed(nodes: readonly SyntaxNode[], regions: readonly Region[]) {
	const within = new Map<number, string[]>();
	const between = new Map<number, string[]>();
	let next = 0;
	for (const { at, node } of nodes) {
		while (next < regions.length && (regions[next]?.end ?? 0) <= at) next++;
		const region = regions[next];
		const list = region !== undefined && region.start <= at ? within : between;
		const known = list.get(next);
		if (known) known.push(node);
		else list.set(next, [node]);
	}
	return { within, between };
}
