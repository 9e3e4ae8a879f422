/** chrF2 of a corpus: F-score (beta 2) of character 1- to 6-grams without spaces. */

import { commonGrams, countGrams } from './corpusBleu.ts';

/**
 * @returns 0..100
 * @see Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation"
 */
export function corpusChrf(hypotheses: readonly string[], references: readonly string[]): number {
	const orders = 6;
	const beta = 2;
	const stats = Array.from({ length: orders }, () => ({ hit: 0, made: 0, wanted: 0 }));
	for (const [index, hypothesis] of hypotheses.entries()) {
		const made = [...hypothesis.replace(/\s+/g, '')];
		const wanted = [...(references[index] ?? '').replace(/\s+/g, '')];
		for (const [at, stat] of stats.entries()) {
			stat.hit += commonGrams(countGrams(made, at + 1), countGrams(wanted, at + 1));
			stat.made += Math.max(0, made.length - at);
			stat.wanted += Math.max(0, wanted.length - at);
		}
	}
	const used = stats.filter(({ made, wanted }) => made > 0 && wanted > 0);
	if (used.length === 0) return 0;
	const precision = used.reduce((sum, { hit, made }) => sum + hit / made, 0) / used.length;
	const recall = used.reduce((sum, { hit, wanted }) => sum + hit / wanted, 0) / used.length;
	if (precision + recall === 0) return 0;
	return (100 * (1 + beta ** 2) * precision * recall) / (beta ** 2 * precision + recall);
}
