/**
 * ggml types whose numbers are chosen four or eight at a time from a grid of good combinations
 * (ggml-common.h, `block_iq2_xxs` and so on). They are read as numbers: as blocks they would need 8 bits.
 */

import { fromFloat16 } from '../../runtime/float16.ts';
import { type GgmlDecoder, type Integers, u16 } from './ggmlDecoder.ts';
import { grids } from './ggmlGrids.ts';

const half = (bytes: Uint8Array, at: number) => fromFloat16(u16(bytes, at));
const group = 256;
const zero = 128;
const bytesAt = (bytes: Uint8Array, at: number) => bytes[at] as number;

/** A grid, one signed number after the other. */
function unpack(
	base64: string,
	entries: number,
	perEntry: number,
	bits: number,
	values: readonly number[],
): Int8Array {
	const packed = Buffer.from(base64, 'base64');
	const grid = new Int8Array(entries * perEntry);
	for (let k = 0; k < grid.length; k++) {
		const bit = k * bits;
		const pair = (packed[bit >> 3] as number) | ((packed[(bit >> 3) + 1] ?? 0) << 8);
		grid[k] = values[(pair >> (bit & 7)) & ((1 << bits) - 1)] as number;
	}
	return grid;
}

const lazy = <Value>(make: () => Value): (() => Value) => {
	let made: Value | undefined;
	return () => (made ??= make());
};

const ofEight = [8, 25, 43];
const iq2xxs = lazy(() => unpack(grids.iq2xxs, 256, 8, 2, ofEight));
const iq2xs = lazy(() => unpack(grids.iq2xs, 512, 8, 2, ofEight));
const iq2s = lazy(() => unpack(grids.iq2s, 1024, 8, 2, ofEight));
const iq3xxs = lazy(() => unpack(grids.iq3xxs, 256, 4, 3, [4, 12, 20, 28, 36, 44, 52, 62]));
const iq3s = lazy(() => unpack(grids.iq3s, 512, 4, 3, [1, 3, 5, 7, 9, 11, 13, 15]));
/** Eight times the numbers, so that an eighth more or less is a whole number too. */
const iq1 = lazy(() => unpack(grids.iq1, 2048, 8, 2, [-8, 0, 8]));

/** Signs of eight numbers in seven bits: the eighth makes their number even. */
function eighthSign(seven: number): number {
	let parity = seven ^ (seven >> 4);
	parity ^= parity >> 2;
	parity ^= parity >> 1;
	return seven | ((parity & 1) << 7);
}

/** `length` numbers of a grid's entry, negative where a bit of `signs` is 1. */
function signed(
	into: Uint8Array,
	to: number,
	grid: Int8Array,
	entry: number,
	length: number,
	signs: number,
): void {
	const from = entry * length;
	for (let k = 0; k < length; k++) {
		const value = grid[from + k] as number;
		into[to + k] = zero + ((signs >> k) & 1 ? -value : value);
	}
}

/** 32 bits from the byte `at`. */
function u32(bytes: Uint8Array, at: number): number {
	return (u16(bytes, at) | (u16(bytes, at + 2) << 16)) >>> 0;
}

const iq2Xxs: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scale = half(bytes, at);
	for (let block = 0; block < 8; block++) {
		const from = at + 2 + 8 * block;
		const rest = u32(bytes, from + 4);
		into.scales[first + block] = scale * (0.5 + (rest >>> 28)) * 0.25;
		for (let k = 0; k < 4; k++) {
			const signs = eighthSign((rest >>> (7 * k)) & 127);
			const next = to + 32 * block + 8 * k;
			signed(into.quantised, next, iq2xxs(), bytesAt(bytes, from + k), 8, signs);
		}
	}
};

/** Two scales of 4 bits in a byte, for 16 numbers each. */
function pairsOfScales(
	bytes: Uint8Array,
	at: number,
	scale: number,
	into: Integers,
	first: number,
) {
	for (let block = 0; block < 8; block++) {
		const both = bytesAt(bytes, at + block);
		into.scales[first + 2 * block] = scale * (0.5 + (both & 15)) * 0.25;
		into.scales[first + 2 * block + 1] = scale * (0.5 + (both >> 4)) * 0.25;
	}
}

const iq2Xs: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	pairsOfScales(bytes, at + 66, half(bytes, at), into, first);
	for (let k = 0; k < 32; k++) {
		const both = u16(bytes, at + 2 + 2 * k);
		signed(into.quantised, to + 8 * k, iq2xs(), both & 511, 8, eighthSign(both >> 9));
	}
};

