/** Counter-based random numbers: the draw of a token depends only on seed, choice and position. */

/**
 * Uniform number in [0, 1) for one position of one choice. Being a function of its arguments, it
 * gives the same text whatever was batched or drafted along the way.
 */
export function uniform(seed: number, choice: number, position: number): number {
	let high = mix((seed ^ Math.imul(choice + 1, 0x9e3779b9)) >>> 0);
	high = mix((high + Math.imul(position + 1, 0x85ebca6b)) >>> 0);
	const low = mix((high ^ 0xc2b2ae35) >>> 0);
	return ((high >>> 5) * 67_108_864 + (low >>> 6)) / 9_007_199_254_740_992;
}

/** Finaliser of MurmurHash3 with an extra round (lowbias32). */
function mix(value: number): number {
	let x = value;
	x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
	x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
	return (x ^ (x >>> 15)) >>> 0;
}
