/**
 * How good a translation probably is, from what the model itself thinks of it: the mean log-probability of its
 * tokens, the lengths of both texts, and how much of the source there is something for.
 */

/** Letters of a translation for each letter of its source, by target and source language. */
const usualLength: Readonly<Record<string, number>> = {
	'en-de': 1.12,
	'en-es': 1.07,
	'en-fr': 1.13,
	'de-en': 0.92,
	'es-en': 0.95,
	'fr-en': 0.9,
};

/** What the estimate is computed from; the first is always 1. */
export function qualityFeatures(
	source: string,
	target: string,
	meanLogProbability: number,
	languages: { readonly source: string; readonly target: string },
): readonly number[] {
	const usual = usualLength[`${languages.source}-${languages.target}`] ?? 1;
	const ratio = Math.log((target.length + 3) / (source.length * usual + 3));
	const probability = Math.exp(Math.max(-6, meanLogProbability));
	const length = Math.log2(source.length + 1);
	return [
		1,
		probability,
		Math.max(-6, meanLogProbability),
		length,
		Math.max(-2, Math.min(0, ratio)),
		Math.min(2, Math.max(0, ratio)),
		probability * length,
	];
}

/**
 * Fitted to sentence chrF of the built-in model by bench/quality/translationConfidence.ts: 1,200 sentences of
 * Tatoeba and FLORES in six directions, as many others to see how it holds (docs/translation.md has the figures).
 */
const weights = [-0.5104, 1.6209, -0.0713, 0.0762, 0.2099, -0.0441, -0.1355];

/** Below this a translation bears a mark. */
export const doubtfulQuality = 0.3;
/** Below this little of the source is in a translation: documents keep their own words rather than those of the built-in model. */
export const minDocumentQuality = 0.2;

/**
 * The chrF a translation probably has, 0…1. Calibrated for the built-in model; others are more certain of what they
 * write, and better.
 */
export function qualityEstimate(
	source: string,
	target: string,
	meanLogProbability: number,
	languages: { readonly source: string; readonly target: string },
): number {
	if (!Number.isFinite(meanLogProbability)) return 0;
	const features = qualityFeatures(source, target, meanLogProbability, languages);
	const sum = features.reduce((total, value, index) => total + value * (weights[index] ?? 0), 0);
	return Math.min(1, Math.max(0, sum));
}

/** One estimate of several, each weighing as much as its text is long; `undefined` of none. */
export function meanQuality(
	parts: Iterable<{ readonly quality: number; readonly length: number }>,
): number | undefined {
	let [sum, length] = [0, 0];
	for (const part of parts) {
		sum += part.quality * part.length;
		length += part.length;
	}
	return length === 0 ? undefined : sum / length;
}
