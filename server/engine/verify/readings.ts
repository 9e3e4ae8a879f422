/** Compares the results of two ways of running a model on the same small inputs, before the faster one is trusted. */

/** What a model said to one of the inputs. */
export interface Reading {
	/** The input, for people: `a prompt`. */
	readonly of: string;
	readonly values: Float32Array;
	/** Largest difference allowed of this one, where that is more than of the others. */
	readonly maxDifference?: number;
}

/** Largest differences allowed, relative to the largest value. */
export const tolerances = {
	/** float32: sums are added in another order. */
	float: 1e-4,
	/**
	 * Rounding of half precision and of blocks of few bits grows from layer to layer: the last bit of a
	 * sum decides to which side an activation is rounded. The built-in chat model gives 0.011.
	 */
	quantized: 2e-2,
	/** Several sequences are multiplied by other kernels than a single one. */
	batched: 2e-2,
	/**
	 * Per-token instead of per-tensor dynamic int8: activations are rounded elsewhere than published, to either
	 * side of the exact results. Fifteen tiny models lie between 0.01 and 0.03, one of them at 0.08; what is
	 * multiplied wrongly is near 1.
	 */
	perTokenQuantization: 0.2,
	/**
	 * Own products of 4-bit weights: the same numbers, added in another order. Activations in 8 bits that lie
	 * on the border are rounded to the other side, and that grows: a tiny random model gives 0.03.
	 */
	kernel: 0.1,
} as const;

/** What differs by more than `most`, or `undefined` when nothing does. */
export function firstDifference(
	expected: readonly Reading[],
	actual: readonly Reading[],
	maxDifference: number,
): string | undefined {
	for (const [index, { of, values, maxDifference: own = 0 }] of expected.entries()) {
		const found = actual[index];
		if (found?.of !== of || found.values.length !== values.length)
			return `${of} gives results of another form`;
		const worst = difference(values, found.values);
		if (!(worst <= Math.max(maxDifference, own)))
			return `${of} gives results that differ by ${worst.toExponential(1)} of the largest`;
	}
	return expected.length === 0 ? 'nothing was read' : undefined;
}

/** Largest absolute difference over the largest absolute value; NaN when there is a NaN. */
export function difference(expected: Float32Array, actual: Float32Array): number {
	let worst = 0;
	let largest = 1e-9;
	for (let index = 0; index < expected.length; index++) {
		const value = Math.abs((expected[index] as number) - (actual[index] as number));
		if (!(value <= worst)) worst = value;
		largest = Math.max(largest, Math.abs(expected[index] as number));
	}
	return worst / largest;
}
