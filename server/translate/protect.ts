/**
 * Spans of plain text that must come out byte for byte: placeholders, tags, URLs, paths, code.
 * Only finds them; masking is in mask.ts.
 */

import type { Span } from './sentences.ts';

/** Alternatives in order of precedence; each one is anchored by the scanner. */
const patterns: readonly RegExp[] = [
	// Code spans and fences of Markdown.
	/(`+)(?!`)[^\n]{0,300}?[^`\n]\1(?!`)/,
	// Template directives: <%= x %>, {{ x }}, {% x %}, ${x}, #{x}, {0}, {name}, {count, plural, …} heads.
	/<%.*?%>/,
	/\{\{\{?[^{}\n]{0,200}\}?\}\}/,
	/\{%[^%\n]{0,200}%\}/,
	/[$#]\{[^{}\n]{1,200}\}/,
	/\{[\w.:$@\- ]{0,60}\}/,
	/\[\[[\w.-]{1,60}\]\]/,
	// i18next nesting, vue-i18n links, Ruby and Python named, printf, Objective-C.
	/\$t\([^()\n]{1,200}\)/,
	/@:(?:[\w.]+|\([\w.]+\))/,
	/%\{[^{}\n]{1,100}\}/,
	/%\([A-Za-z_]\w*\)[#0 +-]*\d*(?:\.\d+)?[diouxXeEfFgGcrs]/,
	/%(?:\d+\$)?[#0+'-]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcsSpn@](?![A-Za-z])/,
	/%[1-9](?!\d|\s?[%\p{L}])/u,
	/%%(?=[\w(])/,
	// Entities.
	/&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/,
	// Addresses.
	/(?:https?|ftp|file|mailto|ssh|git|data|vscode):(?:\/\/)?[^\s<>"'`()[\]{}]*[^\s<>"'`()[\]{}.,;:!?]/,
	/www\.[\w-]+\.[^\s<>"'`()[\]{}]*[^\s<>"'`()[\]{}.,;:!?]/,
	/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/,
	// Paths.
	/[A-Za-z]:\\[\w.\\$%~-]+/,
	/(?:\.{1,2}|~)?\/[\w.@~+-]+(?:\/[\w.@~+*-]*)+/,
	/(?:\.{1,2}|~)\/[\w.@~+*-]+/,
	// Command-line options.
	/--[A-Za-z][\w-]*(?:=[^\s,;]+)?/,
	/-[A-Za-z]\b(?![-'’])/,
	// Calls, members, identifiers.
	/[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*\(\)/,
	/[A-Za-z_$][\w$]*(?:(?:::|->)[A-Za-z_$][\w$]*)+/,
	/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){2,}(?!\.)/,
	/(?:[\w.-]+\/)*[\w-]+\.(?:js|ts|tsx|jsx|mjs|cjs|json|md|py|rs|go|c|h|cpp|hpp|cs|java|kt|rb|php|sh|ps1|bat|exe|dll|so|txt|csv|tsv|xml|html?|css|scss|ya?ml|toml|ini|cfg|conf|log|lock|pdf|png|jpe?g|gif|svg|zip|gz|tar|onnx|po|vue|sql|env)\b/,
	/@[A-Za-z][\w-]*\/[\w.-]+/,
	/#[A-Za-z_]\w*|#\d+\b/,
	/[A-Za-z]\w*_\w*|_\w+/,
	/[a-z]+(?:[A-Z][a-z\d]*)+/,
	/[A-Z][a-z\d]+(?:[A-Z][a-z\d]+){2,}/,
	/v?\d+(?:\.\d+){2,}(?:-[\w.]+)?/,
	/0[xX][\da-fA-F]+|#[\da-fA-F]{6}\b/,
	/[A-Z]{1,8}\d{2,}[A-Z\d]*|[A-Z]{2,}-\d+/,
	// Operators that a tokenizer would tear apart.
	/(?:===?|!==?|<=|>=|=>|->|&&|\|\||\+\+)/,
];

const scanner = new RegExp(patterns.map(({ source }) => `(?:${renumber(source)})`).join('|'), 'gu');

/** The one back-reference of the table, as a named one so that joining does not move it. */
function renumber(source: string): string {
	return source.replace(/^\(`\+\)/, '(?<ticks>`+)').replaceAll('\\1', '\\k<ticks>');
}

const wordBefore = /[\p{L}\p{N}_]$/u;

/** Spans of `text` that no translation may touch, in order, without overlaps. */
export function protectedSpans(text: string): Span[] {
	const spans: Span[] = [];
	const search = new RegExp(scanner);
	for (let match = search.exec(text); match !== null; match = search.exec(text)) {
		const start = match.index;
		const found = match[0];
		const end = start + found.length;
		// "and-o" is no option, "foo" inside a longer word is no identifier.
		const inWord =
			(/^[\w-]/.test(found) && wordBefore.test(text.slice(Math.max(0, start - 2), start))) ||
			(/^\w/.test(found) && /^\p{L}/u.test(text.slice(end, end + 2)));
		if (inWord) {
			// Something else may start inside what was refused.
			search.lastIndex = start + 1;
			continue;
		}
		// The full stop after a path ends the sentence, not the path.
		spans.push([start, /^[./~\w].*\/.*\.$/.test(found) ? end - 1 : end]);
	}
	return spans;
}

/** Sorted union of spans; touching ones are joined. */
export function mergeSpans(spans: readonly Span[]): Span[] {
	const merged: [number, number][] = [];
	for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
		const last = merged.at(-1);
		if (last && start < last[1]) last[1] = Math.max(last[1], end);
		else merged.push([start, end]);
	}
	return merged;
}
