/** Quantisation of a weight matrix into the blocks MatMulNBits reads (symmetric, no zero points). */

/** Packed weights and one scale per block. */
export interface QuantizedMatrix {
	/** `[columns, rows / block, block · bits / 8]`; of two 4-bit numbers in a byte the lower comes first. */
	readonly packed: Uint8Array;
	/** `[columns · rows / block]`. */
	readonly scales: Float32Array;
}

/**
 * Quantises `[rows, columns]` (row-major) along its rows. The entry of largest magnitude in a block
 * becomes the lowest number exactly, as the usual 4-bit formats do it.
 * `rows` is a multiple of `block`.
 */
export function quantizeMatrix(
	values: Float32Array,
	rows: number,
	columns: number,
	bits: 4 | 8,
	block: number,
): QuantizedMatrix {
	const blocks = rows / block;
	const middle = bits === 4 ? 8 : 128;
	const highest = 2 * middle - 1;
	const bytes = (block * bits) / 8;
	const packed = new Uint8Array(columns * blocks * bytes);
	const scales = new Float32Array(columns * blocks);
	for (let column = 0; column < columns; column++) {
		for (let index = 0; index < blocks; index++) {
			const first = index * block;
			let extreme = 0;
			for (let k = 0; k < block; k++) {
				const value = values[(first + k) * columns + column] as number;
				if (Math.abs(value) > Math.abs(extreme)) extreme = value;
			}
			const at = column * blocks + index;
			const scale = extreme === 0 ? 0 : extreme / -middle;
			scales[at] = scale;
			const inverse = scale === 0 ? 0 : 1 / scale;
			for (let k = 0; k < block; k++) {
				const value = values[(first + k) * columns + column] as number;
				const number = Math.min(highest, Math.max(0, Math.round(value * inverse) + middle));
				const target = at * bytes + (bits === 4 ? k >> 1 : k);
				packed[target] =
					(packed[target] as number) | (bits === 4 && (k & 1) === 1 ? number << 4 : number);
			}
		}
	}
	return { packed, scales };
}
