/**
 * Names in source code: which case style they are written in, their words, and words as a name of a
 * style. Pure text work; knows no language of people.
 */

/** How the words of a name are joined. */
export type CaseStyle = 'camel' | 'pascal' | 'snake' | 'upper' | 'kebab' | 'train' | 'flat';

export interface IdentifierParts {
	readonly style: CaseStyle;
	readonly words: readonly string[];
	/** What stands before and after the words, such as `_`, `$`, `#` or `@`. */
	readonly before: string;
	readonly after: string;
}

/** A name as programming languages have it; `-` joins words in some. */
const shape = /^([_$#@]*)([\p{L}\p{M}\p{N}]+(?:[_-]+[\p{L}\p{M}\p{N}]+)*)([_$!?]*)$/u;
/** Humps: `HTTPServer2` → `HTTP`, `Server2`; letters without case stay together. */
const hump =
	/\p{Lu}+(?![\p{Ll}\p{M}])[\p{N}]*|\p{Lu}?[\p{Ll}\p{M}]+[\p{N}]*|[\p{Lo}\p{Lm}\p{M}]+[\p{N}]*|\p{Lu}[\p{N}]*|\p{N}+/gu;

/** Style and words of a name; `undefined` when it is none. */
export function splitIdentifier(name: string): IdentifierParts | undefined {
	const match = shape.exec(name);
	if (!match || !/\p{L}/u.test(name)) return undefined;
	const [, before = '', body = '', after = ''] = match;
	const joiner = /[_-]/.exec(body)?.[0];
	const pieces = body.split(/[_-]+/);
	const words = pieces.flatMap((piece) => humps(piece));
	return { style: styleOf(body, joiner, words), words, before, after };
}

/** Splits before a capital that begins a word: `HTTPServer` → `HTTP`, `Server`. */
function humps(piece: string): string[] {
	return piece
		.replace(/(\p{Lu})(\p{Lu}[\p{Ll}\p{M}])/gu, '$1\u0000$2')
		.split('\u0000')
		.flatMap((part) => part.match(hump) ?? [part]);
}

function styleOf(body: string, joiner: string | undefined, words: readonly string[]): CaseStyle {
	const isUpper = !/\p{Ll}/u.test(body) && /\p{Lu}/u.test(body);
	if (joiner === '-')
		return words.every((word) => /^\p{Lu}/u.test(word)) && !isUpper ? 'train' : 'kebab';
	if (joiner === '_') return isUpper ? 'upper' : 'snake';
	if (/^\p{Lu}/u.test(body)) return isUpper && body.length > 1 ? 'upper' : 'pascal';
	return words.length > 1 && /\p{Lu}/u.test(body) ? 'camel' : 'flat';
}

/**
 * Words as a name: letters and digits only, accents folded to plain Latin letters.
 *
 * @returns `undefined` when nothing is left that could be a name.
 */
export function joinIdentifier(
	words: readonly string[],
	{ style, before, after }: Omit<IdentifierParts, 'words'>,
): string | undefined {
	const plain = words
		.flatMap((word) => plainLetters(word).split(/[^\p{L}\p{M}\p{N}]+/u))
		.filter((word) => word !== '')
		.map((word) => word.toLowerCase());
	if (plain.length === 0 || /^\p{N}/u.test(plain[0] ?? '')) return undefined;
	const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
	const body = (() => {
		if (style === 'snake') return plain.join('_');
		if (style === 'upper') return plain.join('_').toUpperCase();
		if (style === 'kebab') return plain.join('-');
		if (style === 'train') return plain.map(capital).join('-');
		if (style === 'pascal') return plain.map(capital).join('');
		return plain.map((word, index) => (index === 0 ? word : capital(word))).join('');
	})();
	return before + body + after;
}

/** Letters that are no accented ones but have a plain spelling. */
const spelled: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		ß: 'ss',
		æ: 'ae',
		Æ: 'Ae',
		œ: 'oe',
		Œ: 'Oe',
		ø: 'o',
		Ø: 'O',
		ł: 'l',
		Ł: 'L',
		đ: 'd',
		ð: 'd',
		þ: 'th',
		ı: 'i',
	}),
);

function plainLetters(text: string): string {
	return text
		.replace(/['’]s\b/g, '')
		.replace(/['’]/g, '')
		.replace(/[ßæÆœŒøØłŁđðþı]/g, (letter) => spelled.get(letter) ?? letter)
		.normalize('NFD')
		.replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
		.normalize('NFC');
}

/**
 * The words of a name as a text to be translated.
 *
 * @param language BCP 47 code of the words, when it is known. German ones get the capitals of nouns.
 */
export function readableName({ words }: IdentifierParts, language = ''): string {
	const isShouted = words.every((word) => word === word.toUpperCase());
	const hasNouns = /^de(?:-|$)/i.test(language);
	return words
		.map((word) => {
			// An abbreviation among ordinary words stays one.
			const isAbbreviation = !isShouted && word.length > 1 && word === word.toUpperCase();
			if (isAbbreviation) return word;
			const small = word.toLowerCase();
			return hasNouns && small.length > 3
				? small.slice(0, 1).toUpperCase() + small.slice(1)
				: small;
		})
		.join(' ');
}

/** Small words a translator adds and names do without. */
const articles: ReadonlyMap<string, readonly string[]> = new Map(
	Object.entries<readonly string[]>({
		en: ['the', 'a', 'an'],
		de: ['der', 'die', 'das', 'den', 'dem', 'ein', 'eine', 'einen'],
		fr: ['le', 'la', 'les', 'un', 'une'],
		es: ['el', 'la', 'los', 'las', 'un', 'una'],
	}),
);

/** A translated text as a name in the style of the one it came from; `undefined` when it makes none. */
export function translatedIdentifier(
	translation: string,
	parts: IdentifierParts,
	to: string,
): string | undefined {
	const base = to.toLowerCase().split('-')[0] ?? '';
	const small = articles.get(base) ?? [];
	const words = translation.trim().split(/\s+/);
	const kept = words.filter((word) => !small.includes(word.toLowerCase()));
	// What was a single word and comes back as several needs a style that can hold them.
	const style = parts.style === 'flat' && kept.length > 1 ? 'camel' : parts.style;
	return joinIdentifier(kept.length > 0 ? kept : words, { ...parts, style });
}
