/** Minima of blocks as MatMulNBits can use them. */

import { packNibbles } from './nibbles.ts';
import type { BlockRows } from './tensorSource.ts';

/**
 * Makes of `scale · quantised − minimum` what blocks are: a minimum is nearly a whole number of scales, and
 * that many become the zero point, so that the quantised numbers stay centred; what is left is the residual.
 * @param scales one per block, and as many `minima`
 */
export function centred(
	bits: 4 | 8,
	scales: Float32Array,
	minima: Float32Array,
	rows: number,
): Required<Pick<BlockRows, 'zeroPoints' | 'residual'>> {
	const max = bits === 8 ? 255 : 15;
	const points = new Uint8Array(scales.length);
	const residual = new Float32Array(scales.length);
	for (let index = 0; index < scales.length; index++) {
		const scale = scales[index] as number;
		const minimum = minima[index] as number;
		// A scale of 0 makes no number at all of it, and so no point.
		const point = Math.min(max, Math.max(0, Math.round(minimum / scale) || 0));
		points[index] = point;
		residual[index] = scale * point - minimum;
	}
	const zeroPoints = bits === 8 ? points : packNibbles(points, points.length / rows);
	return { zeroPoints, residual };
}
