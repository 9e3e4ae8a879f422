/** ggml types with blocks of 32 to 128 numbers that are all alike (ggml-common.h, `block_q4_0` and so on). */

import { fromFloat16 } from '../../runtime/float16.ts';
import { plainTypes } from './floats.ts';
import { type GgmlDecoder, u16 } from './ggmlDecoder.ts';

const half = (bytes: Uint8Array, at: number) => fromFloat16(u16(bytes, at));

/** Halves of bytes: the lower ones are the first 16 numbers, the upper ones the other 16. */
function nibbles(bytes: Uint8Array, at: number, into: Uint8Array, to: number): void {
	for (let k = 0; k < 16; k++) {
		const byte = bytes[at + k] as number;
		into[to + k] = byte & 15;
		into[to + 16 + k] = byte >> 4;
	}
}

/** {@link nibbles} with a fifth bit each, and something added to all. */
function fiveBits(bytes: Uint8Array, at: number, into: Uint8Array, to: number, more: number): void {
	const low = u16(bytes, at);
	const high = u16(bytes, at + 2);
	for (let k = 0; k < 16; k++) {
		const byte = bytes[at + 4 + k] as number;
		into[to + k] = ((byte & 15) | (((low >> k) & 1) << 4)) + more;
		into[to + 16 + k] = ((byte >> 4) | (((high >> k) & 1) << 4)) + more;
	}
}

/** Halves of bytes, looked up: `width` lower ones, then as many upper ones. */
function lookedUp(
	bytes: Uint8Array,
	at: number,
	into: Uint8Array,
	to: number,
	width: number,
	values: Uint8Array,
): void {
	for (let k = 0; k < width; k++) {
		const byte = bytes[at + k] as number;
		into[to + k] = values[byte & 15] as number;
		into[to + width + k] = values[byte >> 4] as number;
	}
}

/** The 16 values of IQ4_NL and IQ4_XS, 128 more each. */
export const unevenValues = Uint8Array.of(
	1,
	24,
	45,
	63,
	79,
	93,
	106,
	118,
	129,
	141,
	153,
	166,
	181,
	197,
	217,
	241,
);
/** Twice the numbers of 4 bits with an exponent (OCP Microscaling Formats 1.0, section 5.3.3), 128 more each. */
const float4 = Uint8Array.from(
	[0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12],
	(value) => value + 128,
);

export { lookedUp };

/** Unsigned E4M3 scales of NVFP4, halved because {@link float4} is doubled. */
const scales8 = (() => {
	const all = plainTypes.get('f8_e4m3')?.read(
		Uint8Array.from({ length: 256 }, (_, k) => k & 127),
		256,
	);
	return Float32Array.from(all ?? [], (value, bits) =>
		bits === 0x7f || bits === 0xff ? 0 : value / 2,
	);
})();

export const simpleTypes: readonly (readonly [number: number, type: GgmlDecoder])[] = [
	[
		2,
		{
			name: 'q4_0',
			group: 32,
			bytes: 18,
			block: 32,
			zero: 8,
			bits: 4,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = half(bytes, at);
				nibbles(bytes, at + 2, into.quantised, to);
			},
		},
	],
	[
		3,
		{
			name: 'q4_1',
			group: 32,
			bytes: 20,
			block: 32,
			zero: 0,
			bits: 4,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = half(bytes, at);
				into.minima[first] = -half(bytes, at + 2);
				nibbles(bytes, at + 4, into.quantised, to);
			},
		},
	],
	[
		6,
		{
			name: 'q5_0',
			group: 32,
			bytes: 22,
			block: 32,
			zero: 128,
			bits: 8,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = half(bytes, at);
				fiveBits(bytes, at + 2, into.quantised, to, 112);
			},
		},
	],
	[
		7,
		{
			name: 'q5_1',
			group: 32,
			bytes: 24,
			block: 32,
			zero: 0,
			bits: 8,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = half(bytes, at);
				into.minima[first] = -half(bytes, at + 2);
				fiveBits(bytes, at + 4, into.quantised, to, 0);
			},
		},
	],
	[
		8,
		{
			name: 'q8_0',
			group: 32,
			bytes: 34,
			block: 32,
			zero: 128,
			bits: 8,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = half(bytes, at);
				// Adding 128 to a signed byte turns its highest bit over.
				for (let k = 0; k < 32; k++) into.quantised[to + k] = (bytes[at + 2 + k] as number) ^ 0x80;
			},
		},
	],
	[
		20,
		{
			name: 'iq4_nl',
			group: 32,
			bytes: 18,
			block: 32,
			zero: 128,
			bits: 8,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = half(bytes, at);
				lookedUp(bytes, at + 2, into.quantised, to, 16, unevenValues);
			},
		},
	],
	[
		39,
		{
			name: 'mxfp4',
			group: 32,
			bytes: 17,
			block: 32,
			zero: 128,
			bits: 8,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = 2 ** ((bytes[at] as number) - 128);
				lookedUp(bytes, at + 1, into.quantised, to, 16, float4);
			},
		},
	],
	[
		40,
		{
			name: 'nvfp4',
			group: 64,
			bytes: 36,
			block: 16,
			zero: 128,
			bits: 8,
			decode: (bytes, at, into, to, first) => {
				for (let part = 0; part < 4; part++) {
					into.scales[first + part] = scales8[bytes[at + part] as number] as number;
					lookedUp(bytes, at + 4 + 8 * part, into.quantised, to + 16 * part, 8, float4);
				}
			},
		},
	],
	[
		41,
		{
			name: 'q1_0',
			group: 128,
			bytes: 18,
			block: 128,
			zero: 8,
			bits: 4,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = half(bytes, at);
				for (let k = 0; k < 128; k++)
					into.quantised[to + k] = 7 + (((bytes[at + 2 + (k >> 3)] as number) >> (k & 7)) & 1) * 2;
			},
		},
	],
	[
		42,
		{
			name: 'q2_0',
			group: 64,
			bytes: 18,
			block: 64,
			zero: 8,
			bits: 4,
			decode: (bytes, at, into, to, first) => {
				into.scales[first] = half(bytes, at);
				for (let k = 0; k < 64; k++)
					into.quantised[to + k] =
						7 + (((bytes[at + 2 + (k >> 2)] as number) >> (2 * (k & 3))) & 3);
			},
		},
	],
];
