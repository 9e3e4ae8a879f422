/** safetensors: types, shards, quantised matrices, and files that are refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { openSafetensors } from '../../../../server/engine/build/sources/safetensors.ts';
import type {
	BlockRows,
	TensorSource,
} from '../../../../server/engine/build/sources/tensorSource.ts';
import { AppError } from '../../../../server/protocol/index.ts';
import {
	awq,
	type Codes,
	codes,
	gptq,
	grouped,
	rowFactors,
	wordRows,
} from '../../../fixtures/quantisedWeights.ts';
import {
	bytesOf,
	float32Tensor,
	type SafeTensor,
	safetensorsBytes,
} from '../../../fixtures/weightFiles.ts';

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const openAll = (files: Readonly<Record<string, Uint8Array>>): Promise<TensorSource> =>
	openSafetensors(
		new Map(Object.entries(files).map(([name, bytes]) => [name, memoryBytes(bytes, name)])),
	);
const open = (tensors: Readonly<Record<string, SafeTensor>>, config: object = {}) =>
	openAll({ 'model.safetensors': safetensorsBytes(tensors), 'config.json': json(config) });

const refused = async (promise: Promise<unknown>, ...words: string[]): Promise<void> => {
	await assert.rejects(promise, (error) => {
		assert.ok(error instanceof AppError, String(error));
		assert.equal(error.code, 'unsupported_model');
		for (const word of words) assert.ok(error.message.includes(word), error.message);
		return true;
	});
};

test('every type of plain numbers', async () => {
	const tensors: Record<string, SafeTensor> = {
		f64: { dtype: 'F64', shape: [2], bytes: bytesOf(Float64Array.of(0.5, -3)) },
		f32: float32Tensor([2], [0.1, -2]),
		f16: { dtype: 'F16', shape: [3], bytes: bytesOf(Uint16Array.of(0x3c01, 0xfbff, 0x8001)) },
		bf16: { dtype: 'BF16', shape: [2], bytes: bytesOf(Uint16Array.of(0x3f81, 0xc2f7)) },
		e4m3: {
			dtype: 'F8_E4M3',
			shape: [6],
			bytes: Uint8Array.of(0x00, 0x01, 0x38, 0xb9, 0x7e, 0x08),
		},
		e5m2: { dtype: 'F8_E5M2', shape: [5], bytes: Uint8Array.of(0x01, 0x3c, 0xbd, 0x7b, 0x7c) },
		i64: { dtype: 'I64', shape: [2], bytes: bytesOf(BigInt64Array.of(-3n, 7n)) },
		i32: { dtype: 'I32', shape: [2], bytes: bytesOf(Int32Array.of(-3, 7)) },
		i16: { dtype: 'I16', shape: [2], bytes: bytesOf(Int16Array.of(-300, 7)) },
		i8: { dtype: 'I8', shape: [2], bytes: Uint8Array.of(0xfd, 7) },
		u8: { dtype: 'U8', shape: [2], bytes: Uint8Array.of(0xfd, 7) },
		bool: { dtype: 'BOOL', shape: [3], bytes: Uint8Array.of(0, 1, 1) },
		single: float32Tensor([], [42]),
	};
	await using source = await open(tensors);
	const numbers: Record<string, number[]> = {};
	for (const name of Object.keys(tensors)) numbers[name] = [...(await source.rows(name, 0, 1))];
	assert.deepEqual(numbers, {
		f64: [0.5, -3],
		f32: [Math.fround(0.1), -2],
		f16: [1 + 2 ** -10, -65_504, -(2 ** -24)],
		bf16: [1 + 2 ** -7, -123.5],
		// 2⁻⁹ is the smallest number, 448 the largest.
		e4m3: [0, 2 ** -9, 1, -1.125, 448, 2 ** -6],
		e5m2: [2 ** -16, 1, -1.25, 57_344, Number.POSITIVE_INFINITY],
		i64: [-3, 7],
		i32: [-3, 7],
		i16: [-300, 7],
		i8: [-3, 7],
		u8: [253, 7],
		bool: [0, 1, 1],
		single: [42],
	});
	assert.deepEqual(source.tensors.get('bf16'), {
		name: 'bf16',
		shape: [2],
		type: 'bf16',
		bytesPerRow: 4,
	});
});

test('rows of matrices and of more dimensions, at any place of the file', async () => {
	await using source = await open({
		odd: { dtype: 'U8', shape: [3], bytes: Uint8Array.of(1, 2, 3) },
		matrix: float32Tensor([3, 2], [1, 2, 3, 4, 5, 6]),
		cube: float32Tensor([2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8]),
	});
	assert.deepEqual([...(await source.rows('matrix', 1, 3))], [3, 4, 5, 6]);
	assert.deepEqual([...(await source.rows('cube', 2, 3))], [5, 6]);
	assert.deepEqual([...(await source.raw('odd', 0, 1))], [1, 2, 3]);
	await assert.rejects(source.rows('matrix', 0, 4), RangeError);
	await assert.rejects(source.rows('absent', 0, 1), RangeError);
});

test('shards are one source, by their index or by their names', async () => {
	const shards = {
		'model-00001-of-00002.safetensors': safetensorsBytes(
			{ a: float32Tensor([1], [1]), old: float32Tensor([1], [9]) },
			{ format: 'pt' },
		),
		'model-00002-of-00002.safetensors': safetensorsBytes({ b: float32Tensor([2], [2, 3]) }),
	};
	const index = (map: object) => ({ 'model.safetensors.index.json': json({ weight_map: map }) });
	const [one = '', two = ''] = Object.keys(shards);
	await using listed = await openAll({ ...shards, ...index({ a: one, b: two }) });
	assert.deepEqual([...listed.tensors.keys()], ['a', 'b']);
	assert.equal(listed.metadata.get('format'), 'pt');
	assert.deepEqual([...(await listed.rows('b', 0, 1))], [2, 3]);
	await using named = await openAll(shards);
	assert.deepEqual([...named.tensors.keys()], ['a', 'old', 'b']);

	await refused(openAll({ [one]: shards['model-00001-of-00002.safetensors'] }), one, '2 files');
	await refused(openAll({ ...shards, ...index({ a: one, c: two }) }), two, '"c"');
	await refused(openAll({ ...shards, ...index({ a: 'other.safetensors' }) }), 'other.safetensors');
	await refused(openAll({ ...shards, ...index({ a: 3 }) }), 'index', '"a"');
	await refused(openAll({ ...shards, 'model.safetensors.index.json': json({}) }), 'weight_map');
	await using whole = await openAll({
		'model.safetensors': shards['model-00001-of-00002.safetensors'],
		...index({ a: one, b: two }),
	});
	assert.deepEqual([...whole.tensors.keys()], ['a', 'old'], 'an index of parts that are no more');
	const twice = { ...shards, [two]: shards['model-00001-of-00002.safetensors'] };
	await refused(openAll(twice), two, '"a"');
	await refused(openAll({}), 'missing');
});

test('one model among other files of a folder', async () => {
	const model = safetensorsBytes({ a: float32Tensor([1], [1]) });
	const other = safetensorsBytes({ b: float32Tensor([1], [1]) });
	await using source = await openAll({
		'consolidated.safetensors': other,
		'model.safetensors': model,
	});
	assert.deepEqual([...source.tensors.keys()], ['a']);
	await using single = await openAll({ 'weights.safetensors': other });
	assert.deepEqual([...single.tensors.keys()], ['b']);
	await refused(
		openAll({ 'a.safetensors': model, 'b.safetensors': other }),
		'no index says which is the model',
	);
});

test('tensors that cannot be are refused by name', async () => {
	const file = (header: unknown, data = 64): Uint8Array => {
		const text = json(header);
		const bytes = new Uint8Array(8 + text.length + data);
		new DataView(bytes.buffer).setBigUint64(0, BigInt(text.length), true);
		bytes.set(text, 8);
		return bytes;
	};
	const bad = (entry: unknown, ...words: string[]) =>
		refused(openAll({ 'model.safetensors': file({ 'h.w': entry }) }), '"h.w"', ...words);
	const good = { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] };
	await using source = await openAll({ 'model.safetensors': file({ 'h.w': good }) });
	assert.equal(source.tensors.size, 1);
	await bad({ ...good, dtype: 'F4_X' }, 'F4_X');
	await bad({ ...good, dtype: 3 }, '3');
	await bad({ ...good, shape: [2, -2] }, '-2');
	await bad({ ...good, shape: [2, 1.5] }, '1.5');
	await bad({ ...good, shape: [2 ** 30, 2 ** 30] });
	await bad({ ...good, shape: 'x' }, 'shape');
	await bad({ ...good, data_offsets: [0, 12] }, '16 bytes');
	await bad({ ...good, data_offsets: [-4, 12] }, '-4');
	await bad({ ...good, data_offsets: [64, 80] }, 'beyond');
	await bad({ ...good, data_offsets: [0] }, 'place');
	await bad({ ...good, data_offsets: [0.5, 16.5] });
	await bad(null);
	await bad([]);
	const many = Object.fromEntries(Array.from({ length: 5 }, (_, k) => [`t${k}`, good]));
	await refused(openAll({ 'model.safetensors': file(many) }), 'overlap', '"t0"', '"t1"');
	for (const data_offsets of [good.data_offsets, [12, 28]])
		await refused(
			openAll({ 'model.safetensors': file({ 'a.w': good, 'b.w': { ...good, data_offsets } }) }),
			'overlap',
			'"a.w"',
			'"b.w"',
		);
	await refused(openAll({ 'model.safetensors': file([]) }), 'not a JSON object');
	const whole = file({ 'h.w': good });
	for (let length = 0; length < whole.length; length++) {
		const cut = whole.slice(0, length);
		const opened = openAll({ 'model.safetensors': cut });
		// The tensor ends before the file does.
		if (length < whole.length - 48) await refused(opened, 'model.safetensors');
		else await (await opened)[Symbol.asyncDispose]();
	}
	for (const length of [2n ** 64n - 1n, 2n ** 62n, 2n ** 31n, 1000n]) {
		const long = whole.slice();
		new DataView(long.buffer).setBigUint64(0, length, true);
		await refused(openAll({ 'model.safetensors': long }), 'model.safetensors', String(length));
	}
	const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
	const bytes = file({ x: 1 }, 0);
	const text = new TextEncoder().encode(deep);
	const nested = new Uint8Array(8 + text.length);
	new DataView(nested.buffer).setBigUint64(0, BigInt(text.length), true);
	nested.set(text, 8);
	await refused(openAll({ 'model.safetensors': nested }), 'deep');
	bytes[8] = 0x21;
	await refused(openAll({ 'model.safetensors': bytes }), 'JSON');
});

function fromBlocks(
	{ bits, block, packed: bytes, scales, zeroPoints }: BlockRows,
	columns: number,
) {
	const blocks = columns / block;
	const perRow = bits === 8 ? blocks : Math.ceil(blocks / 2);
	const at = (from: Uint8Array, start: number, k: number) =>
		bits === 8
			? (from[start + k] as number)
			: ((from[start + (k >> 1)] as number) >> (4 * (k % 2))) & 15;
	return Array.from({ length: scales.length * block }, (_, index) => {
		const row = Math.floor(index / columns);
		const group = Math.floor((index % columns) / block);
		const point = at(zeroPoints as Uint8Array, row * perRow, group);
		return (scales[row * blocks + group] as number) * (at(bytes, 0, index) - point);
	});
}

for (const [name, bits, method, tensors] of [
	['GPTQ of 4 bits', 4, 'gptq', (made: Codes) => gptq(made, 4, 1)],
	['GPTQ of 8 bits', 8, 'gptq', (made: Codes) => gptq(made, 8, 1)],
	['AWQ', 4, 'awq', awq],
] as const)
	test(`${name} is read as numbers and as blocks`, async () => {
		const made = codes(24, 96, grouped(96, 32), 2 ** bits - 1);
		const config = { quantization_config: { quant_method: method, bits, group_size: 32 } };
		await using source = await open(
			{ ...tensors(made), 'l.bias': float32Tensor([24], made.numbers.slice(0, 24)) },
			config,
		);
		assert.deepEqual([...source.tensors.keys()].sort(), ['l.bias', 'l.weight']);
		assert.deepEqual(source.tensors.get('l.weight'), {
			name: 'l.weight',
			shape: [24, 96],
			type: `${method}${bits}`,
			bytesPerRow: 0,
			blocks: { bits, block: 32, zeroPoints: true, residual: false },
		});
		assert.deepEqual([...(await source.rows('l.weight', 0, 24))], made.numbers);
		assert.deepEqual(
			[...(await source.rows('l.weight', 7, 19))],
			made.numbers.slice(7 * 96, 19 * 96),
		);
		const blocks = await source.blocks?.('l.weight', 5, 16);
		assert.ok(blocks);
		assert.deepEqual(fromBlocks(blocks, 96), made.numbers.slice(5 * 96, 16 * 96));
		await assert.rejects(source.raw('l.weight', 0, 1), RangeError);
		await assert.rejects(source.rows('l.weight', 0, 25), RangeError);
		assert.equal((await source.rows('l.bias', 0, 1)).length, 24);
	});

test('GPTQ of the second form, of one group, and with inputs in an order of their own', async () => {
	const second = codes(16, 64, grouped(64, 32), 15);
	const settings = { quant_method: 'gptq', bits: 4, group_size: 32 };
	await using v2 = await open(gptq(second, 4, 0), {
		quantization_config: { ...settings, checkpoint_format: 'gptq_v2' },
	});
	assert.deepEqual([...(await v2.rows('l.weight', 0, 16))], second.numbers);

	const single = codes(8, 48, grouped(48, 48), 15);
	await using whole = await openAll({
		'model.safetensors': safetensorsBytes(gptq(single, 4, 1)),
		'quantize_config.json': json({ bits: 4, group_size: -1 }),
	});
	assert.equal(whole.tensors.get('l.weight')?.blocks, undefined);
	assert.deepEqual([...(await whole.rows('l.weight', 0, 8))], single.numbers);

	const order = Array.from({ length: 64 }, (_, k) => ((k * 7) % 64) >> 5);
	const mixed = codes(8, 64, order, 15);
	const tensors = {
		...gptq(mixed, 4, 1),
		'l.g_idx': { dtype: 'I32', shape: [64], bytes: bytesOf(Int32Array.from(order)) },
	};
	await using acted = await open(tensors, { quantization_config: { ...settings, desc_act: true } });
	assert.equal(acted.tensors.get('l.weight')?.blocks, undefined);
	assert.deepEqual([...acted.tensors.keys()], ['l.weight']);
	assert.deepEqual([...(await acted.rows('l.weight', 0, 8))], mixed.numbers);
	// What the settings deny is not believed.
	await using denied = await open(tensors, { quantization_config: settings });
	await refused(denied.rows('l.weight', 0, 8), '"l"', 'another order');
	const wild = {
		...tensors,
		'l.g_idx': { ...tensors['l.g_idx'], bytes: bytesOf(new Int32Array(64).fill(7)) },
	};
	await using outside = await open(wild, { quantization_config: { ...settings, desc_act: true } });
	await refused(outside.rows('l.weight', 0, 8), '"l"', 'not there');
});

test('packed matrices whose parts do not fit, or that nothing explains, are refused', async () => {
	const made = codes(16, 64, grouped(64, 32), 15);
	const good = gptq(made, 4, 1);
	const settings = { quant_method: 'gptq', bits: 4, group_size: 32 };
	const bad = (tensors: Record<string, SafeTensor>, more: object, ...words: string[]) =>
		refused(open(tensors, { quantization_config: { ...settings, ...more } }), ...words);
	await refused(open(good), '"l.qweight"');
	await bad(good, { group_size: 16 }, '"l"', 'fit');
	await bad(good, { bits: 8 }, '"l"', 'fit');
	await bad(good, { bits: 3 }, '"l"', '3 bits');
	await bad(good, { quant_method: 'bitsandbytes' }, 'bitsandbytes');
	await bad(good, { quant_method: 'awq', version: 'gemv' }, '"gemv"');
	await bad(good, { quant_method: 'fp8' }, '"l.qweight"');
	const { 'l.scales': scales, ...others } = good;
	await bad(others, {}, '"l"', 'scales');
	assert.ok(scales);
	await bad({ ...good, 'l.scales': { ...scales, dtype: 'BF16' } }, {}, '"l"', 'scales');
	await bad({ ...good, 'l.g_idx': float32Tensor([64], Array(64).fill(0)) }, {}, '"l"', 'fit');
	await refused(
		open(
			{ 'x.weight_g_idx': float32Tensor([1], [1]) },
			{ quantization_config: { quant_method: 'compressed-tensors' } },
		),
		'x.weight_g_idx',
	);
});

test('numbers of 8 bits are multiplied by one scale, by one per row, or by one per square', async () => {
	const bytes = Uint8Array.from({ length: 5 * 6 }, (_, k) => 0x38 + (k % 3) * 8);
	const weight = { dtype: 'F8_E4M3', shape: [5, 6], bytes };
	const value = (k: number) => 2 ** (k % 3);
	const config = { quantization_config: { quant_method: 'fp8', weight_block_size: [2, 4] } };
	const read = async (scales: Record<string, SafeTensor>) => {
		await using source = await open({ 'a.weight': weight, ...scales }, config);
		assert.deepEqual([...source.tensors.keys()], ['a.weight']);
		const all = [...(await source.rows('a.weight', 0, 5))];
		assert.deepEqual([...(await source.rows('a.weight', 3, 5))], all.slice(18));
		return all;
	};
	const numbers = (factor: (row: number, k: number) => number) =>
		Array.from({ length: 30 }, (_, at) => value(at) * factor(Math.floor(at / 6), at % 6));
	assert.deepEqual(
		await read({ 'a.weight_scale': float32Tensor([], [3]) }),
		numbers(() => 3),
	);
	assert.deepEqual(
		await read({ 'a.weight_scale': float32Tensor([5, 1], [1, 2, 3, 4, 5]) }),
		numbers((row) => row + 1),
	);
	const squares = [1, 2, 3, 4, 5, 6];
	assert.deepEqual(
		await read({ 'a.weight_scale_inv': float32Tensor([3, 2], squares) }),
		numbers((row, k) => squares[Math.floor(row / 2) * 2 + Math.floor(k / 4)] as number),
	);
	await refused(
		open({ 'a.weight': weight, 'a.weight_scale': float32Tensor([3], [1, 2, 3]) }, config),
		'"a.weight"',
		'1 × 3',
	);
	await using plain = await open({ 'a.weight': weight });
	assert.deepEqual(
		[...(await plain.rows('a.weight', 0, 5))],
		numbers(() => 1),
	);
	const whole = { dtype: 'I8', shape: [1, 2], bytes: Uint8Array.of(0xff, 2) };
	await using int8 = await open(
		{ 'b.weight': whole, 'b.weight_scale': float32Tensor([1, 1], [0.5]) },
		{ quantization_config: { quant_method: 'compressed-tensors' } },
	);
	assert.deepEqual([...(await int8.rows('b.weight', 0, 1))], [-0.5, 1]);
});

test('MLX: rows of words with a scale and a bias for each group', async () => {
	for (const bits of [4, 8] as const) {
		const made = codes(6, 96, grouped(96, 32), 2 ** bits - 1);
		const scale = (row: number, group: number) => made.scale[row]?.[group] as number;
		// A bias that is no whole number of scales.
		const bias = (row: number, group: number) =>
			scale(row, group) * (0.25 - (made.zero[row]?.[group] as number));
		const tensors = {
			'l.weight': wordRows(made, bits, 'U32'),
			'l.scales': rowFactors(made, scale),
			'l.biases': rowFactors(made, bias),
			'n.weight': float32Tensor([2], [1, 2]),
		};
		const settings = { group_size: 32, bits: 3, l: { group_size: 32, bits } };
		await using source = await open(tensors, {
			quantization: settings,
			quantization_config: settings,
		});
		assert.deepEqual([...source.tensors.keys()].sort(), ['l.weight', 'n.weight']);
		assert.deepEqual(source.tensors.get('l.weight'), {
			name: 'l.weight',
			shape: [6, 96],
			type: `mlx${bits}`,
			bytesPerRow: 0,
			blocks: { bits, block: 32, zeroPoints: true, residual: true },
		});
		const expected = made.numbers.map(
			(value, at) => value + 0.25 * scale(Math.floor(at / 96), Math.floor((at % 96) / 32)),
		);
		assert.deepEqual([...(await source.rows('l.weight', 0, 6))], expected);
		assert.deepEqual([...(await source.rows('l.weight', 2, 5))], expected.slice(2 * 96, 5 * 96));
		const blocks = await source.blocks?.('l.weight', 1, 4);
		assert.ok(blocks?.residual);
		const residual = blocks.residual;
		assert.deepEqual(
			fromBlocks(blocks, 96).map((value, at) => value + (residual[Math.floor(at / 32)] as number)),
			expected.slice(96, 4 * 96),
		);
		const { 'l.biases': biases, ...others } = tensors;
		assert.ok(biases);
		await refused(open(others, { quantization: settings }), '"l"', 'biases');
		await refused(open(tensors, { quantization: { bits: 3 } }), '"l"', '3 bits');
		// Without a word of what they are, numbers are not taken as they stand.
		await refused(open(tensors), '"l.weight"', 'u32');
	}
});

test('compressed-tensors: rows of words with a scale for each group, around the middle', async () => {
	const made = codes(6, 64, grouped(64, 32), 15);
	const tensors = {
		'l.weight_packed': wordRows(made, 4, 'I32'),
		'l.weight_scale': rowFactors(made, (row, group) => made.scale[row]?.[group] as number),
		'l.weight_shape': { dtype: 'I64', shape: [2], bytes: bytesOf(BigInt64Array.of(6n, 64n)) },
	};
	const config = (more: object = {}, format = 'pack-quantized') => ({
		quantization_config: {
			quant_method: 'compressed-tensors',
			format,
			config_groups: {
				group_0: { weights: { num_bits: 4, group_size: 32, symmetric: true, ...more } },
			},
		},
	});
	await using source = await open(tensors, config());
	assert.deepEqual([...source.tensors.keys()], ['l.weight']);
	assert.deepEqual(source.tensors.get('l.weight')?.blocks, {
		bits: 4,
		block: 32,
		zeroPoints: false,
		residual: false,
	});
	const expected = made.code.flatMap((line, row) =>
		line.map((code, k) => (made.scale[row]?.[Math.floor(k / 32)] as number) * (code - 8)),
	);
	assert.deepEqual([...(await source.rows('l.weight', 0, 6))], expected);
	const blocks = await source.blocks?.('l.weight', 3, 5);
	assert.ok(blocks);
	const points = new Uint8Array(2).fill(0x88);
	assert.deepEqual(
		fromBlocks({ ...blocks, zeroPoints: points }, 64),
		expected.slice(3 * 64, 5 * 64),
	);
	await refused(open(tensors, config({ symmetric: false })), '"l"', 'unknown bits');
	await refused(open(tensors, config({}, 'marlin-24')), '"l"', 'unknown bits');
	await refused(open(tensors, config({ num_bits: 8 })), '"l"', 'fit');
	const zeroPoint = float32Tensor([1], [1]);
	await refused(open({ ...tensors, 'l.weight_zero_point': zeroPoint }, config()), 'zero_point');
});

test('matrices of whole numbers that nothing explains are refused', async () => {
	const bytes = { dtype: 'I8', shape: [2, 2], bytes: Uint8Array.of(1, 2, 3, 4) };
	await refused(open({ 'l.weight': bytes }), '"l.weight"', 'i8');
	await using source = await open({ position_ids: bytes });
	assert.deepEqual([...(await source.rows('position_ids', 1, 2))], [3, 4]);
});
