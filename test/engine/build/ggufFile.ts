/** GGUF files of the builder's tests: float32 tensors, random blocks of every type, plain metadata. */

import type { Random } from '../../fixtures/graphBuilder.ts';
import { type GgufTensor, type GgufValue, ggufBytes } from '../../fixtures/weightFiles.ts';
import type { NamedNumbers } from './memorySource.ts';

export type Metadata = Readonly<
	Record<string, string | number | boolean | { readonly float: number } | readonly string[]>
>;

/** A file; whole numbers become unsigned 32-bit ones. */
export function ggufFile(metadata: Metadata, tensors: readonly GgufTensor[]): Uint8Array {
	const values = Object.entries(metadata).map(([key, value]): [string, GgufValue] => {
		if (typeof value === 'string') return [key, { type: 'text', value }];
		if (typeof value === 'number') return [key, { type: 'u32', value }];
		if (typeof value === 'boolean') return [key, { type: 'bool', value }];
		return [
			key,
			'float' in value ? { type: 'f32', value: value.float } : { type: 'list', of: 'text', value },
		];
	});
	return ggufBytes({ metadata: values, tensors });
}

/** A float32 tensor. */
export function f32Tensor(name: string, { shape, numbers }: NamedNumbers): GgufTensor {
	return {
		name,
		shape,
		type: 0,
		bytes: new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
	};
}

/**
 * Types of blocks: number, numbers in a block, bytes of a block, and its fp16 scales with the exponents (biased by
 * 15) that give weights of about 0.06. What is added is about minus the middle of the range.
 */
export const blockTypes = {
	q4_0: { type: 2, group: 32, bytes: 18, scales: [{ at: 0, exponent: 8 }] },
	q4_1: {
		type: 3,
		group: 32,
		bytes: 20,
		scales: [
			{ at: 0, exponent: 8 },
			{ at: 2, exponent: 11, minus: true },
		],
	},
	q5_0: { type: 6, group: 32, bytes: 22, scales: [{ at: 0, exponent: 7 }] },
	q5_1: {
		type: 7,
		group: 32,
		bytes: 24,
		scales: [
			{ at: 0, exponent: 7 },
			{ at: 2, exponent: 11, minus: true },
		],
	},
	q8_0: { type: 8, group: 32, bytes: 34, scales: [{ at: 0, exponent: 4 }] },
	q3_k: { type: 11, group: 256, bytes: 110, scales: [{ at: 108, exponent: 5 }] },
	q4_k: {
		type: 12,
		group: 256,
		bytes: 144,
		scales: [
			{ at: 0, exponent: 3 },
			{ at: 2, exponent: 6 },
		],
	},
	q5_k: {
		type: 13,
		group: 256,
		bytes: 176,
		scales: [
			{ at: 0, exponent: 2 },
			{ at: 2, exponent: 6 },
		],
	},
	q6_k: { type: 14, group: 256, bytes: 210, scales: [{ at: 208, exponent: 1 }] },
	iq4_nl: { type: 20, group: 32, bytes: 18, scales: [{ at: 0, exponent: 4 }] },
} as const;

export type BlockType = keyof typeof blockTypes;

/** A tensor of random blocks whose scales are sensible. */
export function randomBlocks(
	name: string,
	shape: readonly [number, number],
	type: BlockType,
	random: Random,
): GgufTensor {
	const { group, bytes, scales, type: number } = blockTypes[type];
	const [rows, columns] = shape;
	const whole = new Uint8Array((rows * columns * bytes) / group);
	for (let k = 0; k < whole.length; k++) whole[k] = random.bits() >>> 24;
	const view = new DataView(whole.buffer);
	for (let block = 0; block < whole.length; block += bytes)
		for (const { at, exponent, ...scale } of scales) {
			const sign = 'minus' in scale ? 0x8000 : 0;
			view.setUint16(block + at, sign | (exponent << 10) | (random.bits() & 0x3ff), true);
		}
	return { name, shape, type: number, bytes: whole };
}
