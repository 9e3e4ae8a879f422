/** Logits processors, applied in place before a token is sampled: biases, penalties, suppression, grammar masks. */

import type { SamplingOptions } from '../api.ts';

const suppressed = Number.NEGATIVE_INFINITY;

/**
 * Repetition penalty over prompt and answer (as the reference library), presence and frequency
 * penalties over the answer (as the hosted service), then the caller's biases.
 * `counts`: answer token → how often; `prompt`: the prompt's distinct tokens. The ids that were
 * changed are added to `changed`.
 */
export function applyPenalties(
	logits: Float32Array,
	options: SamplingOptions,
	counts: ReadonlyMap<number, number>,
	prompt: ReadonlySet<number>,
	changed?: number[],
): void {
	const { repetitionPenalty, presencePenalty, frequencyPenalty, logitBias } = options;
	if (repetitionPenalty !== 1) {
		const penalise = (token: number): void => {
			const value = logits[token];
			if (value === undefined) return;
			logits[token] = value > 0 ? value / repetitionPenalty : value * repetitionPenalty;
			changed?.push(token);
		};
		for (const token of prompt) penalise(token);
		for (const token of counts.keys()) if (!prompt.has(token)) penalise(token);
	}
	if (presencePenalty !== 0 || frequencyPenalty !== 0) {
		for (const [token, count] of counts) {
			if (token >= logits.length) continue;
			logits[token] = (logits[token] as number) - presencePenalty - frequencyPenalty * count;
			changed?.push(token);
		}
	}
	for (const key in logitBias) {
		const token = Number(key);
		const bias = logitBias[token] ?? 0;
		if (token >= logits.length) continue;
		// ±100 are documented to ban and to force, whatever the logits' scale.
		if (bias <= -100) logits[token] = suppressed;
		else logits[token] = (logits[token] as number) + (bias >= 100 ? 1e6 : bias);
		changed?.push(token);
	}
}

/** Bans listed ids; the ids that were banned are added to `changed`. */
export function suppressTokens(
	logits: Float32Array,
	ids: Iterable<number>,
	changed?: number[],
): void {
	for (const id of ids) {
		if (id >= logits.length) continue;
		logits[id] = suppressed;
		changed?.push(id);
	}
}

/**
 * Bans every token whose bit is 0. Entries beyond the mask are banned too.
 * @param mask bit `id & 31` of word `id >> 5`
 */
export function applyMask(logits: Float32Array, mask: Int32Array): void {
	const words = Math.min(mask.length, Math.ceil(logits.length / 32));
	let from = 0;
	for (let word = 0; word < words; word++) {
		const bits = mask[word] as number;
		if (bits === 0) continue;
		// Whole words without a token are filled together.
		if (from < word) logits.fill(suppressed, from * 32, word * 32);
		from = word + 1;
		for (let zeros = ~bits; zeros !== 0; zeros &= zeros - 1) {
			logits[word * 32 + 31 - Math.clz32(zeros & -zeros)] = suppressed;
		}
	}
	logits.fill(suppressed, from * 32);
}

/** Bans the last token of each listed sequence whose beginning the text ends with. */
export function suppressSequences(
	logits: Float32Array,
	tokens: readonly number[],
	sequences: readonly (readonly number[])[],
	changed?: number[],
): void {
	for (const sequence of sequences) {
		const head = sequence.length - 1;
		const last = sequence[head];
		if (last === undefined || head > tokens.length || last >= logits.length) continue;
		const offset = tokens.length - head;
		let matches = true;
		for (let k = 0; k < head && matches; k++) matches = tokens[offset + k] === sequence[k];
		if (matches) suppressTokens(logits, [last], changed);
	}
}

/** Bans every token that would repeat an n-gram already in `tokens`. */
export function suppressRepeatedNgrams(
	logits: Float32Array,
	tokens: readonly number[],
	size: number,
	changed?: number[],
): void {
	if (size <= 0 || tokens.length < size) return;
	const head = size - 1;
	const offset = tokens.length - head;
	for (let start = 0; start + head < tokens.length; start++) {
		let matches = true;
		for (let k = 0; k < head && matches; k++) matches = tokens[start + k] === tokens[offset + k];
		const next = tokens[start + head] as number;
		if (matches) suppressTokens(logits, [next], changed);
	}
}
