/** Numbers of blocks, as the runtime reads them. */

import type { BlockRows } from '../sources/tensorSource.ts';

/** @returns `[rows, columns]` */
export function dequantise(
	{ bits, block, packed, scales, zeroPoints, residual }: BlockRows,
	rows: number,
	columns: number,
): Float32Array {
	const numbers = new Float32Array(rows * columns);
	const blocks = Math.ceil(columns / block);
	const codeBytes = packed.length / rows;
	const pointBytes = (zeroPoints?.length ?? 0) / rows;
	const middle = 2 ** (bits - 1);
	for (let row = 0; row < rows; row++) {
		for (let index = 0; index < blocks; index++) {
			const scale = scales[row * blocks + index] as number;
			const plus = residual?.[row * blocks + index] ?? 0;
			const at = row * pointBytes;
			const point =
				zeroPoints === undefined
					? middle
					: bits === 8
						? (zeroPoints[at + index] as number)
						: ((zeroPoints[at + (index >> 1)] as number) >> (4 * (index & 1))) & 15;
			const codes = row * codeBytes;
			const end = Math.min(columns, (index + 1) * block);
			for (let k = index * block; k < end; k++) {
				const code =
					bits === 8
						? (packed[codes + k] as number)
						: ((packed[codes + (k >> 1)] as number) >> (4 * (k & 1))) & 15;
				numbers[row * columns + k] = scale * (code - point) + plus;
			}
		}
	}
	return numbers;
}
