/**
 * Marks inside a sentence (tags, emphasis, links) as short tags that translators move with their words,
 * and back. Every mark comes out once and pairs stay pairs, or the translation is refused.
 */

/** A stretch of a sentence. */
export interface InlinePart {
	/** As it stands in the source. */
	readonly raw: string;
	readonly role: 'text' | 'open' | 'close' | 'single';
	/** Same number for the two marks of a pair. */
	readonly pair?: number;
}

export interface TaggedText {
	readonly text: string;
	/** Matches the tags in a translation; `undefined` when there are none. */
	readonly tags?: RegExp;
	/** The source code of a translation. */
	readonly restore: (translation: string, write: (words: string) => string) => string;
	/** Whether all tags are there, each pair closed in its order. */
	readonly isWhole: (translation: string) => boolean;
}

/** Words with tags in place of the other parts. */
export function taggedText(
	parts: readonly InlinePart[],
	read: (raw: string) => string,
): TaggedText {
	const words = parts.filter(({ role }) => role === 'text').map(({ raw }) => raw);
	const name = ['t', 'x', 'mark'].find((one) => !words.some((text) => text.includes(`<${one}`)));
	const prefix = name ?? 'inline';
	const raws = new Map<string, string>();
	const numbers = new Map<number, number>();
	let last = 0;
	const numberOf = (pair: number | undefined) => {
		const known = pair === undefined ? undefined : numbers.get(pair);
		if (known !== undefined) return known;
		last++;
		if (pair !== undefined) numbers.set(pair, last);
		return last;
	};
	const text = parts
		.map(({ raw, role, pair }) => {
			if (role === 'text') return read(raw);
			const number = numberOf(pair);
			const tag =
				role === 'single'
					? `<${prefix}${number}/>`
					: `<${role === 'close' ? '/' : ''}${prefix}${number}>`;
			raws.set(tag, raw);
			return tag;
		})
		.join('');
	const pattern = `<\\/?${prefix}\\d+\\/?>`;
	const split = new RegExp(`(${pattern})`);
	return {
		text,
		...(raws.size > 0 ? { tags: new RegExp(pattern, 'g') } : {}),
		restore: (translation, write) =>
			tidy(translation, prefix)
				.split(split)
				.map((piece, index) => (index % 2 === 1 ? (raws.get(piece) ?? '') : write(piece)))
				.join(''),
		isWhole: (translation) => {
			const found = translation.match(new RegExp(pattern, 'g')) ?? [];
			if (found.length !== raws.size || new Set(found).size !== raws.size) return false;
			const open: string[] = [];
			return found.every((tag) => {
				if (!raws.has(tag)) return false;
				if (tag.endsWith('/>')) return true;
				if (tag[1] !== '/') return open.push(tag.slice(1)) > 0;
				return open.pop() === tag.slice(2);
			});
		},
	};
}

/** White space belongs outside of a pair: `** bold**` is no emphasis. */
function tidy(translation: string, prefix: string): string {
	return translation
		.replace(new RegExp(`(<${prefix}\\d+>)(\\s+)`, 'g'), '$2$1')
		.replace(new RegExp(`(?<!\\s)(\\s+)(</${prefix}\\d+>)`, 'g'), '$2$1')
		.replace(/ {2,}/g, ' ');
}
