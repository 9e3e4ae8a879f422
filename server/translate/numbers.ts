/** Numbers of many digits, in which a model makes slips that nobody sees. */

/** Digits from which on a number is looked after; years and small counts are written in many ways. */
const minDigits = 5;

/** Digits with what groups them or parts their decimals. */
const number = /\p{Nd}(?:[\p{Nd}.,]*\p{Nd})?/gu;
/** The same, of the digits that texts in all scripts have. */
export const numberOrMask = /(\{\d+\}|\d[\d.,]{3,}\d)/;

/** Scripts that count by ten thousands, and Indian numbers, write round numbers with words. */
const words = /[万萬亿億만억]|लाख|করোড়|লাখ/u;

export function isLongNumber(text: string): boolean {
	return /^\d[\d.,]*$/.test(text) && text.replace(/[.,]/g, '').length >= minDigits;
}

/**
 * Whether a translation has the digits of every long number of its source, however they are grouped. Round
 * numbers do not count: `five million` is right as well.
 */
export function keepsNumbers(source: string, target: string): boolean {
	const wanted = longNumbers(source);
	if (wanted.length === 0 || words.test(target)) return true;
	const found = [...target.matchAll(number)].map(([one]) => digitsOf(one)).join(' ');
	// Spaces may group digits, too.
	const run = digitsOf(target);
	return wanted.every((digits) => found.includes(digits) || run.includes(digits));
}

function longNumbers(text: string): string[] {
	return [...text.matchAll(number)]
		.map(([one]) => digitsOf(one))
		.filter((digits) => digits.length >= minDigits && !digits.endsWith('00'));
}

/** The digits of a text, each as 0 to 9. */
function digitsOf(text: string): string {
	let digits = '';
	for (const [digit] of text.matchAll(/\p{Nd}/gu))
		digits += valueOfDigit(digit.codePointAt(0) ?? 0);
	return digits;
}

/** The digits of a script follow each other, ten by ten. */
function valueOfDigit(code: number): number {
	if (code < 0x80) return code - 0x30;
	let before = 0;
	while (before < 60 && /\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++;
	return before % 10;
}
