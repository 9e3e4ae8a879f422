/**
 * Masking: spans that must not be translated become `{0}`, `{1}` … for the model and are put back
 * afterwards. The numbers let the result be checked: every mask exactly once or it is rejected.
 */

import type { Span } from './sentences.ts';

/** A span of the source and the text that stands for it in the target. */
export interface Fixed {
	readonly start: number;
	readonly end: number;
	readonly target: string;
	/** Its source bytes where they differ from `target`. */
	readonly source?: string;
}

/** A stretch of text that was replaced: `from` in the original, `to` in the result. */
export interface Replacement {
	readonly from: Span;
	readonly to: Span;
}

export interface Replaced {
	readonly text: string;
	readonly replacements: readonly Replacement[];
}

/** Replaces ordered, non-overlapping spans and remembers where everything went. */
export function replaceSpans(
	text: string,
	parts: readonly { readonly span: Span; readonly by: string }[],
): Replaced {
	let out = '';
	let at = 0;
	const replacements: Replacement[] = [];
	for (const { span, by } of parts) {
		out += text.slice(at, span[0]);
		replacements.push({ from: span, to: [out.length, out.length + by.length] });
		out += by;
		at = span[1];
	}
	return { text: out + text.slice(at), replacements };
}

/** Position in the original → position in the result. Inside a replacement: its start or its end. */
export function mapForward(
	replacements: readonly Replacement[],
	at: number,
	side: 'start' | 'end',
): number {
	let shift = 0;
	for (const { from, to } of replacements) {
		if (at < from[0] || (at === from[0] && side === 'start')) break;
		if (at < from[1] || (at === from[1] && from[0] === from[1]))
			return side === 'start' ? to[0] : to[1];
		shift = to[1] - from[1];
	}
	return at + shift;
}

/** Position in the result → position in the original. */
export function mapBackward(
	replacements: readonly Replacement[],
	at: number,
	side: 'start' | 'end',
): number {
	return mapForward(
		replacements.map(({ from, to }) => ({ from: to, to: from })),
		at,
		side,
	);
}

/** Masks the fixed spans of a sentence. Number n stands for `fixed[n]`. */
export function mask(text: string, fixed: readonly Fixed[]): Replaced {
	return replaceSpans(
		text,
		fixed.map(({ start, end }, index) => ({ span: [start, end] as const, by: `{${index}}` })),
	);
}

/**
 * Puts the fixed texts back into what a model wrote. `undefined` when a mask is missing, doubled or
 * invented: the caller then has to translate around the masks.
 */
export function unmask(output: string, fixed: readonly Fixed[]): Replaced | undefined {
	const seen = new Set<number>();
	const parts: { span: Span; by: string }[] = [];
	for (const match of output.matchAll(/\{\s?(\d+)\s?\}/g)) {
		const number = Number(match[1]);
		const item = fixed[number];
		if (!item || seen.has(number)) return undefined;
		seen.add(number);
		parts.push({ span: [match.index, match.index + match[0].length], by: item.target });
	}
	if (seen.size !== fixed.length) return undefined;
	// What is left of a torn mask is a fault as well.
	const rest = replaceSpans(
		output,
		parts.map(({ span }) => ({ span, by: '' })),
	);
	if (fixed.length > 0 && /[{}]/.test(rest.text)) return undefined;
	return replaceSpans(output, parts);
}
