/** Java `.properties` files as entries with the offsets of their values. */

/** One entry of a file; offsets in UTF-16 units. */
export interface PropertyEntry {
	readonly key: string;
	readonly value: string;
	readonly start: number;
	readonly valueStart: number;
	readonly end: number;
}

/** Entries in order, keys and values free of escapes. */
export function propertyEntries(text: string): PropertyEntry[] {
	const entry =
		/[ \t\f]*(?![#!\s])((?:\\[\s\S]|[^\\=:\s])+)([ \t\f]*[=:][ \t\f]*|[ \t\f]+|(?=\r?$))((?:\\(?:\r\n|[\s\S])|[^\\\r\n])*)/my;
	const entries: PropertyEntry[] = [];
	for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; ) {
		entry.lastIndex = at;
		const match = entry.exec(text);
		if (!match) {
			at = lineAfter(text, at);
			continue;
		}
		const [all, key = '', , source = ''] = match;
		const end = at + all.length;
		const valueStart = end - source.length;
		entries.push({ key: decode(key), value: decode(source), start: at, valueStart, end });
		at = lineAfter(text, end);
	}
	return entries;
}

const keyStart = /[ \t\f]*[^#!=:\s]/y;

/** Start of the next line; what a backslash joins to a line with a key belongs to it. */
function lineAfter(text: string, from: number): number {
	keyStart.lastIndex = from;
	const joins = keyStart.test(text);
	let at = from;
	for (; at < text.length; at++) {
		const letter = text[at];
		if (letter === '\n' || letter === '\r') return at + 1;
		if (letter === '\\' && joins) at++;
	}
	return at;
}

const escapes: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({ n: '\n', t: '\t', r: '\r', f: '\f' }),
);

function decode(source: string): string {
	return source.replace(
		/\\(?:u([\da-fA-F]{4})|(\r\n|\n|\r)[ \t\f]*|([\s\S]))/g,
		(_, hex?: string, line?: string, letter = '') =>
			hex
				? String.fromCharCode(Number.parseInt(hex, 16))
				: line
					? ''
					: (escapes.get(letter) ?? letter),
	);
}
