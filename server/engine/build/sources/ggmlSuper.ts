/** ggml types with groups of 256 numbers and scales of scales (ggml-common.h, `block_q2_K` and so on). */

import { fromFloat16 } from '../../runtime/float16.ts';
import { type GgmlDecoder, type Integers, u16 } from './ggmlDecoder.ts';
import { lookedUp, unevenValues } from './ggmlSimple.ts';

const half = (bytes: Uint8Array, at: number) => fromFloat16(u16(bytes, at));
const group = 256;

/** Q2_K: scales and minima of 4 bits, numbers of 2. */
const q2K: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scale = half(bytes, at + 80);
	const minimum = half(bytes, at + 82);
	for (let block = 0; block < 16; block++) {
		const both = bytes[at + block] as number;
		into.scales[first + block] = scale * (both & 15);
		into.minima[first + block] = minimum * (both >> 4);
	}
	twoBits(bytes, at + 16, into.quantised, to);
};

/** Of 128 numbers, those 32 apart share the bytes. */
function twoBits(bytes: Uint8Array, at: number, into: Uint8Array, to: number): void {
	for (let k = 0; k < group; k++)
		into[to + k] = ((bytes[at + ((k >> 7) << 5) + (k & 31)] as number) >> ((k >> 4) & 6)) & 3;
}

/** Q3_K: scales of 6 bits, numbers of 2 with a third bit apart that takes 4 off where it is 0. */
const q3K: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scale = half(bytes, at + 108);
	for (let block = 0; block < 16; block++) {
		const low = (bytes[at + 96 + (block & 7)] as number) >> (block < 8 ? 0 : 4);
		const high = (bytes[at + 104 + (block & 3)] as number) >> (2 * (block >> 2));
		into.scales[first + block] = scale * (((low & 15) | ((high & 3) << 4)) - 32);
	}
	const { quantised } = into;
	twoBits(bytes, at + 32, quantised, to);
	for (let k = 0; k < group; k++) {
		const bit = ((bytes[at + (k & 31)] as number) >> (k >> 5)) & 1;
		quantised[to + k] = (quantised[to + k] as number) + 4 + 4 * bit;
	}
};

/** Eight scales and eight minima of 6 bits in 12 bytes. */
function sixBitPairs(bytes: Uint8Array, at: number, into: Integers, first: number): void {
	const scale = half(bytes, at);
	const minimum = half(bytes, at + 2);
	const packed = at + 4;
	for (let block = 0; block < 4; block++) {
		const a = bytes[packed + block] as number;
		const b = bytes[packed + 4 + block] as number;
		const c = bytes[packed + 8 + block] as number;
		into.scales[first + block] = scale * (a & 63);
		into.minima[first + block] = minimum * (b & 63);
		into.scales[first + 4 + block] = scale * ((c & 15) | ((a >> 6) << 4));
		into.minima[first + 4 + block] = minimum * ((c >> 4) | ((b >> 6) << 4));
	}
}

const q4K: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	sixBitPairs(bytes, at, into, first);
	const { quantised } = into;
	for (let part = 0; part < 4; part++)
		for (let k = 0; k < 32; k++) {
			const byte = bytes[at + 16 + 32 * part + k] as number;
			quantised[to + 64 * part + k] = byte & 15;
			quantised[to + 64 * part + 32 + k] = byte >> 4;
		}
};

const q5K: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	sixBitPairs(bytes, at, into, first);
	const { quantised } = into;
	for (let part = 0; part < 4; part++)
		for (let k = 0; k < 32; k++) {
			const byte = bytes[at + 48 + 32 * part + k] as number;
			const fifth = (bytes[at + 16 + k] as number) >> (2 * part);
			quantised[to + 64 * part + k] = (byte & 15) | ((fifth & 1) << 4);
			quantised[to + 64 * part + 32 + k] = (byte >> 4) | ((fifth & 2) << 3);
		}
};

