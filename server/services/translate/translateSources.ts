/** The source languages of a request that names none. */

import type { DetectedLanguage, LanguageDetector } from '../../translate/detect.ts';
import { minDetectionScore } from '../../translate/languageCodes.ts';

/**
 * Languages of texts, in their order. One that is doubtful and cannot be translated gives way to the
 * suggested one, to another guess, or to what the other texts of the request are in.
 *
 * @param suggested Assumed when detection fails.
 * @param canTranslate Whether some installed model translates a language into all targets.
 */
export async function detectSources(
	texts: readonly string[],
	suggested: string | undefined,
	detect: LanguageDetector,
	canTranslate: (language: string) => Promise<boolean>,
): Promise<readonly DetectedLanguage[]> {
	const found = await Promise.all(texts.map((text) => detect(text)));
	const lengths = new Map<string, number>();
	found.forEach(({ language, score }, index) => {
		if (score < 1) return;
		lengths.set(language, (lengths.get(language) ?? 0) + (texts[index]?.length ?? 0));
	});
	const neighbours = [...lengths].sort(([, a], [, b]) => b - a).map(([language]) => language);
	return Promise.all(
		found.map(async (own) => {
			if (own.score < minDetectionScore && suggested !== undefined)
				return { language: suggested, score: own.score, alternatives: [] };
			if (own.score >= 1 || (await canTranslate(own.language))) return own;
			const others = own.alternatives.map(({ language }) => language);
			const guesses = [...(suggested === undefined ? [] : [suggested]), ...others, ...neighbours];
			for (const language of guesses) {
				if (!(await canTranslate(language))) continue;
				const score = own.alternatives.find((other) => other.language === language)?.score ?? 0;
				return { language, score, alternatives: [] };
			}
			return own;
		}),
	);
}
