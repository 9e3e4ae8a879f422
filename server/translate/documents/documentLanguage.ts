/**
 * The language of a document, decided once from all its words: a heading, a name or a badge alone
 * looks like any language. Every door to documents translates through here.
 */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/errors.ts';
import { cutText } from '../cutText.ts';
import type { DetectedText } from '../detectedText.ts';
import { languageName, primaryLanguage, sameLanguage, scriptOf } from '../languageCodes.ts';
import { readableWords } from '../readableWords.ts';
import { hasSeveralWords, keptSentences } from './keptSentences.ts';
import { padded } from './piece.ts';

/** What a document says of each of its texts; absent where it says nothing of any. */
export type TextComments = readonly (string | undefined)[];

/** What a door to documents has to offer; texts keep their order and number. */
export interface TextTranslator {
	detect(texts: readonly string[]): Promise<readonly DetectedText[]>;
	/**
	 * @throws AppError `model_not_found` or `model_loading` when no model here translates from that
	 *   language, `invalid_request` when a remote translator does not know it.
	 */
	translate(
		texts: readonly string[],
		from: string,
		comments?: TextComments,
	): Promise<readonly string[]>;
}

export interface DocumentLanguages {
	/** Target language (BCP 47). */
	readonly to: string;
	/** Language of the document (BCP 47); detected when absent. */
	readonly from?: string;
}

/** A text that is in the translation as it was in the source, in whole or in part. */
export interface LeftText {
	readonly text: string;
	/** The sentences of it that are as they were; absent when all of it is. */
	readonly sentences?: readonly string[];
	/** Its language, when that is why: no model here reads it. Otherwise the model made nothing of it. */
	readonly language?: string;
}

/** Translates texts, keeping their order and number. */
export type TranslateTexts = (
	texts: readonly string[],
	comments?: TextComments,
) => Promise<readonly string[]>;

/** The texts of one document on their way. */
export interface DocumentTexts {
	readonly translate: TranslateTexts;
	/** The document's language; `en` where nothing can be told. */
	readonly language: string;
	/** 0…1: how certain that is; absent when the caller named it. */
	readonly score?: number;
	/** Grows while texts are translated. */
	readonly left: readonly LeftText[];
}

/** Sentences of a document that are looked at. */
const maxSamples = 60;
/** Below these a document's language is a guess, and a language that can be translated a better one. */
const sureScore = 0.7;
const sureLetters = 24;
/** Letters a text must have to be of another language than its document, or of the target's. */
const foreignLetters = 40;
const targetLetters = 24;
/** Characters of one text handed to a translator; what is longer goes in parts. */
const maxCharacters = 10_000;

/**
 * Decides the language of a document.
 *
 * @param prose All its words, piece by piece.
 */
