/** Aligns tokens with encoder frames: dynamic time warping over cross-attention. */

import type { Tensor } from '../runtime/runtime.ts';

/** Encoder frames are 20 ms apart. */
export const frameS = 0.02;

/**
 * Frame in which each token begins. Tokens are the decoder positions `fromToken` to `toToken`
 * (exclusive) of a run with one sequence; attention beyond `frames` is left out.
 * @param heads `[layer, head]` pairs whose attention is used; layers without output are ignored
 * @param medianWidth odd width of the filter over time
 */
export function alignTokens(
	attentions: ReadonlyMap<number, Tensor>,
	heads: readonly (readonly [number, number])[],
	fromToken: number,
	toToken: number,
	frames: number,
	medianWidth: number,
): number[] {
	const rows = toToken - fromToken;
	const matrix = new Float64Array(rows * frames);
	let used = 0;
	for (const [layer, head] of heads) {
		const tensor = attentions.get(layer);
		if (tensor === undefined) continue;
		const [, headCount = 0, tokens = 0, positions = 0] = tensor.dims;
		if (head >= headCount) continue;
		const data = tensor.data as Float32Array;
		const weights = new Float64Array(tokens * frames);
		for (let row = 0; row < tokens; row++) {
			const at = (head * tokens + row) * positions;
			for (let f = 0; f < frames; f++) weights[row * frames + f] = data[at + f] as number;
		}
		standardise(weights, tokens, frames);
		for (let row = 0; row < rows; row++) {
			const smooth = medianFilter(
				weights.subarray((fromToken + row) * frames, (fromToken + row + 1) * frames),
				medianWidth,
			);
			for (let f = 0; f < frames; f++)
				matrix[row * frames + f] = (matrix[row * frames + f] as number) + (smooth[f] as number);
		}
		used++;
	}
	if (used > 0) for (let i = 0; i < matrix.length; i++) matrix[i] = -(matrix[i] as number) / used;
	return dynamicTimeWarp(matrix, rows, frames);
}

/** Per frame, zero mean and unit deviation over the tokens. */
function standardise(weights: Float64Array, tokens: number, frames: number): void {
	for (let f = 0; f < frames; f++) {
		let sum = 0;
		let squares = 0;
		for (let row = 0; row < tokens; row++) sum += weights[row * frames + f] as number;
		const mean = sum / tokens;
		for (let row = 0; row < tokens; row++)
			squares += ((weights[row * frames + f] as number) - mean) ** 2;
		const deviation = Math.sqrt(squares / tokens) || 1;
		for (let row = 0; row < tokens; row++) {
			const at = row * frames + f;
			weights[at] = ((weights[at] as number) - mean) / deviation;
		}
	}
}

/** Median over a sliding window; the ends are mirrored. */
export function medianFilter(values: Float64Array, width: number): Float64Array {
	const half = width >> 1;
	if (values.length <= half) return values;
	const output = new Float64Array(values.length);
	const window = new Float64Array(2 * half + 1);
	for (let i = 0; i < values.length; i++) {
		for (let k = -half; k <= half; k++) {
			let at = Math.abs(i + k);
			if (at >= values.length) at = 2 * (values.length - 1) - at;
			window[k + half] = values[at] as number;
		}
		window.sort();
		output[i] = window[half] as number;
	}
	return output;
}

/** Cheapest monotonic path through `cost` [rows × columns]; gives the first column of every row. */
export function dynamicTimeWarp(cost: Float64Array, rows: number, columns: number): number[] {
	const width = columns + 1;
	const total = new Float64Array((rows + 1) * width).fill(Number.POSITIVE_INFINITY);
	const trace = new Uint8Array((rows + 1) * width);
	total[0] = 0;
	for (let column = 1; column <= columns; column++) {
		for (let row = 1; row <= rows; row++) {
			const diagonal = total[(row - 1) * width + column - 1] as number;
			const up = total[(row - 1) * width + column] as number;
			const left = total[row * width + column - 1] as number;
			let best = left;
			let step = 2;
			if (diagonal < up && diagonal < left) {
				best = diagonal;
				step = 0;
			} else if (up < diagonal && up < left) {
				best = up;
				step = 1;
			}
			total[row * width + column] = (cost[(row - 1) * columns + column - 1] as number) + best;
			trace[row * width + column] = step;
		}
	}
	const starts = new Array<number>(rows).fill(0);
	let row = rows;
	let column = columns;
	while (row > 0 && column > 0) {
		starts[row - 1] = column - 1;
		const step = trace[row * width + column];
		if (step === 0) {
			row--;
			column--;
		} else if (step === 1) row--;
		else column--;
	}
	return starts;
}
