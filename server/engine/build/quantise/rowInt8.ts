/** Quantises a matrix to signed bytes with a scale per row, as products of integers want it. */

import { searchScales } from './quantiseBlocks.ts';

/** What the scale of a whole row is divided by: rows with a few large numbers gain by cutting them off. */
const tries = [1, 1.06, 1.12, 1.19, 1.27, 1.36, 1.47, 1.6];

export interface RowInt8 {
	/** `[rows, columns]`. */
	readonly quantised: Int8Array;
	/** `[rows]`: `number = scale · quantised`. */
	readonly scales: Float32Array;
}

/**
 * The bytes with the least squared error that a search finds.
 * @param numbers `[rows, columns]`
 * @throws AppError `unsupported_model` when a number is not finite
 */
export function quantiseRows(numbers: Float32Array, rows: number, columns: number): RowInt8 {
	const block = Math.ceil(columns / 16) * 16;
	const form = { bits: 8, block, zeroPoints: false } as const;
	const { packed, scales } = searchScales(numbers, rows, columns, form, tries);
	const quantised = new Int8Array(rows * columns);
	for (let row = 0; row < rows; row++)
		for (let k = 0; k < columns; k++)
			quantised[row * columns + k] = (packed[row * block + k] as number) - 128;
	return { quantised, scales };
}

/** Side of the squares that a matrix is turned over in: both sides of one stay in a processor's own memory. */
const square = 64;

/** `[rows, columns]` as `[columns, rows]`. */
export function transpose(matrix: Int8Array, rows: number, columns: number): Int8Array {
	const turned = new Int8Array(matrix.length);
	for (let top = 0; top < rows; top += square)
		for (let left = 0; left < columns; left += square)
			for (let row = top; row < Math.min(rows, top + square); row++)
				for (let column = left; column < Math.min(columns, left + square); column++)
					turned[column * rows + row] = matrix[row * columns + column] as number;
	return turned;
}
