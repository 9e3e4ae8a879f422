/** The types of numbers of GGUF files, by their number in the header (ggml.h, `enum ggml_type`). */

import { plainTypes } from './floats.ts';
import { storageType } from './ggmlDecoder.ts';
import { gridTypes } from './ggmlGridTypes.ts';
import { simpleTypes } from './ggmlSimple.ts';
import { superTypes } from './ggmlSuper.ts';
import type { StorageType } from './storedTensors.ts';

const plain: readonly (readonly [number: number, name: string])[] = [
	[0, 'f32'],
	[1, 'f16'],
	[24, 'i8'],
	[25, 'i16'],
	[26, 'i32'],
	[27, 'i64'],
	[28, 'f64'],
	[30, 'bf16'],
];

/** Q8_1 is a form for products; the others are interleaved for one processor, and withdrawn. */
const unread: readonly (readonly [number: number, name: string, bytes: number])[] = [
	[9, 'q8_1', 36],
	[31, 'q4_0_4_4', 18],
	[32, 'q4_0_4_8', 18],
	[33, 'q4_0_8_8', 18],
	[36, 'iq4_nl_4_4', 18],
	[37, 'iq4_nl_4_8', 18],
	[38, 'iq4_nl_8_8', 18],
];

export const ggmlTypes: ReadonlyMap<number, StorageType> = new Map<number, StorageType>([
	...plain.map(([number, name]): [number, StorageType] => {
		const type = plainTypes.get(name);
		if (type === undefined) throw new RangeError(name);
		return [number, { name, group: 1, ...type }];
	}),
	...[...simpleTypes, ...superTypes, ...gridTypes].map(([number, type]): [number, StorageType] => [
		number,
		storageType(type),
	]),
	...unread.map(([number, name, bytes]): [number, StorageType] => [
		number,
		{ name, group: 32, bytes },
	]),
]);
