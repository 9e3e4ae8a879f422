/** Apple `.strings` files as entries with the offsets of their values. */

const entryAt = /(?:"((?:[^"\\]|\\[\s\S])*)"|([\w.-]+))\s*=\s*"((?:[^"\\]|\\[\s\S])*)"\s*;/y;
const blanks = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*)*/y;

/** An entry of a file. */
export interface AppleEntry {
	readonly remark: string;
	/** Where it begins, in front of the key. */
	readonly at: number;
	/** Of its value. */
	readonly start: number;
	readonly end: number;
	readonly raw: string;
	/** Its key as it stands there. */
	readonly key: string;
}

/** Entries, and where the first thing is that is none. */
export function appleEntries(text: string): { entries: AppleEntry[]; fault?: number } {
	const entries: AppleEntry[] = [];
	let at = text.startsWith('\ufeff') ? 1 : 0;
	for (;;) {
		blanks.lastIndex = at;
		blanks.test(text);
		const begin = blanks.lastIndex;
		if (begin >= text.length) return { entries };
		entryAt.lastIndex = begin;
		const match = entryAt.exec(text);
		if (!match) return { entries, fault: begin };
		const raw = match[3] ?? '';
		const key = match[1] ?? match[2] ?? '';
		const end = text.lastIndexOf('"', entryAt.lastIndex);
		const remark = text.slice(at, begin);
		entries.push({ remark, at: begin, start: end - raw.length, end, raw, key });
		at = entryAt.lastIndex;
	}
}