export async function inItsLanguage(
	prose: readonly string[],
	translator: TextTranslator,
	{ to, from }: DocumentLanguages,
): Promise<DocumentTexts> {
	const main = from === undefined ? await languageOf(prose, translator, to) : { language: from };
	const left: LeftText[] = [];
	const seen = new Set<string>();
	const leave = (text: string, why: Omit<LeftText, 'text'> = {}) => {
		if (!seen.has(text)) left.push({ text, ...why });
		seen.add(text);
	};
	const translateFrom = async (
		texts: readonly string[],
		language: string,
		comments: TextComments | undefined,
	) => {
		const parts = texts.map((text) => cutText(text, maxCharacters, language));
		const ofParts = comments && parts.flatMap((own, index) => own.map(() => comments[index]));
		const answers = await translator.translate(parts.flat(), language, ofParts);
		let next = 0;
		return parts.map((own) => {
			const made = own.map(() => answers[next++]);
			const sentences = own.flatMap((part, index) =>
				keptSentences(part, made[index] ?? '', language),
			);
			const [only = ''] = made;
			const text =
				own.length === 1
					? only
					: own.map((part, index) => padded(made[index] ?? part, part)).join('');
			return { text, sentences };
		});
	};
	const translate: TranslateTexts = async (texts, comments) => {
		const sources =
			from === undefined
				? await sourcesOf(texts, main.language, to, translator)
				: texts.map(() => from);
		const answers = [...texts];
		const languages = [...new Set(sources)].sort(
			(a, b) => Number(b === main.language) - Number(a === main.language),
		);
		for (const language of languages) {
			if (sameLanguage(language, to)) continue;
			const places = [...texts.keys()].filter((place) => sources[place] === language);
			const own = places.map((place) => texts[place] ?? '');
			let made: Awaited<ReturnType<typeof translateFrom>>;
			try {
				const ofOwn = comments && places.map((place) => comments[place]);
				made = await translateFrom(own, language, ofOwn);
			} catch (error) {
				if (!(error instanceof AppError) || !aboutLanguage.has(error.code)) throw error;
				if (from !== undefined) throw error;
				if (language === main.language) throw unreadable(main, error);
				for (const text of own) leave(text, { language });
				continue;
			}
			places.forEach((place, index) => {
				const text = own[index] ?? '';
				const { text: answer, sentences } = made[index] ?? { text: '', sentences: [] };
				answers[place] = answer;
				const isSame = text.trim() === answer.trim();
				if (isSame && hasSeveralWords(readableWords(text))) leave(text);
				else if (sentences.length > 0) leave(text, { sentences });
			});
		}
		return answers;
	};
	return { ...main, translate, left };
}

/** Errors of a translator that does not read a language. */
const aboutLanguage: ReadonlySet<string> = new Set([
	'model_not_found',
	'model_loading',
	'not_supported',
	'invalid_request',
]);

function unreadable({ language, score = 0 }: { language: string; score?: number }, why: AppError) {
	if (why.code !== 'model_not_found' && why.code !== 'model_loading') return why;
	return new AppError(
		why.code,
		`The document seems to be in ${languageName(language, 'en')} (${language}, ${Math.round(score * 100)} % certain). ${why.message} If it is in another language, name that: --from on the command line, "from" in a request.`,
		{
			cause: why,
			...(why.data ? { data: why.data } : {}),
			...defined({ retryAfterS: why.retryAfterS }),
		},
	);
}

/**
 * The language most of the words are in, long texts counting more than short ones. A doubtful one
 * gives way to one that a model here knows; the target's, which leaves nothing to do, is asked for twice.
 */
async function languageOf(
	prose: readonly string[],
	{ detect }: TextTranslator,
	to: string,
): Promise<MainLanguage> {
	const words = prose.map(readableWords).filter((text) => text !== '');
	const { letters, ranked } = await weigh(samples(words), detect);
	if (letters === 0) return { language: 'en', score: 0 };
	const [first] = ranked;
	const isSure = letters >= sureLetters && (first?.weight ?? 0) >= sureScore * letters;
	const known = isSure ? undefined : ranked.find(({ isSupported }) => isSupported);
	// A word or two that nobody can place is no reason to refuse a document.
	const isAnything = !isSure && letters < sureLetters && (first?.weight ?? 0) < letters / 2;
	const guessed = isAnything ? undefined : first;
	const { language, weight } = known ?? guessed ?? { language: 'en', weight: 0 };
	const main = { language, score: Math.min(1, weight / letters) };
	return sameLanguage(language, to) ? ((await otherThan(to, words, detect)) ?? main) : main;
}

interface MainLanguage {
	readonly language: string;
	readonly score: number;
}

/** Another language than the target's that most of all words are in, those of short texts included. */
async function otherThan(
	to: string,
	words: readonly string[],
	detect: TextTranslator['detect'],
): Promise<MainLanguage | undefined> {
	const { letters, ranked } = await weigh(spread(words), detect);
	const most = ranked.find(({ isSupported }) => isSupported);
	if (most === undefined || sameLanguage(most.language, to)) return undefined;
	return { language: most.language, score: Math.min(1, most.weight / letters) };
}

