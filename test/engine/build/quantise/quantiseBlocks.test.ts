/** Quantisation without data: errors as low as they can be, and every odd block. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quantiseBlocks } from '../../../../server/engine/build/quantise/quantiseBlocks.ts';
import { quantiseRows, transpose } from '../../../../server/engine/build/quantise/rowInt8.ts';
import type { BlockForm, BlockRows } from '../../../../server/engine/build/sources/tensorSource.ts';
import { AppError } from '../../../../server/protocol/index.ts';

/** xorshift32: 0 to 1, neither of them. */
function randomNumbers(seed: number): () => number {
	let state = seed;
	return () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		return ((state >>> 0) + 0.5) / 2 ** 32;
	};
}

function normal(count: number, seed: number): Float32Array {
	const random = randomNumbers(seed);
	return Float32Array.from(
		{ length: count },
		() => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()),
	);
}

/** Student's t with five degrees of freedom: more numbers that are far out. */
function heavyTails(count: number, seed: number): Float32Array {
	const size = normal(count, seed);
	const five = normal(5 * count, seed + 1);
	return size.map((value, index) => {
		const squares = five
			.subarray(5 * index, 5 * index + 5)
			.reduce((sum, one) => sum + one * one, 0);
		return value / Math.sqrt(squares / 5);
	});
}

const form = (bits: 4 | 8, block: number, zeroPoints: boolean): BlockForm => ({
	bits,
	block,
	zeroPoints,
	residual: false,
});

/** The numbers that MatMulNBits makes of the blocks, without what fills the last block. */
function numbersOf(made: BlockRows, rows: number, columns: number): Float64Array {
	const { bits, block, packed, scales, zeroPoints } = made;
	const blocks = Math.ceil(columns / block);
	const pointBytes = bits === 8 ? blocks : Math.ceil(blocks / 2);
	const half = (bytes: Uint8Array, start: number, k: number) => {
		const byte = bytes[start + (bits === 8 ? k : k >> 1)] as number;
		return bits === 8 ? byte : k % 2 === 0 ? byte & 15 : byte >> 4;
	};
	const numbers = new Float64Array(rows * columns);
	for (let row = 0; row < rows; row++)
		for (let k = 0; k < columns; k++) {
			const at = Math.floor(k / block);
			const code = half(packed, (row * blocks * block * bits) / 8, k);
			const point =
				zeroPoints === undefined ? 2 ** (bits - 1) : half(zeroPoints, row * pointBytes, at);
			numbers[row * columns + k] = (scales[row * blocks + at] as number) * (code - point);
		}
	return numbers;
}

/** Root of the mean squared error, relative to the numbers, in per cent. */
function errorOf(found: ArrayLike<number>, numbers: Float32Array, weights?: Float32Array): number {
	let errors = 0;
	let squares = 0;
	for (const [index, value] of numbers.entries()) {
		const weight = weights?.[index % weights.length] ?? 1;
		errors += weight * ((found[index] as number) - value) ** 2;
		squares += weight * value ** 2;
	}
	return 100 * Math.sqrt(errors / squares);
}

const rows = 96;
const columns = 1536;

test('errors are those of a search, not of rounding', () => {
	const gauss = normal(rows * columns, 7);
	const tails = heavyTails(rows * columns, 11);
	// Per cent: what the best of many methods reached without data.
	const bars: [BlockForm, number, number][] = [
		[form(4, 64, true), 8.8, 10.95],
		[form(4, 32, true), 7.85, 9.1],
		[form(4, 128, true), 9.6, 12.8],
		[form(4, 64, false), 9.1, 12.4],
		[form(4, 32, false), 8.25, 10.5],
		[form(8, 128, false), 0.66, 1.12],
		[form(8, 32, true), 0.48, 0.56],
	];
	for (const [one, most, mostTails] of bars) {
		const name = JSON.stringify(one);
		const found = numbersOf(quantiseBlocks(gauss, rows, columns, one), rows, columns);
		const error = errorOf(found, gauss);
		assert.ok(error < most && error > most / 1.15, `${name}: ${error}`);
		const other = numbersOf(quantiseBlocks(tails, rows, columns, one), rows, columns);
		const otherError = errorOf(other, tails);
		assert.ok(otherError < mostTails && otherError > mostTails / 1.2, `${name}: ${otherError}`);
	}
});