const iq2S: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	pairsOfScales(bytes, at + 74, half(bytes, at), into, first);
	for (let k = 0; k < 32; k++) {
		const high = (bytesAt(bytes, at + 66 + (k >> 2)) >> (2 * (k & 3))) & 3;
		const entry = bytesAt(bytes, at + 2 + k) | (high << 8);
		signed(into.quantised, to + 8 * k, iq2s(), entry, 8, bytesAt(bytes, at + 34 + k));
	}
};

const iq3Xxs: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scale = half(bytes, at);
	for (let block = 0; block < 8; block++) {
		const rest = u32(bytes, at + 66 + 4 * block);
		into.scales[first + block] = scale * (0.5 + (rest >>> 28)) * 0.5;
		for (let k = 0; k < 8; k++) {
			const signs = eighthSign((rest >>> (7 * (k >> 1))) & 127) >> (4 * (k & 1));
			const entry = bytesAt(bytes, at + 2 + 8 * block + k);
			signed(into.quantised, to + 32 * block + 4 * k, iq3xxs(), entry, 4, signs);
		}
	}
};

const iq3S: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scale = half(bytes, at);
	for (let block = 0; block < 8; block++) {
		const odd = bytesAt(bytes, at + 106 + (block >> 1)) >> (4 * (block & 1));
		into.scales[first + block] = scale * (1 + 2 * (odd & 15));
		const high = bytesAt(bytes, at + 66 + block);
		for (let k = 0; k < 8; k++) {
			const entry = bytesAt(bytes, at + 2 + 8 * block + k) | (((high >> k) & 1) << 8);
			const signs = bytesAt(bytes, at + 74 + 4 * block + (k >> 1)) >> (4 * (k & 1));
			signed(into.quantised, to + 32 * block + 4 * k, iq3s(), entry, 4, signs);
		}
	}
};

/** Eight numbers of the grid of three values, and an eighth more or less for all. */
function shifted(into: Uint8Array, to: number, entry: number, isLess: boolean): void {
	const grid = iq1();
	const middle = isLess ? zero - 1 : zero + 1;
	for (let k = 0; k < 8; k++) into[to + k] = middle + (grid[8 * entry + k] as number);
}

const iq1S: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scale = half(bytes, at);
	for (let block = 0; block < 8; block++) {
		const high = u16(bytes, at + 34 + 2 * block);
		into.scales[first + block] = (scale * (2 * ((high >> 12) & 7) + 1)) / 8;
		for (let k = 0; k < 4; k++) {
			const entry = bytesAt(bytes, at + 2 + 4 * block + k) | (((high >> (3 * k)) & 7) << 8);
			shifted(into.quantised, to + 32 * block + 8 * k, entry, high >= 0x8000);
		}
	}
};

const iq1M: GgmlDecoder['decode'] = (bytes, at, into, to, first) => {
	const scales = [0, 1, 2, 3].map((k) => u16(bytes, at + 48 + 2 * k)) as [
		number,
		number,
		number,
		number,
	];
	// The scale of all is in the upper four bits of the four.
	const scale = fromFloat16(
		scales.reduce((bits, four, index) => bits | ((four >> 12) << (4 * index)), 0),
	);
	for (let block = 0; block < 16; block++) {
		const own = ((scales[block >> 2] as number) >> (3 * (block & 3))) & 7;
		into.scales[first + block] = (scale * (2 * own + 1)) / 8;
		const high = bytesAt(bytes, at + 32 + block);
		for (let k = 0; k < 2; k++) {
			const four = (high >> (4 * k)) & 15;
			const entry = bytesAt(bytes, at + 2 * block + k) | ((four & 7) << 8);
			shifted(into.quantised, to + 16 * block + 8 * k, entry, four >= 8);
		}
	}
};

export const gridTypes: readonly (readonly [number: number, type: GgmlDecoder])[] = [
	[16, { name: 'iq2_xxs', group, bytes: 66, block: 32, zero, decode: iq2Xxs }],
	[17, { name: 'iq2_xs', group, bytes: 74, block: 16, zero, decode: iq2Xs }],
	[18, { name: 'iq3_xxs', group, bytes: 98, block: 32, zero, decode: iq3Xxs }],
	[19, { name: 'iq1_s', group, bytes: 50, block: 32, zero, decode: iq1S }],
	[21, { name: 'iq3_s', group, bytes: 110, block: 32, zero, decode: iq3S }],
	[22, { name: 'iq2_s', group, bytes: 82, block: 16, zero, decode: iq2S }],
	[29, { name: 'iq1_m', group, bytes: 56, block: 16, zero, decode: iq1M }],
];
