/** BLEU of a corpus as sacreBLEU computes it by default: 13a tokens, 4-grams, exponential smoothing. */

/** How often each n-gram occurs; keys are joined by a character that no text has. */
export function countGrams(items: readonly string[], order: number): Map<string, number> {
	const counts = new Map<string, number>();
	for (let start = 0; start + order <= items.length; start++) {
		const gram = items.slice(start, start + order).join('\u0000');
		counts.set(gram, (counts.get(gram) ?? 0) + 1);
	}
	return counts;
}

/** Sum of the smaller counts. */
export function commonGrams(
	a: ReadonlyMap<string, number>,
	b: ReadonlyMap<string, number>,
): number {
	let sum = 0;
	for (const [gram, count] of a) sum += Math.min(count, b.get(gram) ?? 0);
	return sum;
}

/** The tokenization "13a" of the WMT evaluations. */
export function tokens13a(text: string): string[] {
	return ` ${text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>')} `
		.replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
		.replace(/([^0-9])([.,])/g, '$1 $2 ')
		.replace(/([.,])([^0-9])/g, ' $1 $2')
		.replace(/([0-9])(-)/g, '$1 $2 ')
		.split(/\s+/)
		.filter((token) => token !== '');
}

/**
 * @returns 0..100
 * @see Post (2018), "A Call for Clarity in Reporting BLEU Scores"
 */
export function corpusBleu(hypotheses: readonly string[], references: readonly string[]): number {
	const hits = [0, 0, 0, 0];
	const totals = [0, 0, 0, 0];
	let hypothesisLength = 0;
	let referenceLength = 0;
	for (const [index, hypothesis] of hypotheses.entries()) {
		const made = tokens13a(hypothesis);
		const wanted = tokens13a(references[index] ?? '');
		hypothesisLength += made.length;
		referenceLength += wanted.length;
		for (let order = 1; order <= 4; order++) {
			hits[order - 1]! += commonGrams(countGrams(made, order), countGrams(wanted, order));
			totals[order - 1]! += Math.max(0, made.length - order + 1);
		}
	}
	if (hits.every((hit) => hit === 0) || totals.some((total) => total === 0)) return 0;
	let smoothing = 1;
	let logarithm = 0;
	for (const [index, hit] of hits.entries()) {
		const total = totals[index] ?? 0;
		if (hit === 0) smoothing *= 2;
		logarithm += Math.log(hit === 0 ? 1 / (smoothing * total) : hit / total) / 4;
	}
	const brevity =
		hypothesisLength >= referenceLength ? 1 : Math.exp(1 - referenceLength / hypothesisLength);
	return 100 * brevity * Math.exp(logarithm);
}
