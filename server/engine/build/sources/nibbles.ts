/** Numbers of 4 bits, two in a byte, as MatMulNBits reads them. */

/**
 * Of two numbers in a byte the lower half comes first.
 * @param perRow numbers after which a new byte begins
 */
export function packNibbles(numbers: Uint8Array, perRow: number): Uint8Array {
	const bytes = Math.ceil(perRow / 2);
	const packed = new Uint8Array((numbers.length / perRow) * bytes);
	for (let at = 0, from = 0; from < numbers.length; from += perRow, at += bytes)
		for (let k = 0; k < perRow; k += 2) {
			const second = k + 1 < perRow ? (numbers[from + k + 1] as number) : 0;
			packed[at + (k >> 1)] = (numbers[from + k] as number) | (second << 4);
		}
	return packed;
}
