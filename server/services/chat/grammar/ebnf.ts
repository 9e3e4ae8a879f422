/** What regular expressions and Lark grammars have in common, and how it is written as EBNF of text inside of JSON. */

/** First and last code point of a range. */
export type CharRange = readonly [first: number, last: number];

/** A part of a grammar: what texts it stands for. */
export type GrammarPart =
	| { readonly kind: 'text'; readonly text: string }
	| { readonly kind: 'chars'; readonly ranges: readonly CharRange[] }
	| { readonly kind: 'sequence' | 'choice'; readonly parts: readonly GrammarPart[] }
	| {
			readonly kind: 'repeat';
			readonly part: GrammarPart;
			readonly min: number;
			readonly max: number | undefined;
	  }
	| { readonly kind: 'rule'; readonly name: string };

const lastPoint = 0x10ffff;
/** Halves of pairs are no characters. */
const halves: CharRange = [0xd800, 0xdfff];

/** All characters that are in none of the ranges. */
export function othersThan(ranges: readonly CharRange[]): CharRange[] {
	const taken = [...ranges, halves].sort(([a], [b]) => a - b);
	const out: CharRange[] = [];
	let next = 0;
	for (const [first, last] of taken) {
		if (first > next) out.push([next, first - 1]);
		next = Math.max(next, last + 1);
	}
	if (next <= lastPoint) out.push([next, lastPoint]);
	return out;
}

/** Letters of both cases. */
export function anyCaseOf(text: string): GrammarPart {
	const parts = [...text].map((char): GrammarPart => {
		const both = new Set([char, char.toLowerCase(), char.toUpperCase()]);
		const single = [...both].filter((each) => [...each].length === 1);
		return {
			kind: 'chars',
			ranges: single.map((each) => [each.codePointAt(0) ?? 0, each.codePointAt(0) ?? 0]),
		};
	});
	return { kind: 'sequence', parts };
}

/** Rules that no text can satisfy, because they need themselves. Rules that are not there are taken to end. */
export function endlessRules(rules: ReadonlyMap<string, GrammarPart>): string[] {
	const open = new Set(rules.keys());
	const ends = (part: GrammarPart): boolean => {
		switch (part.kind) {
			case 'rule':
				return !open.has(part.name);
			case 'sequence':
				return part.parts.every(ends);
			case 'choice':
				return part.parts.some(ends);
			case 'repeat':
				return part.min === 0 || ends(part.part);
			default:
				return true;
		}
	};
	for (let before = -1; before !== open.size; ) {
		before = open.size;
		for (const [name, part] of rules) if (open.has(name) && ends(part)) open.delete(name);
	}
	return [...open];
}

/** A quoted text of EBNF. */
const quoted = (text: string): string => JSON.stringify(text);

/** As the characters stand between the quotation marks of JSON. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const point = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

/** Characters that JSON writes in an escape: the controls, the quotation mark and the backslash. */
const escapedRanges: readonly CharRange[] = [
	[0, 0x1f],
	[0x22, 0x22],
	[0x5c, 0x5c],
];

function charsInJson(ranges: readonly CharRange[]): string {
	const plain = othersThan([...othersThan(ranges), ...escapedRanges]);
	const escapes: string[] = [];
	for (const [first, last] of escapedRanges)
		for (let code = first; code <= last; code++)
			if (ranges.some(([from, to]) => code >= from && code <= to))
				escapes.push(quoted(inJson(String.fromCodePoint(code))));
	const ascii = othersThan([...othersThan(plain), beyondAscii]);
	const classes = ascii.map(([first, last]) => byteRange(first, last));
	const others = othersThan([...othersThan(plain), [0, 0x7f]]).flatMap(bytesOf);
	const ways = [...(classes.length === 0 ? [] : [`[${classes.join('')}]`]), ...others, ...escapes];
	return ways.length === 1 ? (ways[0] ?? '""') : `(${ways.join(' | ')})`;
}

const beyondAscii: CharRange = [0x80, lastPoint];

const byteRange = (first: number, last: number): string =>
	first === last ? point(first) : `${point(first)}-${point(last)}`;

/** Where a character gets one byte more in UTF-8. */
const lengthEnds = [0x7f, 0x7ff, 0xffff, lastPoint];

/**
 * Characters beyond ASCII as sequences of their bytes in UTF-8: the grammar library compares a class with one byte,
 * whatever characters it names.
 */
function bytesOf([first, last]: CharRange): string[] {
	const end = lengthEnds.find((each) => first <= each) ?? lastPoint;
	if (last > end) return [...bytesOf([first, end]), ...bytesOf([end + 1, last])];
	// Each byte but the first holds six bits: ranges of whole blocks need no more cases.
	for (let bits = 6; bits <= 18; bits += 6) {
		const mask = 2 ** bits - 1;
		if (Math.floor(first / (mask + 1)) === Math.floor(last / (mask + 1))) continue;
		if ((first & mask) !== 0)
			return [...bytesOf([first, first | mask]), ...bytesOf([(first | mask) + 1, last])];
		if ((last & mask) !== mask)
			return [...bytesOf([first, (last & ~mask) - 1]), ...bytesOf([last & ~mask, last])];
	}
	const from = Buffer.from(String.fromCodePoint(first));
	const to = Buffer.from(String.fromCodePoint(last));
	const bytes = [...from].map((byte, index) => {
		const end = to[index] ?? byte;
		// A class of one would be read as the character of that number.
		return byte === end ? `[${point(byte)}${point(byte)}]` : `[${byteRange(byte, end)}]`;
	});
	return [`(${bytes.join(' ')})`];
}

/** The part as EBNF of its texts inside of JSON. */
export function ebnfOf(part: GrammarPart): string {
	switch (part.kind) {
		case 'text':
			return quoted(inJson(part.text));
		case 'chars':
			return charsInJson(part.ranges);
		case 'rule':
			return part.name;
		case 'sequence':
			return part.parts.length === 0 ? '""' : `(${part.parts.map(ebnfOf).join(' ')})`;
		case 'choice':
			return `(${part.parts.map(ebnfOf).join(' | ')})`;
		case 'repeat': {
			const { min, max } = part;
			const inner = `(${ebnfOf(part.part)})`;
			if (max === undefined && min <= 1) return `${inner}${min === 0 ? '*' : '+'}`;
			if (min === 0 && max === 1) return `${inner}?`;
			return max === undefined ? `${inner}{${min},}` : `${inner}{${min},${max}}`;
		}
	}
}