/** The block's error if its whole range is rounded. */
function roundedError(block: Float32Array): number {
	const low = Math.min(0, ...block);
	const high = Math.max(0, ...block);
	const scale = (high - low) / 15;
	const point = Math.round(-low / scale);
	return block.reduce((sum, value) => {
		const code = Math.min(15, Math.max(0, Math.round(value / scale) + point));
		return sum + (scale * (code - point) - value) ** 2;
	}, 0);
}

test('no block is worse than its range rounded', () => {
	const numbers = heavyTails(64 * 512, 3);
	const found = numbersOf(quantiseBlocks(numbers, 512, 64, form(4, 64, true)), 512, 64);
	for (let block = 0; block < 512; block++) {
		const part = numbers.subarray(64 * block, 64 * block + 64);
		const error = part.reduce(
			(sum, value, k) => sum + ((found[64 * block + k] as number) - value) ** 2,
			0,
		);
		assert.ok(error <= roundedError(part) * 1.00001, `${block}: ${error}`);
	}
});

test('numbers that a form has are found again', () => {
	for (const bits of [4, 8] as const)
		for (const zeroPoints of [true, false]) {
			const random = randomNumbers(5);
			const most = 2 ** bits - 1;
			const numbers = Float32Array.from({ length: 32 * 40 }, (_, index) => {
				const point = zeroPoints ? (index >> 5) % (most + 1) : (most + 1) / 2;
				// Both ends of the range are there.
				const code =
					index % 32 === 3 ? 0 : index % 32 === 9 ? most : Math.floor(random() * (most + 1));
				return 0.0625 * (1 + (index >> 5)) * (code - point);
			});
			const found = numbersOf(quantiseBlocks(numbers, 20, 64, form(bits, 32, zeroPoints)), 20, 64);
			for (const [index, value] of numbers.entries())
				assert.ok(
					Math.abs((found[index] as number) - value) <= 1e-6 * Math.max(1, Math.abs(value)),
					`${bits} ${zeroPoints} ${index}: ${found[index]} instead of ${value}`,
				);
		}
});

test('odd blocks: zeros, one number, one sign, one value, very small and very large numbers', () => {
	const blocks: ((k: number) => number)[] = [
		() => 0,
		(k) => (k === 5 ? -3 : 0),
		(k) => 1 + k / 10,
		(k) => -1 - k / 10,
		() => 0.7,
		() => -0.7,
		(k) => (k % 2 ? 1e-30 : -1e-30) * k,
		(k) => (k % 2 ? 1e15 : -1e15) * k,
		(k) => (k % 7 ? 0 : -0),
	];
	const numbers = Float32Array.from({ length: blocks.length * 32 }, (_, index) =>
		(blocks[index >> 5] as (k: number) => number)(index % 32),
	);
	for (const bits of [4, 8] as const)
		for (const zeroPoints of [true, false]) {
			const made = quantiseBlocks(numbers, blocks.length, 32, form(bits, 32, zeroPoints));
			assert.ok(made.scales.every(Number.isFinite));
			const found = numbersOf(made, blocks.length, 32);
			for (const block of blocks.keys()) {
				const part = numbers.subarray(32 * block, 32 * block + 32);
				const size = Math.max(...part.map(Math.abs));
				// Numbers whose squares are no float32 any more become 0.
				const step = size < 1e-19 ? size : (2 * size) / (2 ** bits - 1);
				for (const [k, value] of part.entries())
					assert.ok(
						Math.abs((found[32 * block + k] as number) - value) <= step,
						`${bits} ${zeroPoints} block ${block}: ${found[32 * block + k]} for ${value}`,
					);
			}
		}
});

