/**
 * Text of models, hubs, servers, files and errors, as a terminal or a log may show it: nothing in it
 * steers the terminal, turns the order of letters round or hides.
 */

/** C0 but tab and line feed, DEL, and C1: with them sequences begin that colour, move, rename and copy. */
const controls = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f';
/** Embeddings, overrides and isolates: they make later text read in another order. */
const reorders = '\\u202a-\\u202e\\u2066-\\u2069';
/** Marks and blanks nobody sees, which make two names look alike; also tags, which spell hidden text. */
const unseen =
	'\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028\\u2029\\u2060-\\u2065\\u206a-\\u206f\\ufeff\\u{e0000}-\\u{e007f}';

const steers = new RegExp(`[${controls}${reorders}]`, 'gu');
const steersOrHides = new RegExp(`[${controls}${reorders}${unseen}]`, 'gu');

/** Without what steers a terminal; joiners and marks that writing needs stay. For answers and documents. */
export function plainText(text: string): string {
	return text.replace(steers, '');
}

/** Without what steers a terminal or cannot be seen. For names, messages and everything else. */
export function visibleText(text: string): string {
	return text.replace(steersOrHides, '');
}

/** The same in one line: words of strangers inside a sentence, which must not look like lines of the program. */
export function visibleLine(text: string): string {
	return visibleText(text.replace(/[\s\u0085]/gu, ' '))
		.replace(/ {2,}/g, ' ')
		.trim();
}

/** A line of JSON with all that as `\uXXXX`: the same value, and harmless on a terminal. */
export function escapedJson(line: string): string {
	return line.replace(steersOrHides, (character) =>
		[...character]
			.flatMap((one) => one.split(''))
			.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
			.join(''),
	);
}

/** The one form of a log line: no value in it can end the line, begin another, or hide on a screen. */
export function jsonLine(value: object): string {
	return `${escapedJson(JSON.stringify(value))}\n`;
}
