/** Cosines and sines of a rotary embedding: constants of the graph, whatever its kind. */

import type { Rope, RopeScaling } from '../architectures/decoderShape.ts';

/** Which of the two sets of a LongRoPE is meant; the others have one. */
export type RopeLength = 'short' | 'long';

/**
 * Angle per position of each pair of numbers, `[rotarySize / 2]`.
 * Frequencies are float32, as models were trained with them.
 */
export function ropeFrequencies(
	{ theta, rotarySize, scaling }: Rope,
	length: RopeLength,
): Float32Array {
	const plain = Float32Array.from(
		{ length: rotarySize / 2 },
		(_, pair) => theta ** ((-2 * pair) / rotarySize),
	);
	const divisors = divisorsOf(scaling, length);
	if (divisors !== undefined)
		return plain.map((_, pair) => 1 / ((divisors[pair] ?? 1) * theta ** ((2 * pair) / rotarySize)));
	if (scaling.kind === 'linear') return plain.map((frequency) => frequency / scaling.factor);
	if (scaling.kind === 'llama3') return plain.map((frequency) => llama3(frequency, scaling));
	if (scaling.kind === 'yarn') return plain.map(yarn(scaling, theta, rotarySize));
	return plain;
}

function divisorsOf(scaling: RopeScaling, length: RopeLength): readonly number[] | undefined {
	if (scaling.kind === 'divisors') return scaling.divisors;
	return scaling.kind === 'longrope' ? scaling[length] : undefined;
}

function llama3(
	frequency: number,
	{
		factor,
		lowFrequencyFactor: low,
		highFrequencyFactor: high,
		originalLength,
	}: RopeScaling & { kind: 'llama3' },
): number {
	const turns = (originalLength * frequency) / (2 * Math.PI);
	if (turns < low) return frequency / factor;
	if (turns > high) return frequency;
	const smooth = (turns - low) / (high - low);
	return (1 - smooth) * (frequency / factor) + smooth * frequency;
}

function yarn(
	{ factor, originalLength, betaFast, betaSlow, truncate }: RopeScaling & { kind: 'yarn' },
	theta: number,
	rotarySize: number,
): (frequency: number, pair: number) => number {
	// The pair that turns so often within the original length.
	const pairOf = (turns: number): number =>
		(rotarySize * Math.log(originalLength / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
	const rounded = (pair: number, round: (value: number) => number) =>
		truncate ? round(pair) : pair;
	const low = Math.max(rounded(pairOf(betaFast), Math.floor), 0);
	const high = Math.min(rounded(pairOf(betaSlow), Math.ceil), rotarySize - 1);
	const width = Math.max(high - low, 0.001);
	return (frequency, pair) => {
		const ramp = Math.min(1, Math.max(0, (pair - low) / width));
		return (frequency / factor) * ramp + frequency * (1 - ramp);
	};
}

/** Rows `from` to `to` of the tables, `[positions, rotarySize / 2]` each. */
export function ropeTables(
	rope: Rope,
	length: RopeLength,
	from: number,
	to: number,
): { readonly cos: Float32Array; readonly sin: Float32Array } {
	const frequencies = ropeFrequencies(rope, length);
	const { scaling } = rope;
	const scale = 'attentionFactor' in scaling ? scaling.attentionFactor : 1;
	const width = frequencies.length;
	const cos = new Float32Array((to - from) * width);
	const sin = new Float32Array(cos.length);
	for (let position = from; position < to; position++) {
		for (let pair = 0; pair < width; pair++) {
			const angle = Math.fround(position * (frequencies[pair] as number));
			const at = (position - from) * width + pair;
			cos[at] = Math.cos(angle) * scale;
			sin[at] = Math.sin(angle) * scale;
		}
	}
	return { cos, sin };
}
