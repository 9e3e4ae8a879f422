/**
 * Positions in three dimensions (M-RoPE of Qwen2-VL): texts go on by one in all of them; the vectors of an image have
 * its place, their row and their column, and what follows begins behind the longer side.
 */

import { type ImageVectors, isVectorId } from './imageVectors.ts';

/**
 * Positions of tokens `[from, from + count)`, `[3, count]`.
 * @param tokens of the sequence; what is beyond them goes on as text does
 */
export function gridPositions(
	tokens: readonly number[],
	from: number,
	count: number,
	images: Pick<ImageVectors, 'place'>,
): BigInt64Array {
	const positions = new BigInt64Array(3 * count);
	let next = 0;
	let start = 0;
	for (let at = 0; at < from + count; at++) {
		const id = tokens[at] ?? 0;
		let place: readonly [number, number, number] = [next, next, next];
		const { row, grid } = isVectorId(id) ? images.place(id) : { row: 0, grid: undefined };
		if (grid === undefined) next++;
		else {
			if (row === 0) start = next;
			place = [start, start + Math.floor(row / grid.columns), start + (row % grid.columns)];
			next = start + Math.max(grid.rows, grid.columns);
		}
		if (at < from) continue;
		for (const [axis, value] of place.entries())
			positions[axis * count + at - from] = BigInt(value);
	}
	return positions;
}