const q6K: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scale = half(bytes, at + 208);
	for (let block = 0; block < 16; block++)
		into.scales[first + block] = scale * (((bytes[at + 192 + block] as number) << 24) >> 24);
	const { quantised } = into;
	for (let part = 0; part < 2; part++)
		for (let k = 0; k < 32; k++) {
			const low = bytes[at + 64 * part + k] as number;
			const next = bytes[at + 64 * part + 32 + k] as number;
			const high = bytes[at + 128 + 32 * part + k] as number;
			const first = to + 128 * part + k;
			quantised[first] = ((low & 15) | ((high & 3) << 4)) + 96;
			quantised[first + 32] = ((next & 15) | ((high & 12) << 2)) + 96;
			quantised[first + 64] = ((low >> 4) | (high & 48)) + 96;
			quantised[first + 96] = ((next >> 4) | ((high & 192) >> 2)) + 96;
		}
};

const floatBits = new Uint8Array(4);
const float = new Float32Array(floatBits.buffer);

/** Q8_K: a float32 scale; the sums at the end are for products. */
const q8K: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	for (let k = 0; k < 4; k++) floatBits[k] = bytes[at + k] as number;
	into.scales[first] = float[0] as number;
	for (let k = 0; k < group; k++) into.quantised[to + k] = (bytes[at + 4 + k] as number) ^ 0x80;
};

const iq4Xs: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scale = half(bytes, at);
	const high = u16(bytes, at + 2);
	for (let block = 0; block < 8; block++) {
		const low = (bytes[at + 4 + (block >> 1)] as number) >> (4 * (block & 1));
		const whole = (low & 15) | (((high >> (2 * block)) & 3) << 4);
		into.scales[first + block] = scale * (whole - 32);
		lookedUp(bytes, at + 8 + 16 * block, into.quantised, to + 32 * block, 16, unevenValues);
	}
};

/** What a byte is multiplied by so that its next third comes to the top. */
const powersOf3 = [1, 3, 9, 27, 81];

/** TQ1_0: five numbers of three values in a byte, as a fraction in base 3; four in the last ones. */
const tq1: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	into.scales[first] = half(bytes, at + 52);
	let next = to;
	const take = (from: number, length: number, numbers: number): void => {
		for (let power = 0; power < numbers; power++)
			for (let k = 0; k < length; k++) {
				const rest = ((bytes[at + from + k] as number) * (powersOf3[power] as number)) & 255;
				into.quantised[next++] = 7 + ((rest * 3) >> 8);
			}
	};
	take(0, 32, 5);
	take(32, 16, 5);
	take(48, 4, 4);
};

const tq2: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	into.scales[first] = half(bytes, at + 64);
	twoBits(bytes, at, into.quantised, to);
	for (let k = to; k < to + group; k++) into.quantised[k] = (into.quantised[k] as number) + 7;
};

export const superTypes: readonly (readonly [number: number, type: GgmlDecoder])[] = [
	// As blocks it would be larger than its numbers quantised again.
	[10, { name: 'q2_k', group, bytes: 84, block: 16, zero: 0, decode: q2K }],
	[11, { name: 'q3_k', group, bytes: 110, block: 16, zero: 8, bits: 4, decode: q3K }],
	[12, { name: 'q4_k', group, bytes: 144, block: 32, zero: 0, bits: 4, decode: q4K }],
	[13, { name: 'q5_k', group, bytes: 176, block: 32, zero: 0, bits: 8, decode: q5K }],
	[14, { name: 'q6_k', group, bytes: 210, block: 16, zero: 128, bits: 8, decode: q6K }],
	[15, { name: 'q8_k', group, bytes: 292, block: 256, zero: 128, bits: 8, decode: q8K }],
	[23, { name: 'iq4_xs', group, bytes: 136, block: 32, zero: 128, bits: 8, decode: iq4Xs }],
	[34, { name: 'tq1_0', group, bytes: 54, block: 256, zero: 8, bits: 4, decode: tq1 }],
	[35, { name: 'tq2_0', group, bytes: 66, block: 256, zero: 8, bits: 4, decode: tq2 }],
];