interface WeighedLanguage {
	readonly language: string;
	readonly weight: number;
	readonly isSupported: boolean;
}

/** Languages of texts by the letters that are in them, most first. */
async function weigh(
	texts: readonly string[],
	detect: TextTranslator['detect'],
): Promise<{ letters: number; ranked: WeighedLanguage[] }> {
	const letters = texts.reduce((sum, text) => sum + lettersIn(text), 0);
	if (letters === 0) return { letters, ranked: [] };
	const found = await detect(texts);
	const weights = new Map<string, WeighedLanguage>();
	texts.forEach((text, index) => {
		const best = found[index];
		for (const { language, score, isSupported } of best ? [best, ...best.alternatives] : []) {
			const weight = (weights.get(language)?.weight ?? 0) + score * lettersIn(text);
			weights.set(language, { language, weight, isSupported });
		}
	});
	return { letters, ranked: [...weights.values()].sort((a, b) => b.weight - a.weight) };
}

/** Sentences from all over a document; where there are none, all its words together. */
function samples(words: readonly string[]): string[] {
	// Headings and labels have no say in what sentences tell.
	const sentences = words.filter((text) => lettersIn(text) >= foreignLetters);
	if (sentences.length > 0) return spread(sentences);
	return words.length === 0 ? [] : [words.join('\n').slice(0, 2000)];
}

/** At most {@link maxSamples} of the texts, from all over. */
function spread(texts: readonly string[]): string[] {
	const count = Math.min(maxSamples, texts.length);
	const step = texts.length / count;
	return Array.from({ length: count }, (_, index) => texts[Math.floor(index * step)] ?? '');
}

/**
 * Language of each text: the document's, unless a text is long and certainly of another one, in
 * another script, or in the target's already.
 */
async function sourcesOf(
	texts: readonly string[],
	main: string,
	to: string,
	{ detect }: TextTranslator,
): Promise<string[]> {
	const sources = texts.map(() => main);
	const words = texts.map(withoutNames);
	const places = [...texts.keys()].filter(
		(place) =>
			isOtherScript(words[place] ?? '', main) || lettersIn(words[place] ?? '') >= targetLetters,
	);
	const found = places.length === 0 ? [] : await detect(places.map((place) => words[place] ?? ''));
	places.forEach((place, index) => {
		const { language, score } = found[index] ?? { language: main, score: 0 };
		if (score < 1 || sameLanguage(language, main)) return;
		const letters = lettersIn(words[place] ?? '');
		const isOther =
			letters >= foreignLetters ||
			(letters >= targetLetters && sameLanguage(language, to)) ||
			family(language) !== family(main);
		if (isOther) sources[place] = language;
	});
	return sources;
}

/** Words of a text without those that may be names: capitalised inside a sentence. */
function withoutNames(text: string): string {
	const words = readableWords(text);
	const rest = words.replace(/(?<=\p{L}[\p{L}\p{M}'’-]{0,100} )\p{Lu}[\p{L}\p{M}'’-]*/gu, '');
	return rest.replace(/\s+/g, ' ').trim();
}

/** Length of words; a character of a script without spaces says as much as several letters. */
function lettersIn(words: string): number {
	const dense = words.match(
		/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu,
	);
	return words.length + 2 * (dense?.length ?? 0);
}

/** Chinese and Japanese share characters. */
function family(language: string): string {
	const script = scriptOf(language);
	return ['Hans', 'Hant', 'Jpan'].includes(script) ? 'Hani' : script;
}

function isOtherScript(words: string, main: string): boolean {
	const isLatin = /\p{Script=Latin}/u.test(words);
	return words !== '' && isLatin !== (family(main) === 'Latn' || primaryLanguage(main) === 'sr');
}
