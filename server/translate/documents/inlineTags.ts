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
	/**
	 * The source code of a translation.
	 *
	 * @param rawOf Source code of a part that is no text, by its number; the part's own when absent.
	 */
	readonly restore: (
		translation: string,
		write: (words: string) => string,
		rawOf?: (part: number) => string,
	) => string;
	/** Whether all tags are there, each pair closed in its order, and words in those pairs that had some. */
	readonly isWhole: (translation: string) => boolean;
}

interface TagPatterns {
	readonly tags: RegExp;
	readonly split: RegExp;
	readonly single: RegExp;
	readonly afterOpen: RegExp;
	readonly beforeClose: RegExp;
}

const patterns = new Map<string, TagPatterns>();

/** What finds tags of a name; a long document has many sentences with them. */
function patternsOf(prefix: string): TagPatterns {
	const known = patterns.get(prefix);
	if (known) return known;
	const tag = `<\\/?${prefix}\\d+\\/?>`;
	const made = {
		tags: new RegExp(tag, 'g'),
		split: new RegExp(`(${tag})`),
		single: new RegExp(`<${prefix}\\d+/>`, 'g'),
		afterOpen: new RegExp(`(<${prefix}\\d+>)(\\s+)`, 'g'),
		beforeClose: new RegExp(`(?<!\\s)(\\s+)(</${prefix}\\d+>)`, 'g'),
	};
	patterns.set(prefix, made);
	return made;
}

/** Words with tags in place of the other parts. */
export function taggedText(
	parts: readonly InlinePart[],
	read: (raw: string) => string,
): TaggedText {
	const words = parts.filter(({ role }) => role === 'text').map(({ raw }) => raw);
	const name = ['t', 'x', 'mark'].find((one) => !words.some((text) => text.includes(`<${one}`)));
	const prefix = name ?? 'inline';
	/** Numbers of the parts that tags stand for. */
	const places = new Map<string, number>();
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
		.map(({ raw, role, pair }, part) => {
			if (role === 'text') return read(raw);
			const number = numberOf(pair);
			const tag =
				role === 'single'
					? `<${prefix}${number}/>`
					: `<${role === 'close' ? '/' : ''}${prefix}${number}>`;
			places.set(tag, part);
			return tag;
		})
		.join('');
	const { tags, split } = patternsOf(prefix);
	const full = fullPairs(text, split);
	const rawAt = (part: number) => parts[part]?.raw ?? '';
	return {
		text,
		...(places.size > 0 ? { tags } : {}),
		restore: (translation, write, rawOf = rawAt) =>
			apart(tidy(translation, prefix), text, prefix)
				.split(split)
				.map((piece, index) => {
					if (index % 2 === 0) return write(piece);
					const part = places.get(piece);
					return part === undefined ? '' : rawOf(part);
				})
				.join(''),
		isWhole: (translation) => {
			const found = translation.match(tags) ?? [];
			if (found.length !== places.size || new Set(found).size !== places.size) return false;
			const open: string[] = [];
			const isNested = found.every((tag) => {
				if (!places.has(tag)) return false;
				if (tag.endsWith('/>')) return true;
				if (tag[1] !== '/') return open.push(tag.slice(1)) > 0;
				return open.pop() === tag.slice(2);
			});
			const made = fullPairs(translation, split);
			return isNested && [...full].every((tag) => made.has(tag));
		},
	};
}

/** Start tags of pairs with a letter, a digit or a single tag inside. */
function fullPairs(text: string, split: RegExp): ReadonlySet<string> {
	const full = new Set<string>();
	const open: string[] = [];
	text.split(split).forEach((piece, index) => {
		const isTag = index % 2 === 1;
		if (isTag && piece.startsWith('</')) open.pop();
		else if (isTag && !piece.endsWith('/>')) open.push(piece);
		// What is full makes all around it full.
		else if (isTag || /[\p{L}\p{N}]/u.test(piece)) {
			for (let at = open.length - 1; at >= 0 && !full.has(open[at] ?? ''); at--)
				full.add(open[at] ?? '');
		}
	});
	return full;
}

const besideWords = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_-]/u;

/** Single tags with a space where their source has one: an address that a word is glued to is another. */
function apart(translation: string, source: string, prefix: string): string {
	const { single } = patternsOf(prefix);
	const places = new Map(Array.from(source.matchAll(single), ({ 0: tag, index }) => [tag, index]));
	return translation.replace(single, (tag, at: number) => {
		const own = places.get(tag);
		if (own === undefined) return tag;
		const needs = (neighbour: string, now: string) =>
			(neighbour === '' || /\s/.test(neighbour)) && besideWords.test(now);
		const before = needs(source.charAt(own - 1), translation.charAt(at - 1)) ? ' ' : '';
		const end = at + tag.length;
		const after = needs(source.charAt(own + tag.length), translation.charAt(end)) ? ' ' : '';
		return before + tag + after;
	});
}

/** White space belongs outside of a pair: `** bold**` is no emphasis. What is in code stays. */
function tidy(translation: string, prefix: string): string {
	const { afterOpen, beforeClose } = patternsOf(prefix);
	return translation
		.replace(afterOpen, '$2$1')
		.replace(beforeClose, '$2$1')
		.replace(/(`+[^`\n]*`+)| {2,}/g, (_, code?: string) => code ?? ' ');
}
