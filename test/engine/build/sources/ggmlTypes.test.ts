/** Every ggml type against what llama.cpp's own library reads (test/fixtures/ggml/make.mjs). */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ggmlTypes } from '../../../../server/engine/build/sources/ggmlTypes.ts';
import type { BlockRows } from '../../../../server/engine/build/sources/tensorSource.ts';

interface Sample {
	readonly type: number;
	readonly name: string;
	readonly group: number;
	readonly bytes: number;
	readonly stored: string;
	readonly numbers: string;
}

const fixture = join(import.meta.dirname, '../../../fixtures/ggml/types.json');
const samples = JSON.parse(readFileSync(fixture, 'utf8')) as Sample[];
const bytesOf = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'));
const numbersOf = (base64: string) => new Float32Array(bytesOf(base64).buffer);

test('every type that the library reads is read', () => {
	assert.equal(samples.length, 26);
	for (const { type, name, group, bytes } of samples) {
		const known = ggmlTypes.get(type);
		assert.deepEqual({ ...known, name, group, bytes }, known, name);
		assert.ok(known?.read, name);
	}
});

for (const { type, name, stored, numbers } of samples)
	test(`${name} gives the numbers of the library, to the last bit`, () => {
		const expected = numbersOf(numbers);
		assert.ok(expected.some((value) => value > 0) && expected.some((value) => value < 0));
		const read = ggmlTypes.get(type)?.read?.(bytesOf(stored), expected.length);
		assert.deepEqual(read, expected);
	});

/** What MatMulNBits makes of blocks, with the residual added. */
function fromBlocks(rows: BlockRows): { numbers: Float64Array; sizes: Float64Array } {
	const { bits, block, packed, scales, zeroPoints, residual } = rows;
	const count = scales.length * block;
	const numbers = new Float64Array(count);
	const sizes = new Float64Array(count);
	for (let k = 0; k < count; k++) {
		const at = Math.floor(k / block);
		const byte = packed[bits === 8 ? k : k >> 1] as number;
		const quantised = bits === 8 ? byte : k % 2 === 0 ? byte & 15 : byte >> 4;
		const points = zeroPoints?.[bits === 8 ? at : at >> 1];
		const point =
			points === undefined
				? bits === 8
					? 128
					: 8
				: bits === 8
					? points
					: at % 2 === 0
						? points & 15
						: points >> 4;
		const product = (scales[at] as number) * (quantised - point);
		numbers[k] = product + (residual?.[at] ?? 0);
		sizes[k] = Math.abs(product) + Math.abs(residual?.[at] ?? 0);
	}
	return { numbers, sizes };
}

const exact = {
	q4_0: [4, 32],
	q4_1: [4, 32, 'residual'],
	q5_0: [8, 32],
	q5_1: [8, 32, 'residual'],
	q8_0: [8, 32],
	q3_k: [4, 16],
	q4_k: [4, 32, 'residual'],
	q5_k: [8, 32, 'residual'],
	q6_k: [8, 16],
	q8_k: [8, 256],
	iq4_nl: [8, 32],
	iq4_xs: [8, 32],
	mxfp4: [8, 32],
	nvfp4: [8, 16],
	tq1_0: [4, 256],
	tq2_0: [4, 256],
	q1_0: [4, 128],
	q2_0: [4, 64],
} as const;

test('the types with an exact form of blocks are these', () => {
	const forms = [...ggmlTypes.values()].flatMap(({ name, blocks }) =>
		blocks === undefined
			? []
			: [[name, [blocks.bits, blocks.block, ...(blocks.residual ? ['residual'] : [])]] as const],
	);
	assert.deepEqual(Object.fromEntries(forms), exact);
});

for (const { type, name, stored, numbers } of samples) {
	const known = ggmlTypes.get(type);
	if (known?.blocks === undefined) continue;
	test(`the blocks of ${name} hold the same numbers`, () => {
		const expected = numbersOf(numbers);
		const rows = known.toBlocks?.(bytesOf(stored), 1, expected.length);
		assert.ok(rows);
		const { bits, block, residual, zeroPoints } = known.blocks ?? {};
		assert.equal(rows.bits, bits);
		assert.equal(rows.block, block);
		assert.equal(rows.residual !== undefined, residual);
		assert.equal(rows.zeroPoints !== undefined, zeroPoints);
		const { numbers: found, sizes } = fromBlocks(rows);
		for (const [index, value] of expected.entries())
			assert.ok(
				Math.abs((found[index] as number) - value) <= 2 ** -22 * (sizes[index] as number),
				`${index}: ${found[index]} instead of ${value}`,
			);
	});
}

test('zero points of blocks keep quantised numbers centred', () => {
	const sample = samples.find(({ name }) => name === 'q4_k');
	assert.ok(sample);
	// The first group is what the library quantised: its minima are within reach of 4 bits.
	const rows = ggmlTypes.get(sample.type)?.toBlocks?.(bytesOf(sample.stored).slice(0, 144), 1, 256);
	assert.ok(rows?.residual && rows.zeroPoints);
	for (const [index, rest] of rows.residual.entries())
		assert.ok(Math.abs(rest) <= Math.abs(rows.scales[index] as number) / 2 + 1e-9, String(index));
	assert.ok(rows.zeroPoints.some((point) => point > 0));
});

test('each row begins with a zero point of its own byte', () => {
	const sample = samples.find(({ name }) => name === 'q4_1');
	const type = ggmlTypes.get(3);
	assert.ok(sample && type?.toBlocks);
	// Rows of one and of three blocks: the last half of a byte is not used.
	const stored = bytesOf(sample.stored).slice(0, 6 * sample.bytes);
	const single = type.toBlocks(stored, 6, 32).zeroPoints;
	const triple = type.toBlocks(stored, 2, 96).zeroPoints;
	assert.ok(single && triple);
	const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = single;
	assert.deepEqual([...triple], [a | (b << 4), c, d | (e << 4), f]);
	assert.ok(single.some((point) => point > 0));
});
