/** Compares a fast way of running a graph with the plain one on a few tokens, before it is trusted. */

import type { Decoder, SequenceCache, StepRow } from './decoder.ts';

/** Largest difference allowed, relative to the largest logit. */
const tolerance = 2e-2;

type Step = (rows: readonly StepRow[]) => Promise<Float32Array[][]>;

/**
 * Two sequences of different length, a prompt and a decode step each: first alone on `plain`, then
 * together through `fast`. Returns what differs, or `undefined` when nothing does.
 */
export async function compareSteps(
	plain: Decoder,
	createCache: () => SequenceCache,
	fast: Step,
	most = tolerance,
): Promise<string | undefined> {
	const top = Math.max(2, Math.min(plain.vocabularySize, 1000));
	const token = (index: number): number => 1 + ((index * 7919) % (top - 1));
	const prompts = [[0, 1, 2, 3, 4].map(token), [5, 6, 7].map(token)];
	const caches: SequenceCache[] = [];
	try {
		const expected: Float32Array[][] = [];
		for (const prompt of prompts) {
			const cache = plain.createCache();
			caches.push(cache);
			const alone = async (tokens: readonly number[]): Promise<Float32Array> => {
				const [row] = await plain.step([{ cache, tokens, logits: 1 }]);
				return Float32Array.from(row?.[0] ?? []);
			};
			expected.push([await alone(prompt), await alone([token(9)])]);
		}
		const together = prompts.map(() => createCache());
		caches.push(...together);
		for (const round of [0, 1]) {
			const rows = prompts.map((prompt, index) => ({
				cache: together[index] as SequenceCache,
				tokens: round === 0 ? prompt : [token(9)],
				logits: 1,
			}));
			const results = await fast(rows);
			for (const [index, row] of results.entries()) {
				const worst = difference(expected[index]?.[round] as Float32Array, row[0] as Float32Array);
				if (!(worst <= most)) return `logits differ by ${worst.toExponential(1)} of the largest`;
			}
		}
		return undefined;
	} finally {
		for (const cache of caches) cache.release();
	}
}

/** Largest absolute difference over the largest absolute value; NaN when there is a NaN. */
export function difference(expected: Float32Array, actual: Float32Array): number {
	let worst = 0;
	let largest = 1e-9;
	for (let index = 0; index < expected.length; index++) {
		const value = Math.abs((expected[index] as number) - (actual[index] as number));
		if (!(value <= worst)) worst = value;
		largest = Math.max(largest, Math.abs(expected[index] as number));
	}
	return worst / largest;
}
