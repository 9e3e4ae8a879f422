/**
 * Spans of plain text that must come out byte for byte: placeholders, tags, URLs, paths, code.
 * Only finds them; masking is in mask.ts.
 */

import { webAddresses } from './addresses.ts';
import type { Span } from './sentences.ts';
import { spelledTag, unitAhead } from './spelledMarks.ts';

/** What may hold white space. Every repetition is bounded: hostile text must cost linear time. */
const bracketed: readonly RegExp[] = [
	// Code spans of Markdown.
	/(?<!`)(?<ticks>`{1,6})(?!`)[^\n]{0,300}?[^`\n]\k<ticks>(?!`)/,
	// Template directives: <%= x %>, {{ x }}, {% x %}, ${x}, #{x}, {0}, {name}.
	/<%[^%]{0,200}%>/,
	/\{\{\{?[^{}\n]{0,200}\}?\}\}/,
	/\{%[^%\n]{0,200}%\}/,
	/[$#]\{[^{}\n]{1,200}\}/,
	/\{[\w.:$@\- ]{0,60}\}/,
	/\[\[[\w.-]{1,60}\]\]/,
	// i18next nesting, vue-i18n links, Ruby.
	/\$t\([^()\n]{1,200}\)/,
	/@:(?:[\w.]{1,100}|\([\w.]{1,100}\))/,
	/%\{[^{}\n]{1,100}\}/,
	// Names of capitals that an "and" is a part of, AT&T: longer ones are menus with their keys, O&PEN.
	/(?<![\p{L}\p{N}&;])\p{Lu}{1,2}(?:&(?:amp;)?\p{Lu}{1,2}){1,2}(?![\p{L}\p{N}&])/u,
	new RegExp(spelledTag, 'u'),
	// Entities.
	/&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/,
	...webAddresses,
	// Formulas, as Markdown has them: no space inside the signs. Prices are none.
	/(?<![\w$\\])\$\$[^$]{1,300}\$\$/,
	/(?<![\w$\\])\$(?![\s$),.;:!?]|\d[\d.,]{0,20}\s+\p{L}{2})(?:[^$\n\\]|\\.){0,200}?[^\s$]\$(?![\w$])/u,
];

/** Codes of emoji, `:tada:`. */
const emojiCodes =
	/(?<![\w:])(?::(?:[+-]1|100|1234|(?=[\d_+-]{0,40}[a-z])[a-z\d_+-]{1,40}):){1,20}(?![\w:])/;
/** People, as in `@name`. */
const mention = /(?<![\p{L}\p{N}_.@])@[A-Za-z\d][\w-]{0,38}/u;

/** What is one word without white space; only looked for in words of bearable length. */
const wordLike: readonly RegExp[] = [
	// Python named, printf, Objective-C.
	/%\([A-Za-z_]\w*\)[#0 +-]*\d*(?:\.\d+)?[diouxXeEfFgGcrs](?:%%)*/,
	/%(?:\d+\$)?[#0+'-]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcsSpn@](?![A-Za-z])(?:%%)*/,
	new RegExp(`%(?:\\d{1,2}\\$)?\\d{0,3}(?:\\.\\d)?[dsuf]${unitAhead}`, 'u'),
	/%[1-9](?!\d|[%p{L}])/,
	// A percent sign of printf, with the number before it or the letter of a conversion that is only spoken of
	// behind it: apart, a model would rewrite them.
	/(?:\d[\d.,]{0,20})?%%(?:(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcsSpn@](?![A-Za-z]))?/,
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
	mention,
	emojiCodes,
	/#[A-Za-z_]\w*|#\d+\b/,
	/[A-Za-z]\w*_\w*|_\w+/,
	/[a-z]+(?:[A-Z][a-z\d]*)+/,
	/[A-Z][a-z\d]+(?:[A-Z][a-z\d]+){2,}/,
	/v?\d+(?:\.\d+){2,}(?:-[\w.]+)?/,
	// Numbers of many digits: a model writes the first ones and makes the others up.
	/\d+[.,]\d{5,}|\d{7,}(?:[.,]\d+)?/,
	/0[xX][\da-fA-F]+|#[\da-fA-F]{6}\b/,
	/[A-Z]{1,8}\d{2,}[A-Z\d]*|[A-Z]{2,}-\d+/,
	// Keys that are pressed together.
	/(?:Ctrl|Control|Cmd|Command|Alt|Option|Shift|Meta|Super|Win|Strg)(?:\+(?:[A-Z][A-Za-z]{0,10}\d{0,2}|\d|[^\s\w])){1,4}/,
	// Names of packages and commands: small letters with hyphens, and a word among them that only programs have.
	/(?:[a-z\d]{1,30}-){0,6}(?:npm|npx|js|jsx|tsx|css|scss|html|json|yaml|xml|sql|cli|eslint|babel|webpack|rollup|vite|esbuild|postcss|pnpm|kubectl|utils?|argv|stdin|stdout|lodash)(?:-(?!(?:based|like|style|only|friendly|compatible|free|specific|safe|aware|formatted|encoded)\b)[a-z\d]{1,30}){1,6}(?![-'’])/,
	// Operators that a tokenizer would tear apart.
	/(?:===?|!==?|<=|>=|=>|->|&&|\|\||\+\+)/,
];

const join = (patterns: readonly RegExp[]): RegExp =>
	new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'), 'gu');
/** Without one of these nothing of the first list is there. */
const bracketMark = /[`<{[$@%&:]|www\./;
/** What texts for people have in them that is no word: formulas, codes of emoji, mentions, numbers of issues. */
export const wordlessTokens: RegExp = join([...bracketed.slice(-2), emojiCodes, mention, /#\d+\b/]);
const bracketScanner = join(bracketed);
const wordScanner = join(wordLike);

/** Words between white space and the letters of scripts that do without it. */
const wordPattern =
	/[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;
/** A word of a sentence, in which nothing above can be. */
const plainWord = /^\p{Lu}?\p{Ll}*[.,;:!?]?$/u;
/** Longer "words" are data; the patterns above could take quadratic time on them. */
const longestWord = 200;
/** Scripts that do without spaces and are not told apart above: long runs of these are words. */
const unspaced = /[\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Javanese}\p{Script=Balinese}]/u;
const lettersInRow = /[\p{L}\p{N}]+/gu;

/** Letters that make what stands beside them part of a word. */
const letterBefore =
	/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{N}_]$/u;
const letterAfter =
	/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Spans of `text` that no translation may touch, in order, without overlaps. */
export function protectedSpans(text: string): Span[] {
	const spans: Span[] = [];
	if (bracketMark.test(text))
		for (const { index, 0: found } of text.matchAll(bracketScanner))
			spans.push([index, index + found.length]);
	const inBrackets = spans.length;
	let next = 0;
	for (const word of text.matchAll(wordPattern)) {
		const isLong = word[0].length > longestWord;
		if (!isLong && plainWord.test(word[0])) continue;
		const from = word.index;
		const own = isLong ? inData(word[0], from) : inWord(text, word[0], from);
		for (const [start, end] of own) {
			while (next < inBrackets && (spans[next]?.[1] ?? 0) <= start) next++;
			const taken = spans[next];
			if (next >= inBrackets || !taken || taken[0] >= end) spans.push([start, end]);
		}
	}
	return spans.sort((a, b) => a[0] - b[0]);
}

/** Runs of letters that nobody could say: a model would make something of them, and more than there was. */
function inData(word: string, from: number): Span[] {
	return [...word.matchAll(lettersInRow)].flatMap(({ index, 0: run }): Span[] =>
		run.length > longestWord && !unspaced.test(run)
			? [[from + index, from + index + run.length]]
			: [],
	);
}

function inWord(text: string, word: string, from: number): Span[] {
	const spans: Span[] = [];
	wordScanner.lastIndex = 0;
	for (let match = wordScanner.exec(word); match !== null; match = wordScanner.exec(word)) {
		const start = from + match.index;
		const found = match[0];
		const end = start + found.length;
		// "and-o" is no option, "foo" inside a longer word is no identifier.
		const part =
			(/^[\w-]/.test(found) && letterBefore.test(text.slice(Math.max(0, start - 2), start))) ||
			(/^\w/.test(found) && letterAfter.test(text.slice(end, end + 2)));
		if (part) {
			// Something else may start inside what was refused.
			wordScanner.lastIndex = match.index + 1;
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
