/** The source languages of a request that names none. */

import type { DetectedLanguage, LanguageDetector } from '../../translate/detectedLanguage.ts';
import { minDetectionScore } from '../../translate/languageCodes.ts';

/** Letters from which on a text is taken at its word: shorter ones are names and labels. */
const longText = 40;

/** The language a text is translated from. */
export interface SourceLanguage extends DetectedLanguage {
	/** It stays as it is: it is long, certainly in this language, and only others of its request can be translated. */
	readonly isLeft?: boolean;
}

/**
 * Languages of texts, in their order. A text that is doubtful or short and cannot be translated gives way to
 * the suggested language, to another guess, or to what the other texts of the request are in. None makes others fail.
 *
 * @param suggested Assumed when detection fails.
 * @param supported Languages that models here read.
 * @param canTranslate Whether some installed model translates a language into all targets.
 */
export async function detectSources(
	texts: readonly string[],
	suggested: string | undefined,
	detect: LanguageDetector,
	supported: readonly string[],
	canTranslate: (language: string) => Promise<boolean>,
): Promise<readonly SourceLanguage[]> {
	const first = await Promise.all(texts.map((text) => detect(text)));
	const likely = likelyLanguages(texts, first, suggested) ?? supported;
	// A few letters are in the language of what stands beside them, or in one that models here read.
	const found = await Promise.all(
		first.map((own, index) =>
			own.score < 1 && likely.length > 0 ? detect(texts[index] ?? '', likely) : own,
		),
	);
	const lengths = new Map<string, number>();
	found.forEach(({ language, score }, index) => {
		if (score < 1) return;
		lengths.set(language, (lengths.get(language) ?? 0) + (texts[index]?.length ?? 0));
	});
	const neighbours = [...lengths].sort(([, a], [, b]) => b - a).map(([language]) => language);
	const chosen = await Promise.all(
		found.map(async (own, index): Promise<SourceLanguage & { readonly isKnown: boolean }> => {
			if (own.score < minDetectionScore && suggested !== undefined) {
				const isKnown = await canTranslate(suggested);
				return { language: suggested, score: own.score, alternatives: [], isKnown };
			}
			if (await canTranslate(own.language)) return { ...own, isKnown: true };
			const isCertain = own.score >= 1 && (texts[index]?.length ?? 0) >= longText;
			// A text alone that is certain has nothing to be doubted by.
			if (isCertain || (own.score >= 1 && texts.length === 1 && suggested === undefined))
				return { ...own, isKnown: false };
			const others = own.alternatives.map(({ language }) => language);
			const guesses = [...(suggested === undefined ? [] : [suggested]), ...others, ...neighbours];
			for (const language of guesses) {
				if (!(await canTranslate(language))) continue;
				const score = own.alternatives.find((other) => other.language === language)?.score ?? 0;
				return { language, score, alternatives: [], isKnown: true };
			}
			return { ...own, isKnown: false };
		}),
	);
	// Where nothing can be translated, the answer says why.
	const isAny = chosen.some(({ isKnown }) => isKnown);
	return chosen.map(({ isKnown, ...own }) => (isAny && !isKnown ? { ...own, isLeft: true } : own));
}

/** Languages most of the texts seem to be in, and the suggested one; `undefined` for one text alone. */
function likelyLanguages(
	texts: readonly string[],
	found: readonly DetectedLanguage[],
	suggested: string | undefined,
): readonly string[] | undefined {
	const weights = new Map<string, number>();
	let total = 0;
	for (const [index, { language, score, alternatives }] of found.entries()) {
		const length = texts[index]?.length ?? 0;
		total += length;
		for (const each of [{ language, score }, ...alternatives])
			weights.set(each.language, (weights.get(each.language) ?? 0) + each.score * length);
	}
	const most = [...weights].sort(([, a], [, b]) => b - a).slice(0, 2);
	const near = texts.length < 2 ? [] : most.filter(([, weight]) => weight >= 0.25 * total);
	const likely = new Set(near.map(([language]) => language));
	if (suggested !== undefined) likely.add(suggested);
	return likely.size > 0 ? [...likely] : undefined;
}
