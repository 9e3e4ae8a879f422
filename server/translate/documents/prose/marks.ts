/** Inline marks of reStructuredText and AsciiDoc. */

/** Marks inside of paragraphs, those with a named group around words. */
export const rstMarks = new RegExp(
	[
		'``[^`]{1,300}``',
		// A link with its own address moves with its words; one that is found by its words keeps them.
		'`(?<link>[^`<]{1,300}?) <[^`<>]{1,500}>`__?',
		':[\\w:.+-]{1,60}:`[^`]{1,300}`',
		'`[^`]{1,300}`(?:__?|:[\\w:.+-]{1,60}:)?',
		'\\*\\*(?<strong>[^*\\s](?:[^*]{0,300}[^*\\s])?)\\*\\*',
		'(?<![\\w*])\\*(?<emphasis>[^*\\s](?:[^*]{0,300}[^*\\s])?)\\*(?![\\w*])',
		'\\|[^|\\s](?:[^|]{0,100}[^|\\s])?\\|_{0,2}',
		'\\[[#*]?[\\w.-]{0,60}\\]_',
		'(?:https?|ftp):\\/\\/[^\\s<>`]{1,500}',
		'(?<![\\w`])[A-Za-z][\\w-]{0,100}(?:[.+:][\\w-]{1,100}){0,5}__?(?![\\w`])',
	].join('|'),
	'dg',
);
/** Code, closed where no letter follows; quotes in it do not end it. */
const asciiDocCode = [
	'``[^`\\n]{1,300}``(?!`)',
	'(?<![\\w&;:}"\'`])`[^`\\s](?:[^\\n]{0,300}?[^\\s`])?`(?![\\w"\'`])',
];
/** Code in a translation, wherever letters may touch it. */
const looseCode = ['`{1,2}[^`\\n]{1,300}`{1,2}'];
const asciiDocSigns = [
	'\\+{2,3}[^+\\s][^+]{0,300}\\+{2,3}',
	// A single plus is a mark around whole words only: of Ctrl+N it is none.
	'(?<![\\w+])\\+[^+\\s](?:[^+]{0,300}[^+\\s])?\\+(?![\\w+])',
	'(?:link|mailto|xref):[^\\s\\[\\]]{1,500}\\[(?<link>[^\\[\\]]{0,300})\\]',
	'(?:https?|ftp):\\/\\/(?:[^\\s\\[\\]<>]|<[\\w-]{1,60}>){1,500}(?:\\[(?<url>[^\\[\\]]{0,300})\\])?',
	// An address that an attribute holds, or begins with.
	'\\{[\\w-]{1,60}\\}(?:[/#{][^\\s\\[\\]<>]{0,300})?\\[(?<attribute>[^\\[\\]]{0,300})\\]',
	'footnote:[\\w-]{0,60}\\[(?<note>[^\\[\\]]{0,500})\\]',
	'<<[^<>,]{1,200}(?:,(?<cross>[^<>]{1,300}))?>>',
	'\\w{1,20}:[^\\s\\[\\]:]{0,300}\\[[^\\[\\]]{0,300}\\]',
	'\\{[\\w-]{1,60}\\}|\\[\\[[\\w.:-]{1,60}\\]\\]|\\[[.#][\\w.#-]{1,60}\\](?=[*_#])|<\\d{1,3}>',
	'\\*{2}(?<strongs>[^*\\s](?:[^*]{0,300}[^*\\s])?)\\*{2}',
	'(?<![\\w*])\\*(?<strong>[^*\\s](?:[^*]{0,300}[^*\\s])?)\\*(?![\\w*])',
	'__(?<emphases>[^_\\s](?:[^_]{0,300}[^_\\s])?)__',
	'(?<!\\w)_(?<emphasis>[^_\\s](?:[^_]{0,300}[^_\\s])?)_(?!\\w)',
	'(?<![\\w#])#(?<mark>[^#\\s](?:[^#]{0,300}[^#\\s])?)#(?![\\w#])',
];
const joined = (marks: readonly string[]) => new RegExp(marks.join('|'), 'dg');
const curly = ['"`(?<curly>[^`]{1,300})`"', "'`(?<single>[^`]{1,300})`'"];
/** Marks inside of paragraphs, those with a named group around words. */
export const asciiDocMarks = joined([...curly, ...asciiDocCode, ...asciiDocSigns]);
/** The same of documents whose titles are underlined: quotes are emphasis there, and backticks open them. */
export const oldAsciiDocMarks = joined([
	"``(?<double>[^`'\\s](?:[^`]{0,300}?[^`\\s])?)''",
	'`[^`\\s](?:[^`\\n]{0,300}[^`\\s])?`(?![\\w`])',
	"(?<![\\w`])`(?<single>[^`'\\s](?:[^`']{0,300}[^`'\\s])?)'(?!\\w)",
	...looseCode,
	...asciiDocSigns,
	"(?<![\\w;:}'`\\\\])'(?<quoted>[^'\\s](?:[^']{0,300}[^'\\s])?)'(?![\\w'])",
]);
const looseAsciiDocMarks = joined([...curly, ...looseCode, ...asciiDocSigns]);

/** Whether a line of AsciiDoc is a title with a line of signs of its length under it. */
export function isUnderlined(words: string, under: string): boolean {
	if (
		!/^(?!\.|\[.*\]$|[|:]|\/\/|[-*+]+[ \t]).*\p{L}/u.test(words) ||
		!/^([=~^+-])\1+[ \t]*$/.test(under)
	)
		return false;
	return Math.abs([...words].length - under.trimEnd().length) < 2;
}

const word = /[\p{L}\p{N}]/u;

/** Marks of a text that letters touch, which are no marks then: where they begin, and what they are. */
function touched(text: string, marks: RegExp) {
	return [...text.matchAll(marks)].flatMap(({ index, 0: mark }) => {
		if (/^(?:https?|ftp):/.test(mark)) return [];
		const end = index + mark.length;
		const [isBefore, isAfter] = [
			word.test(text.slice(0, index).slice(-1)),
			word.test(text.charAt(end)),
		];
		return isBefore || isAfter ? [{ index, end, mark, isBefore, isAfter }] : [];
	});
}

/** Parts words from the marks they touch in a translation, as languages without blanks have it. */
export type Apart = (text: string) => string;

/** With a blank that is not shown. */
export const rstApart: Apart = (text) =>
	touched(text, rstMarks).reduceRight(
		(whole, { index, end, mark, isBefore, isAfter }) =>
			`${whole.slice(0, index)}${isBefore ? '\\ ' : ''}${mark}${isAfter ? '\\ ' : ''}${whole.slice(end)}`,
		text,
	);

/** With doubled signs, which are marks within words as well. */
export const asciiDocApart: Apart = (text) =>
	touched(text, looseAsciiDocMarks).reduceRight((whole, { index, end, mark }) => {
		if (!/^([*_`#])(?!\1).*(?<!\1)\1$/su.test(mark)) return whole;
		const sign = mark.charAt(0);
		return `${whole.slice(0, index)}${sign}${mark}${sign}${whole.slice(end)}`;
	}, text);

/** A mark of AsciiDoc as it is where no letters touch it. */
export const singleMark = (node: string): string =>
	node.replace(/^([*_`#])\1(.*)\1\1$/su, '$1$2$1');
