/**
 * Character classes of patterns inside JSON strings. A pattern speaks of the string's value, the grammar
 * of its spelling: what JSON must escape (quotes, backslashes, control characters) is taken out of every
 * class, so that whatever is drawn from it can be parsed.
 */

type Range = readonly [from: number, to: number];

/** Code points that never stand unescaped in a JSON string, in order. */
const escaped: readonly Range[] = [
	[0x00, 0x1f],
	[0x22, 0x22],
	[0x5c, 0x5c],
];

/** The class of white space between the parts of a JSON text, which stands outside of strings. */
const betweenParts = ' \\n\\t';

const named: ReadonlyMap<string, number> = new Map(
	Object.entries<number>({
		'0': 0,
		f: 12,
		n: 10,
		r: 13,
		t: 9,
		v: 11,
	}),
);

/** Makes every class of an EBNF line safe inside a JSON string; texts in quotes stay as they are. */
export function jsonSafeClasses(line: string): string {
	return line.replace(/"(?:\\.|[^"\\])*"|\[((?:\\.|[^\]\\])*)\]/g, (found, inside: unknown) =>
		typeof inside === 'string' && inside !== betweenParts ? safeClass(inside) : found,
	);
}

function safeClass(inside: string): string {
	const negated = inside.startsWith('^');
	const ranges = readRanges(negated ? inside.slice(1) : inside);
	if (negated) return `[^${[...ranges, ...escaped].map(writeRange).join('')}]`;
	const kept = ranges.flatMap((range) => without(range, escaped));
	// A class of nothing but such characters can match no spelling at all.
	return kept.length === 0 ? '[^\\0-\\U0010FFFF]' : `[${kept.map(writeRange).join('')}]`;
}

function readRanges(text: string): Range[] {
	const points: number[] = [];
	const ranges: Range[] = [];
	const item =
		/\\u\{([0-9a-fA-F]+)\}|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{1,2})|\\(.)|(.)/gsu;
	let dashAt = -1;
	for (const match of text.matchAll(item)) {
		const hex = match[1] ?? match[2] ?? match[3] ?? match[4];
		if (match[6] === '-' && points.length > 0 && dashAt < 0) {
			dashAt = points.length;
			continue;
		}
		const letter = match[5];
		const point =
			hex !== undefined
				? Number.parseInt(hex, 16)
				: letter !== undefined
					? (named.get(letter) ?? letter.codePointAt(0) ?? 0)
					: (match[6]?.codePointAt(0) ?? 0);
		if (dashAt > 0) {
			ranges.push([points.pop() ?? 0, point]);
			dashAt = -1;
		} else points.push(point);
	}
	if (dashAt > 0) points.push(0x2d);
	return [...points.map((point): Range => [point, point]), ...ranges];
}

function without(range: Range, holes: readonly Range[]): Range[] {
	const kept: Range[] = [];
	let [from] = range;
	for (const [start, end] of holes) {
		if (end < from || start > range[1]) continue;
		if (start > from) kept.push([from, start - 1]);
		from = end + 1;
	}
	if (from <= range[1]) kept.push([from, range[1]]);
	return kept;
}

function writeRange([from, to]: Range): string {
	return from === to ? writePoint(from) : `${writePoint(from)}-${writePoint(to)}`;
}

function writePoint(point: number): string {
	if (point > 0xffff) return `\\U${point.toString(16).padStart(8, '0')}`;
	return /[A-Za-z0-9 ]/.test(String.fromCharCode(point))
		? String.fromCharCode(point)
		: `\\u${point.toString(16).padStart(4, '0')}`;
}
