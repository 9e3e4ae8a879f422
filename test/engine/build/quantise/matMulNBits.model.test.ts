/** ONNX Runtime reads the blocks of sources and of the quantiser as what they stand for. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { quantiseBlocks } from '../../../../server/engine/build/quantise/quantiseBlocks.ts';
import { ggmlTypes } from '../../../../server/engine/build/sources/ggmlTypes.ts';
import type { BlockRows } from '../../../../server/engine/build/sources/tensorSource.ts';
import { openRuntime } from '../../../../server/engine/verify/openRuntime.ts';
import { GraphBuilder, Random } from '../../../fixtures/graphBuilder.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const folder = temporaryFolder();
const bytesOf = (base64: string) => Uint8Array.from(Buffer.from(base64, 'base64'));

/** What the operators that a graph has for the blocks make of `x`. */
async function product(
	name: string,
	{ bits, block, packed, scales, zeroPoints, residual }: BlockRows,
	rows: number,
	columns: number,
	x: Float32Array,
): Promise<Float32Array> {
	const blocks = Math.ceil(columns / block);
	const path = join(folder, `${name}.onnx`);
	const builder = new GraphBuilder(path);
	builder.input('x', 'float32', ['n', columns]);
	const inputs = [
		'x',
		builder.weight('q', 'uint8', [rows, blocks, (block * bits) / 8], packed),
		builder.weight('s', 'float32', [rows * blocks], scales),
	];
	if (zeroPoints !== undefined)
		inputs.push(builder.weight('z', 'uint8', [zeroPoints.length], zeroPoints));
	const attributes = { K: columns, N: rows, bits, block_size: block };
	const main = builder.node('ms:MatMulNBits', inputs, attributes);
	if (residual === undefined) builder.node('Identity', [main], {}, 'y');
	else {
		const parts = builder.node('Reshape', ['x', builder.ints([-1, blocks, block])]);
		const sums = builder.node('ReduceSum', [parts, builder.ints([2])], { keepdims: 0 });
		const weight = builder.weight('r', 'float32', [rows, blocks], residual);
		const rest = builder.node('MatMul', [
			sums,
			builder.node('Transpose', [weight], { perm: [1, 0] }),
		]);
		builder.node('Add', [main, rest], {}, 'y');
	}
	builder.output('y', 'float32', ['n', rows]);
	builder.save();
	const session = await (await openRuntime()).open(path, { threads: 1 });
	const binding = session.createBinding();
	const y = new Float32Array(rows);
	binding.input('x', x, [1, columns]);
	binding.output('y', y, [1, rows]);
	await binding.run();
	binding.release();
	session.close();
	return y;
}

/** Compares each entry of a product with the sum it is, relative to the size of what is added. */
function checkProduct(
	name: string,
	y: Float32Array,
	numbers: Float32Array,
	x: Float32Array,
	tolerance: number,
) {
	for (const [row, found] of y.entries()) {
		let expected = 0;
		let size = 0;
		for (const [k, one] of x.entries()) {
			const term = one * (numbers[row * x.length + k] as number);
			expected += term;
			size += Math.abs(term);
		}
		assert.ok(
			Math.abs(found - expected) <= tolerance * size,
			`${name} ${row}: ${found}, not ${expected}`,
		);
	}
}

interface Sample {
	readonly type: number;
	readonly name: string;
	readonly group: number;
	readonly bytes: number;
	readonly stored: string;
}
const fixture = join(import.meta.dirname, '../../../fixtures/ggml/types.json');
const samples = JSON.parse(readFileSync(fixture, 'utf8')) as Sample[];

test('blocks of every ggml type that has them', async () => {
	const random = new Random(3);
	let tested = 0;
	for (const { type, name, group, bytes, stored } of samples) {
		const known = ggmlTypes.get(type);
		if (known?.toBlocks === undefined || known.read === undefined) continue;
		// An odd number of groups in a row, where there are enough of them.
		const perRow = group === 32 ? 3 : 1;
		const columns = group * perRow;
		const all = bytesOf(stored);
		const rows = Math.floor(all.length / bytes / perRow);
		const part = all.slice(0, rows * perRow * bytes);
		const x = Float32Array.from({ length: columns }, () => random.normal());
		const y = await product(name, known.toBlocks(part, rows, columns), rows, columns, x);
		checkProduct(name, y, known.read(part, rows * columns), x, 1e-5);
		tested++;
	}
	assert.equal(tested, 18);
});

test('blocks of the quantiser, also where they do not fill the last one', async () => {
	const random = new Random(5);
	for (const [bits, block, zeroPoints, columns] of [
		[4, 64, true, 192],
		[4, 32, true, 96],
		[4, 32, false, 96],
		[4, 16, true, 48],
		[4, 128, true, 200],
		[8, 128, false, 256],
		[8, 32, true, 70],
	] as const) {
		const name = `${bits} bits, block ${block}, ${columns} columns`;
		const rows = 7;
		const numbers = Float32Array.from({ length: rows * columns }, () => random.normal() + 0.3);
		const x = Float32Array.from({ length: columns }, () => random.normal());
		const form = { bits, block, zeroPoints, residual: false };
		const made = quantiseBlocks(numbers, rows, columns, form);
		const y = await product(name, made, rows, columns, x);
		// Half a step of the largest block, all of one sign, is far beyond this.
		checkProduct(name, y, numbers, x, bits === 4 ? 0.06 : 0.004);
	}
});
