/** Placeholders of every dialect, to be found again in a translation exactly as often. */

import { spelledTag, unitAhead } from '../spelledMarks.ts';

/** Matches a placeholder. */
export const placeholderPattern = new RegExp(
	[
		spelledTag,
		`%(?:\\d{1,2}\\$)?\\d{0,3}(?:\\.\\d)?[dsuf]${unitAhead}`,
		/%%(?:(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcsSpn@](?![A-Za-z]))?|\{\{[^{}]*\}\}|\$\{[^{}]*\}|%\{[^{}]*\}|#\{[^{}]*\}|\{[^{}\s,`]*(?:,[^{}`]*)?\}|\$t\([^()]*\)|%\([A-Za-z_]\w*\)[#0 +-]{0,8}\d{0,8}(?:\.\d{1,8})?[diouxXeEfFgGcrs]|%(?:\d{1,8}\$)?[-+#0']{0,8}(?:\d{1,8}|\*)?(?:\.\d{1,8})?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcsp@](?![A-Za-z])|%[1-9](?!\d)|@:[\w.]+|<\/?[A-Za-z][^<>]*>|&(?:#\d+|#x[\da-f]+|\w+);/
			.source,
	].join('|'),
	'gi',
);

/** The placeholders of a text, sorted. */
export function placeholders(text: string): string[] {
	return (text.match(placeholderPattern) ?? []).sort();
}

/** Whether a translation has the same placeholders, each as often. */
export function samePlaceholders(source: string, translation: string): boolean {
	return placeholders(source).join('\n') === placeholders(translation).join('\n');
}

/** A conversion of printf in the C language; anything else after a percent sign is none. */
const conversion =
	/%(?:\d{1,8}\$)?[-+ #0'I]{0,8}(?:\d{1,8}|\*(?:\d{1,8}\$)?)?(?:\.(?:\d{1,8}|\*(?:\d{1,8}\$)?)?)?(?:hh|ll|[hlLqjzZt])?(?:[diouxXeEfFgGaAcCsSpnm@%]|<PRI[diouxX]\w+>)|%\(\w+\)[-+ #0]{0,8}\d{0,8}(?:\.\d{1,8})?[diouxXeEfFgGcrsa]|%/g;

/**
 * Whether a translation of a printf format reads the same arguments: every conversion as often, `%%`
 * among them, and those without a number or name in the same order.
 */
export function sameConversions(source: string, translation: string): boolean {
	const [from, to] = [source, translation].map((text) => text.match(conversion) ?? []);
	const inOrder = (found: readonly string[] = []) =>
		found.filter((one) => one !== '%%' && !/^%(?:\d+\$|\()/.test(one)).join('\n');
	const all = (found: readonly string[] = []) => [...found].sort().join('\n');
	return all(from) === all(to) && inOrder(from) === inOrder(to);
}

const withUnit = new RegExp(`%(?:\\d{1,2}\\$)?\\d{0,3}(?:\\.\\d)?[dsuf]${unitAhead}`);
const certain =
	/%%|%(?:\d{1,8}\$)?[-+0#]{0,8}(?:\d{1,8}|\*)?(?:\.\d{1,8})?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGcs@](?![A-Za-z])|%\(\w+\)/;

/** Whether a text is a format of printf for certain, and not words with a percent sign among them. */
export const isPrintf = (text: string): boolean => certain.test(text) || withUnit.test(text);

/** ICU messages with branches: their inner texts cannot be translated as one sentence. */
export function isIcuBranching(text: string): boolean {
	return /\{\s*[\w.]+\s*,\s*(?:plural|select|selectordinal)\s*,/.test(text);
}
