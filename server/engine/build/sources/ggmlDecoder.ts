/**
 * All quantised ggml types are small whole numbers with a scale, and some with a minimum, per block of a
 * few: a decoder takes them apart, and what is here makes numbers or blocks of them.
 */

import { packNibbles } from './nibbles.ts';
import type { StorageType } from './storedTensors.ts';
import type { BlockRows } from './tensorSource.ts';
import { centred } from './zeroPoints.ts';

/** `number = scale · (quantised − zero) − minimum`. */
export interface Integers {
	/** One per number, 0 to 255. */
	readonly quantised: Uint8Array;
	/** One per block. */
	readonly scales: Float32Array;
	/** One per block; all zero for types that have none. */
	readonly minima: Float32Array;
}

export interface GgmlDecoder {
	readonly name: string;
	/** Numbers that are stored together. */
	readonly group: number;
	/** Bytes of a group. */
	readonly bytes: number;
	/** Numbers that share a scale. */
	readonly block: number;
	/** The middle of 8-bit and of 4-bit numbers; 0 for types with a minimum. */
	readonly zero: 0 | 8 | 128;
	/** What the quantised numbers fit into, if this type is offered as blocks. */
	readonly bits?: 4 | 8;
	/** Takes a group that begins at the byte `at` apart; its numbers begin at `to`, its blocks at `first`. */
	decode(bytes: Uint8Array, at: number, into: Integers, to: number, first: number): void;
}

export function storageType(decoder: GgmlDecoder): StorageType {
	const { name, group, bytes, block, zero, bits } = decoder;
	return {
		name,
		group,
		bytes,
		read: (stored, count) => toNumbers(decoder, takeApart(decoder, stored, count)),
		...(bits === undefined
			? {}
			: {
					blocks: { bits, block, zeroPoints: zero === 0, residual: zero === 0 },
					toBlocks: (stored, rows, columns) =>
						toBlocks(decoder, bits, takeApart(decoder, stored, rows * columns), rows),
				}),
	};
}

function takeApart(decoder: GgmlDecoder, stored: Uint8Array, count: number): Integers {
	const { group, bytes, block } = decoder;
	const into = {
		quantised: new Uint8Array(count),
		scales: new Float32Array(count / block),
		minima: new Float32Array(decoder.zero === 0 ? count / block : 0),
	};
	const groups = count / group;
	const blocks = group / block;
	for (let index = 0; index < groups; index++)
		decoder.decode(stored, index * bytes, into, index * group, index * blocks);
	return into;
}

/** Rounded where ggml rounds. */
function toNumbers({ block, zero }: GgmlDecoder, integers: Integers): Float32Array {
	const { quantised, scales, minima } = integers;
	const numbers = new Float32Array(quantised.length);
	for (let index = 0, at = 0; index < scales.length; index++, at += block) {
		const scale = scales[index] as number;
		if (zero !== 0)
			for (let k = at; k < at + block; k++) numbers[k] = scale * ((quantised[k] as number) - zero);
		else {
			const minimum = minima[index] as number;
			for (let k = at; k < at + block; k++)
				numbers[k] = Math.fround(scale * (quantised[k] as number)) - minimum;
		}
	}
	return numbers;
}

function toBlocks(
	{ block, zero }: GgmlDecoder,
	bits: 4 | 8,
	integers: Integers,
	rows: number,
): BlockRows {
	const { quantised, scales, minima } = integers;
	const packed = bits === 8 ? quantised : packNibbles(quantised, quantised.length);
	const plain = { bits, block, packed, scales };
	return zero === 0 ? { ...plain, ...centred(bits, scales, minima, rows) } : plain;
}

/** 16 bits from the byte `at`. */
export function u16(bytes: Uint8Array, at: number): number {
	return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}
