/**
 * Milliseconds per token of choosing a token among 151,936, for every option, on rows as flat as
 * random ones and on rows with a few likely entries as trained models give them.
 */

import type { SamplingOptions } from '../server/engine/api.ts';
import { Sampler } from '../server/engine/sample/sampler.ts';
import { greedy } from '../test/fixtures/greedy.ts';

const vocabulary = 151_936;

const warm = { ...greedy, temperature: 1 };

interface Variant {
	readonly name: string;
	readonly sampling: SamplingOptions;
	readonly logprobs?: number;
	/** Share of the vocabulary a grammar allows. */
	readonly allowed?: number;
}

const variants: readonly Variant[] = [
	{ name: 'greedy', sampling: greedy },
	{ name: 'temperature', sampling: warm },
	{ name: 'top-k 40', sampling: { ...warm, topK: 40 } },
	{ name: 'top-p 0.95', sampling: { ...warm, topP: 0.95 } },
	{ name: 'top-p 0.5', sampling: { ...warm, topP: 0.5 } },
	{ name: 'min-p 0.05', sampling: { ...warm, minP: 0.05 } },
	{ name: 'top-k, top-p, min-p', sampling: { ...warm, topK: 40, topP: 0.9, minP: 0.02 } },
	{
		name: 'penalties, top-p 0.95',
		sampling: { ...warm, topP: 0.95, repetitionPenalty: 1.1, presencePenalty: 0.5 },
	},
	{ name: 'grammar (1 % allowed)', sampling: warm, allowed: 0.01 },
	{ name: 'grammar (99 % allowed)', sampling: warm, allowed: 0.99 },
	{ name: 'greedy, 5 log-probabilities', sampling: greedy, logprobs: 5 },
	{ name: 'temperature, 5 log-probs', sampling: warm, logprobs: 5 },
];

/** Standard normal numbers times `spread`; with `peaks`, thirty entries far above the rest. */
function row(spread: number, peaks: boolean): Float32Array {
	let state = 7;
	const random = (): number => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return (state >>> 0) / 4_294_967_296;
	};
	const values = Float32Array.from(
		{ length: vocabulary },
		() => spread * Math.sqrt(-2 * Math.log(random() + 1e-9)) * Math.cos(2 * Math.PI * random()),
	);
	if (peaks) for (let k = 0; k < 30; k++) values[Math.floor(random() * vocabulary)] = 18 - k * 0.4;
	return values;
}

function mask(share: number): Int32Array {
	const words = new Int32Array(Math.ceil(vocabulary / 32));
	const step = share > 0.5 ? Math.round(1 / (1 - share)) : Math.round(1 / share);
	for (let id = 0; id < vocabulary; id++) {
		if ((id % step === 0) === share <= 0.5)
			words[id >> 5] = (words[id >> 5] as number) | (1 << (id & 31));
	}
	return words;
}

/** Median of many draws in ms; the row is copied into place outside the clock. */
function measure({ sampling, logprobs, allowed }: Variant, source: Float32Array): number {
	const prompt = Array.from({ length: 500 }, (_, k) => k * 7);
	const bits = allowed === undefined ? undefined : mask(allowed);
	const constraint =
		bits === undefined
			? undefined
			: {
					mask: () => bits,
					accept: () => true,
					rollback: () => {},
					isTerminated: () => false,
					dispose: () => {},
				};
	const sampler = new Sampler({
		sampling,
		choice: 0,
		prompt,
		endTokens: [],
		constraint,
		topLogprobs: logprobs,
	});
	const logits = new Float32Array(vocabulary);
	const times: number[] = [];
	for (let k = 0; k < 150; k++) {
		logits.set(source);
		const start = performance.now();
		sampler.next(logits);
		if (k >= 50) times.push(performance.now() - start);
	}
	return times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

export interface SamplingRow {
	readonly name: string;
	/** Medians of 100 tokens. */
	readonly flatMs: number;
	readonly peakedMs: number;
}

export function measureSampling(): SamplingRow[] {
	const flat = row(2.5, false);
	const peaked = row(2.5, true);
	return variants.map((variant) => ({
		name: variant.name,
		flatMs: measure(variant, flat),
		peakedMs: measure(variant, peaked),
	}));
}
