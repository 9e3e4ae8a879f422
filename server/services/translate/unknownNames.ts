/**
 * Names that a small vocabulary has no piece for, such as those of products: a small model writes other words in
 * their place, so they are kept as they are.
 */

import { readModelJson } from '../../hub/modelData/readModelFile.ts';
import type { Fixed } from '../../translate/mask.ts';

/** A word that may be a name, with what a sentence may begin with before it. */
const nameLike = /(?<![\p{L}\p{N}_'’.-])\p{Lu}[\p{L}\p{N}]{3,39}(?![\p{L}\p{N}_])/gu;
/** What a sentence goes on behind. */
const goesOn = /[\p{Ll}\p{N},;)"”]['"”)]?[ ]$/u;
/** Pieces of a word that is not in a vocabulary: with signs of code in it, amid a sentence, and anywhere. */
const minPieces = { code: 3, amid: 4, anywhere: 5 };
/** What words of the language end in that may begin a title, and adjectives of places. */
const ordinary =
	/(?:tion|sion|ment|ness|ity|ing|ed|e[rs]|or|ian|an|ish|ese|ic|al|ly|ive|ism|ist|ful|less|able|ible|ance|ence|ship|hood|ogy|phy|th|day|[bcdlrst]y)s?$/;

const longestPiece = 16;

/** How many pieces of a vocabulary a word is at least, by the longest ones from its beginning. */
export function minPiecesOf(word: string, vocabulary: ReadonlySet<string>): number {
	let count = 0;
	for (let at = 0; at < word.length; count++) {
		let length = Math.min(longestPiece, word.length - at);
		const lead = at === 0 ? '▁' : '';
		while (length > 1 && !vocabulary.has(lead + word.slice(at, at + length))) length--;
		at += length;
	}
	return count;
}

const places = new Map<string, ReadonlySet<string>>();

/** Words of countries, languages and months, which have names of their own in other languages. */
function placeNames(language: string): ReadonlySet<string> {
	const known = places.get(language);
	if (known) return known;
	const words = new Set<string>();
	const add = (name: string | undefined) => {
		for (const word of name?.match(/\p{L}+/gu) ?? []) words.add(word);
	};
	const regions = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
	const languages = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' });
	for (const one of letters)
		for (const two of letters) {
			add(regions.of(one + two));
			add(languages.of((one + two).toLowerCase()));
		}
	const months = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' });
	for (let month = 0; month < 12; month++) add(months.format(Date.UTC(2023, month, 15)));
	places.set(language, words);
	return words;
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Finds the names in a text of a language that writes no other nouns in capitals. */
export function unknownNames(
	text: string,
	language: string,
	vocabulary: ReadonlySet<string>,
): Fixed[] {
	const found: Fixed[] = [];
	for (const { 0: word, index } of text.matchAll(nameLike)) {
		if (word === word.toUpperCase()) continue;
		const isAmid = goesOn.test(text.slice(Math.max(0, index - 3), index));
		const isCode = /\p{Ll}\p{Lu}|\d/u.test(word);
		const limit = isCode ? minPieces.code : isAmid ? minPieces.amid : minPieces.anywhere;
		const pieces = Math.min(
			minPiecesOf(word, vocabulary),
			minPiecesOf(word.toLowerCase(), vocabulary),
		);
		if (pieces < limit || (!isCode && (ordinary.test(word) || placeNames(language).has(word))))
			continue;
		found.push({ start: index, end: index + word.length, target: word });
	}
	return found;
}

const vocabularies = new Map<string, Promise<ReadonlySet<string>>>();

/** The pieces of a model's vocabulary; none when its folder does not list them. */
export function modelVocabulary(folder: string): Promise<ReadonlySet<string>> {
	const known = vocabularies.get(folder) ?? readVocabulary(folder);
	vocabularies.set(folder, known);
	return known;
}

async function readVocabulary(folder: string): Promise<ReadonlySet<string>> {
	const pieces = await readModelJson(folder, 'vocab.json').catch(() => undefined);
	return new Set(Object.keys(pieces ?? {}));
}
