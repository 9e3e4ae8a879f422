/** Rows of logits as models give them. */

import { Random } from '../fixtures/graphBuilder.ts';

/** A row of a given spread, with ties, bans and, when wanted, a few likely entries. */
export function bigRow(seed: number, length: number, spread: number, peaks: number): Float32Array {
	const random = new Random(seed);
	const row = Float32Array.from({ length }, () => random.normal() * spread);
	for (let k = 0; k < 20; k++) row[random.bits() % length] = Number.NEGATIVE_INFINITY;
	for (let k = 0; k < 6; k++) row[random.bits() % length] = 1.25 * spread;
	for (let k = 0; k < peaks; k++) row[random.bits() % length] = 6 * spread - 0.3 * k;
	return row;
}
