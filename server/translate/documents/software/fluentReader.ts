/** Fluent `.ftl` files as their values with the placeables and variants in them. */

import { asksToKeep } from '../remarks.ts';

/** A stretch of source code. */
export interface FluentRange {
	readonly start: number;
	readonly end: number;
}

/** Text and placeables of a value, without the white space around it. */
export interface FluentPattern extends FluentRange {
	readonly parts: readonly (FluentRange & { readonly isCode: boolean })[];
	/** What stands right above it. */
	readonly comment?: string;
}

export interface FluentVariant extends FluentRange {
	readonly key: string;
	readonly pattern: FluentPattern;
}

const entry = /^(?:-?[A-Za-z][\w-]*[ ]*=|[ ]+\.[A-Za-z][\w-]*[ ]*=)/gm;

const isTerm = /^-/;
/** Terms that are the names of a product or of who makes it. */
const nameTerm =
	/^-(?:[\w-]+-)?(?:brand|company|product|trademark|vendor)(?:-[\w-]+)?\s*=|^-app-?name\s*=/i;

/** End of a placeable that begins at a brace; -1 when it is not closed. */
function closing(text: string, from: number, to: number): number {
	let depth = 0;
	for (let at = from; at < to; at++) {
		const letter = text[at];
		if (letter === '"') {
			for (at++; at < to && text[at] !== '"' && text[at] !== '\n'; at++)
				if (text[at] === '\\') at++;
		} else if (letter === '{') depth++;
		else if (letter === '}' && --depth === 0) return at + 1;
	}
	return -1;
}

function patternIn(text: string, start: number, end: number): FluentPattern | undefined {
	const raw = text.slice(start, end);
	const from = start + raw.length - raw.trimStart().length;
	const to = from + raw.trim().length;
	const parts: (FluentRange & { isCode: boolean })[] = [];
	for (let at = from; at < to; ) {
		const brace = text.indexOf('{', at);
		const next = brace < 0 || brace >= to ? to : brace;
		if (next > at) parts.push({ start: at, end: next, isCode: false });
		if (next === to) break;
		const after = closing(text, next, to);
		if (after < 0) return undefined;
		parts.push({ start: next, end: after, isCode: true });
		at = after;
	}
	return { start: from, end: to, parts };
}

/** Values in order; a fault is where a placeable is not closed. */
export function fluentValues(text: string): { patterns: FluentPattern[]; fault?: number } {
	const patterns: FluentPattern[] = [];
	let comment = '';
	let isKept = false;
	let term = '';
	let last = 0;
	entry.lastIndex = 0;
	for (let match = entry.exec(text); match; match = entry.exec(text)) {
		const between = text.slice(last, match.index);
		const isAttribute = match[0].startsWith(' ');
		if (!isAttribute) isKept = nameTerm.test(match[0]);
		// What a term has besides its words says how it is declined, and is never shown.
		else if (isTerm.test(term)) isKept = true;
		if (!isAttribute) term = match[0];
		if (!isAttribute) comment = /(?:^|\n)((?:#[^\n]*\n)+)$/.exec(between.slice(-2000))?.[1] ?? '';
		const start = match.index + match[0].length;
		let end = start;
		for (;;) {
			const brace = text.indexOf('{', end);
			const line = text.indexOf('\n', end);
			const lineEnd = line < 0 ? text.length : line;
			if (brace >= 0 && brace < lineEnd) {
				end = closing(text, brace, text.length);
				if (end < 0) return { patterns, fault: brace };
				continue;
			}
			end = lineEnd;
			if (line < 0) break;
			// The value goes on where a line is indented, and begins no attribute.
			const next = /^(?:[ \t]*\r?\n)*[ ]+(?![.\s])/.exec(text.slice(line + 1, line + 2000));
			if (!next) break;
			end = line + 1 + next[0].length;
		}
		const pattern = isKept || asksToKeep(comment) ? undefined : patternIn(text, start, end);
		const said = comment.replace(/^#+[ \t]?/gm, '').trim();
		if (pattern) patterns.push(said === '' ? pattern : { ...pattern, comment: said });
		last = end;
		entry.lastIndex = end;
	}
	return { patterns };
}

/** The variants of a value that is one choice and nothing else. */
export function fluentVariants(
	text: string,
	{ parts }: FluentPattern,
): FluentVariant[] | undefined {
	const [only] = parts;
	if (!only?.isCode || parts.length > 1) return undefined;
	const code = text.slice(only.start + 1, only.end - 1);
	const arrow = code.indexOf('->');
	if (arrow < 0) return undefined;
	const heads = [...code.matchAll(/^[ \t]*(\*?\[[ ]*([\w.-]{1,60})[ ]*\])/gm)].filter(
		({ index }) => index > arrow,
	);
	return heads.map((match, at) => {
		const [all, head = '', key = ''] = match;
		const start = only.start + 1 + match.index + all.length - head.length;
		const limit = only.start + 1 + (heads[at + 1]?.index ?? code.length);
		const pattern = patternIn(text, start + head.length, limit);
		const end = pattern?.end ?? limit;
		return { start, end, key, pattern: pattern ?? { start, end, parts: [] } };
	});
}
