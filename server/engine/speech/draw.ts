/** Choosing a token from logits, with its log-probability. */

/** The likeliest token and its natural-log probability. */
export function likeliest(logits: Float32Array): { readonly id: number; readonly logprob: number } {
	let id = 0;
	for (let i = 1; i < logits.length; i++)
		if ((logits[i] as number) > (logits[id] as number)) id = i;
	return { id, logprob: (logits[id] as number) - logSumExp(logits) };
}

/**
 * A token drawn at a temperature; its log-probability is that without the temperature.
 * @param random uniform in [0, 1)
 */
export function drawn(
	logits: Float32Array,
	temperature: number,
	random: number,
): { readonly id: number; readonly logprob: number } {
	let largest = Number.NEGATIVE_INFINITY;
	for (const value of logits) if (value > largest) largest = value;
	let total = 0;
	for (const value of logits) total += Math.exp((value - largest) / temperature);
	let left = random * total;
	let id = 0;
	for (let i = 0; i < logits.length; i++) {
		const weight = Math.exp(((logits[i] as number) - largest) / temperature);
		if (weight === 0) continue;
		id = i;
		left -= weight;
		if (left < 0) break;
	}
	return { id, logprob: (logits[id] as number) - logSumExp(logits) };
}

/** ln Σ exp. */
export function logSumExp(values: Float32Array): number {
	let largest = Number.NEGATIVE_INFINITY;
	for (const value of values) if (value > largest) largest = value;
	if (largest === Number.NEGATIVE_INFINITY) return largest;
	let sum = 0;
	for (const value of values) sum += Math.exp(value - largest);
	return largest + Math.log(sum);
}