test('rows whose length is no multiple of the block end with zeros', () => {
	const numbers = normal(5 * 83, 23);
	for (const [bits, block] of [
		[4, 32],
		[8, 16],
		[4, 128],
	] as const) {
		const made = quantiseBlocks(numbers, 5, 83, form(bits, block, true));
		const width = Math.ceil(83 / block) * block;
		assert.equal(made.packed.length, (5 * width * bits) / 8);
		assert.equal(made.scales.length, (5 * width) / block);
		const padded = numbersOf(made, 5, width);
		for (let row = 0; row < 5; row++)
			assert.deepEqual(
				[...padded.subarray(row * width + 83, (row + 1) * width)].map(Math.abs),
				Array(width - 83).fill(0),
			);
		assert.ok(errorOf(numbersOf(made, 5, 83), numbers) < 11);
	}
});

test('rows are the same in whatever bands they come', () => {
	const numbers = heavyTails(300 * 416, 31);
	const one = form(4, 32, true);
	const whole = quantiseBlocks(numbers, 300, 416, one);
	const parts = [0, 1, 120, 300].flatMap((to, index, all) => {
		const from = all[index - 1];
		if (from === undefined) return [];
		return [quantiseBlocks(numbers.slice(from * 416, to * 416), to - from, 416, one)];
	});
	assert.deepEqual(Buffer.concat(parts.map(({ packed }) => packed)), Buffer.from(whole.packed));
	assert.deepEqual(
		parts.flatMap(({ scales }) => [...scales]),
		[...whole.scales],
	);
	assert.deepEqual(
		parts.flatMap(({ zeroPoints = [] }) => [...zeroPoints]),
		[...(whole.zeroPoints ?? [])],
	);
});

test('columns that count more have smaller errors', () => {
	const numbers = heavyTails(rows * columns, 41);
	const importance = Float32Array.from({ length: columns }, (_, k) => (k % 16 === 0 ? 60 : 1));
	for (const zeroPoints of [true, false]) {
		const one = form(4, 64, zeroPoints);
		const plain = numbersOf(quantiseBlocks(numbers, rows, columns, one), rows, columns);
		const weighted = numbersOf(
			quantiseBlocks(numbers, rows, columns, one, importance),
			rows,
			columns,
		);
		const before = errorOf(plain, numbers, importance);
		const after = errorOf(weighted, numbers, importance);
		assert.ok(after < 0.97 * before, `${after} instead of ${before}`);
		assert.ok(errorOf(weighted, numbers) > errorOf(plain, numbers));
	}
});

test('equal weights change nothing, and columns without any keep some', () => {
	const numbers = normal(8 * 256, 43);
	const one = form(4, 32, true);
	const plain = quantiseBlocks(numbers, 8, 256, one);
	assert.deepEqual(quantiseBlocks(numbers, 8, 256, one, new Float32Array(256).fill(2)), plain);
	assert.deepEqual(quantiseBlocks(numbers, 8, 256, one, new Float32Array(256)), plain);
	const half = Float32Array.from({ length: 256 }, (_, k) => (k < 128 ? 1 : 0));
	const found = numbersOf(quantiseBlocks(numbers, 8, 256, one, half), 8, 256);
	assert.ok(errorOf(found, numbers) < 9);
});

test('numbers that are not finite are refused', () => {
	for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
		const numbers = normal(64 * 64, 47);
		numbers[1234] = bad;
		for (const bits of [4, 8] as const)
			for (const zeroPoints of [true, false])
				assert.throws(
					() => quantiseBlocks(numbers, 64, 64, form(bits, 32, zeroPoints)),
					(error) => error instanceof AppError && error.code === 'unsupported_model',
				);
	}
});

test('rows of signed bytes have one scale each', () => {
	const numbers = heavyTails(37 * 250, 53);
	const { quantised, scales } = quantiseRows(numbers, 37, 250);
	assert.equal(scales.length, 37);
	const found = Float64Array.from(
		quantised,
		(value, index) => value * (scales[Math.floor(index / 250)] as number),
	);
	const error = errorOf(found, numbers);
	assert.ok(error < 1.35 && error > 0.8, String(error));
	const turned = transpose(quantised, 37, 250);
	for (let row = 0; row < 37; row++)
		for (let column = 0; column < 250; column++)
			assert.equal(turned[column * 37 + row], quantised[row * 250 + column]);
});
