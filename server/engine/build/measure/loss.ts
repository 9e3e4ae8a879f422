/** What a model that was built here has lost against the numbers it was built of. */

import type { BuiltLoss } from '../../../protocol/index.ts';
import type { Decoder } from '../../decode/decoder.ts';
import type { ReferenceLogits } from './referencePass.ts';

/** What built models say beside what their sources say. */
export type AnswerLoss = Pick<
	BuiltLoss & { measured: 'answers' },
	'positions' | 'divergence' | 'sameToken'
>;

/** Tokens of one step: logits of so many are in memory at once. */
const stepTokens = 16;

/** Compares what a decoder says after each of the last tokens of a text. */
export async function compareAnswers(
	decoder: Decoder,
	text: readonly number[],
	expected: ReferenceLogits,
	signal?: AbortSignal,
): Promise<AnswerLoss> {
	const { vocabulary, logits } = expected;
	const positions = logits.length / vocabulary;
	let divergence = 0;
	let same = 0;
	await readPositions(
		decoder,
		text,
		positions,
		(row, index) => {
			const wanted = logits.subarray(index * vocabulary, (index + 1) * vocabulary);
			divergence += divergenceOf(wanted, row);
			if (largest(wanted) === largest(row)) same++;
		},
		signal,
	);
	return { positions, divergence: divergence / positions, sameToken: same / positions };
}

/** The logits after each of the last tokens of a text. */
export async function readLogits(
	decoder: Decoder,
	text: readonly number[],
	positions: number,
	signal?: AbortSignal,
): Promise<ReferenceLogits> {
	const vocabulary = decoder.vocabularySize;
	const logits = new Float32Array(positions * vocabulary);
	await readPositions(
		decoder,
		text,
		positions,
		(row, index) => logits.set(row, index * vocabulary),
		signal,
	);
	return { vocabulary, logits };
}

async function readPositions(
	decoder: Decoder,
	text: readonly number[],
	positions: number,
	onRow: (row: Float32Array, index: number) => void,
	signal?: AbortSignal,
): Promise<void> {
	const cache = decoder.createCache();
	const most = decoder.lastLogitsOnly === true ? 1 : Math.min(stepTokens, decoder.maxStepTokens);
	const first = text.length - positions;
	try {
		let index = 0;
		for (let at = 0; at < text.length; ) {
			const to = at < first ? Math.min(first, at + stepTokens) : Math.min(text.length, at + most);
			const logits = at < first ? 0 : to - at;
			const [rows = []] = await decoder.step(
				[{ cache, tokens: text.slice(at, to), logits }],
				signal,
			);
			for (const row of rows) onRow(row, index++);
			at = to;
		}
	} finally {
		cache.release();
	}
}

/** `Σ p · ln(p / q)` of the probabilities that two rows of logits mean. */
export function divergenceOf(p: Float32Array, q: Float32Array): number {
	const [highP, highQ] = [highest(p), highest(q)];
	let sumP = 0;
	let sumQ = 0;
	for (let k = 0; k < p.length; k++) {
		sumP += Math.exp((p[k] as number) - highP);
		sumQ += Math.exp((q[k] as number) - highQ);
	}
	const shift = highQ + Math.log(sumQ) - (highP + Math.log(sumP));
	let sum = 0;
	for (let k = 0; k < p.length; k++) {
		const weight = Math.exp((p[k] as number) - highP);
		if (weight > 0) sum += weight * ((p[k] as number) - (q[k] as number) + shift);
	}
	// Rounding can leave less than nothing.
	return Math.max(0, sum / sumP);
}

function highest(values: Float32Array): number {
	return values[largest(values)] as number;
}

function largest(values: Float32Array): number {
	let best = 0;
	for (let k = 1; k < values.length; k++)
		if ((values[k] as number) > (values[best] as number)) best = k;
	return best;
}
