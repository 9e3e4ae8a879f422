/** Which forms the weights of a build get. */

import type { Recipe } from './graph/linear.ts';
import { quantiseBlocks } from './quantise/quantiseBlocks.ts';
import type { BlockForm, TensorSource } from './sources/tensorSource.ts';

/**
 * What becomes of numbers that are not quantised yet:
 * - `standard`: 4 bits in blocks of 64, 8 bits for the embedding, the head and small models
 * - `high`: 4 bits in blocks of 32, else the same
 */
export type BuildQuality = 'standard' | 'high';

const blocks = (bits: 4 | 8, block: number, zeroPoints: boolean): BlockForm => ({
	bits,
	block,
	zeroPoints,
	residual: false,
});

const fourBits: Readonly<Record<BuildQuality, BlockForm>> = {
	standard: blocks(4, 64, true),
	high: blocks(4, 32, true),
};
const eightBits = blocks(8, 128, false);

/** Models with fewer numbers lose too much by 4 bits, and gain little. */
const smallModelNumbers = 200e6;

export interface RecipeOptions {
	readonly quality: BuildQuality;
	/** Leaves numbers that are not quantised yet as float32. */
	readonly keep: boolean;
	/** Models with fewer numbers get 8 bits. */
	readonly minFourBitNumbers?: number;
}

/**
 * @returns the recipe, and what the graph's name ends with, as published exports have it
 */
export function recipeOf(
	source: TensorSource,
	{ quality, keep, minFourBitNumbers = smallModelNumbers }: RecipeOptions,
): { readonly recipe: Recipe; readonly suffix: '' | '_q4' | '_int8' } {
	let numbers = 0;
	const bits = new Set<4 | 8>();
	for (const { shape, blocks: form } of source.tensors.values()) {
		numbers += shape.reduce((product, size) => product * size, 1);
		if (form !== undefined) bits.add(form.bits);
	}
	const matrices = keep ? undefined : numbers < minFourBitNumbers ? eightBits : fourBits[quality];
	// Of a file that is quantised already only what it kept finer is left.
	if (bits.size === 0 && matrices !== undefined) bits.add(matrices.bits);
	return {
		recipe: {
			matrices,
			head: keep ? undefined : eightBits,
			quantise: quantiseBlocks,
		},
		suffix: bits.has(4) ? '_q4' : bits.has(8) ? '_int8' : '',
	};
}
