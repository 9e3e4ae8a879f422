/** GGUF files: what their headers say, split ones, and those that are refused. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { ggufParts, openGguf } from '../../../../server/engine/build/sources/gguf.ts';
import type { ByteSource } from '../../../../server/engine/build/sources/tensorSource.ts';
import { AppError } from '../../../../server/protocol/index.ts';
import {
	bytesOf,
	type GgufFile,
	type GgufTensor,
	ggufBytes,
} from '../../../fixtures/weightFiles.ts';

const floats = (name: string, shape: readonly number[], first = 0): GgufTensor => {
	const count = shape.reduce((product, size) => product * size, 1);
	const numbers = Float32Array.from({ length: count }, (_, index) => first + index / 4);
	return { name, shape, type: 0, bytes: bytesOf(numbers) };
};
const open = (file: GgufFile) => openGguf(memoryBytes(ggufBytes(file), 'model.gguf'));

/** That a file is refused by name, with a sentence that has all of the words. */
const refused = async (promise: Promise<AsyncDisposable>, ...words: string[]): Promise<void> => {
	await assert.rejects(promise, (error) => {
		assert.ok(error instanceof AppError, String(error));
		assert.equal(error.code, 'unsupported_model');
		for (const word of words) assert.ok(error.message.includes(word), error.message);
		return true;
	});
};

test('metadata of every type, in versions 2 and 3', async () => {
	for (const version of [2, 3]) {
		await using source = await open({
			version,
			metadata: {
				'general.architecture': { type: 'text', value: 'llama' },
				u8: { type: 'u8', value: 255 },
				i8: { type: 'i8', value: -5 },
				u16: { type: 'u16', value: 65_535 },
				i16: { type: 'i16', value: -300 },
				u32: { type: 'u32', value: 2 ** 32 - 1 },
				i32: { type: 'i32', value: -(2 ** 31) },
				f32: { type: 'f32', value: 0.5 },
				yes: { type: 'bool', value: true },
				no: { type: 'bool', value: false },
				u64: { type: 'u64', value: 2 ** 40 },
				large: { type: 'u64', value: 2n ** 63n + 1n },
				i64: { type: 'i64', value: -(2n ** 60n) },
				f64: { type: 'f64', value: 0.1 },
				texts: { type: 'list', of: 'text', value: ['a', '', 'Ġüñ'] },
				scores: { type: 'list', of: 'f32', value: [-1, 0.25] },
				empty: { type: 'list', of: 'i32', value: [] },
				lists: {
					type: 'list',
					of: 'list',
					value: [
						{ of: 'u8', value: [1, 2] },
						{ of: 'text', value: ['x'] },
					],
				},
			},
		});
		assert.deepEqual(Object.fromEntries(source.metadata), {
			'general.architecture': 'llama',
			u8: 255,
			i8: -5,
			u16: 65_535,
			i16: -300,
			u32: 2 ** 32 - 1,
			i32: -(2 ** 31),
			f32: 0.5,
			yes: true,
			no: false,
			u64: 2 ** 40,
			large: 2n ** 63n + 1n,
			i64: -(2n ** 60n),
			f64: 0.1,
			texts: ['a', '', 'Ġüñ'],
			scores: [-1, 0.25],
			empty: [],
			lists: [[1, 2], ['x']],
		});
	}
});

test('tensors lie where the header says, at any alignment', async () => {
	for (const alignment of [32, 8, 256]) {
		await using source = await open({
			alignment,
			metadata: { 'general.alignment': { type: 'u32', value: alignment } },
			tensors: [
				floats('a.weight', [3, 5]),
				floats('b.bias', [7], 100),
				floats('c', [2, 3, 4], 200),
				{ name: 'd', shape: [2, 2], type: 1, bytes: bytesOf(Uint16Array.of(0x3c00, 0xc000, 1, 0)) },
				{
					name: 'e',
					shape: [2, 2],
					type: 30,
					bytes: bytesOf(Uint16Array.of(0x3f80, 0xc000, 1, 0)),
				},
			],
		});
		const { tensors } = source;
		assert.deepEqual(tensors.get('a.weight'), {
			name: 'a.weight',
			shape: [3, 5],
			type: 'f32',
			bytesPerRow: 20,
		});
		assert.deepEqual(
			[...(await source.rows('a.weight', 1, 3))],
			[1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5],
		);
		assert.deepEqual(
			[...(await source.rows('b.bias', 0, 1))],
			[100, 100.25, 100.5, 100.75, 101, 101.25, 101.5],
		);
		assert.deepEqual([...(await source.rows('c', 5, 6))], [205, 205.25, 205.5, 205.75]);
		assert.deepEqual([...(await source.rows('d', 0, 2))], [1, -2, 2 ** -24, 0]);
		assert.deepEqual([...(await source.rows('e', 0, 1))], [1, -2]);
		assert.deepEqual(
			[...(await source.raw('a.weight', 2, 3))],
			[...bytesOf(Float32Array.of(2.5, 2.75, 3, 3.25, 3.5))],
		);
		await assert.rejects(source.rows('a.weight', 2, 4), RangeError);
		await assert.rejects(source.rows('nothing', 0, 1), RangeError);
		await assert.rejects(async () => source.blocks?.('a.weight', 0, 1), RangeError);
	}
});

test('a quantised tensor gives numbers and blocks of the rows that are asked for', async () => {
	// Three rows of two Q8_0 blocks: the scale of a block is its number, 1 to 6.
	const bytes = new Uint8Array(6 * 34);
	for (let block = 0; block < 6; block++) {
		bytes.set(
			bytesOf(Uint16Array.of([0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600][block] ?? 0)),
			block * 34,
		);
		bytes.fill(3, block * 34 + 2, block * 34 + 34);
	}
	await using source = await open({ tensors: [{ name: 'w', shape: [3, 64], type: 8, bytes }] });
	assert.deepEqual(source.tensors.get('w'), {
		name: 'w',
		shape: [3, 64],
		type: 'q8_0',
		bytesPerRow: 68,
		blocks: { bits: 8, block: 32, zeroPoints: false, residual: false },
	});
	const numbers = await source.rows('w', 1, 2);
	assert.deepEqual([...numbers], [...Array(32).fill(9), ...Array(32).fill(12)]);
	const blocks = await source.blocks?.('w', 1, 3);
	assert.deepEqual([...(blocks?.scales ?? [])], [3, 4, 5, 6]);
	assert.deepEqual([...new Set(blocks?.packed)], [131]);
});

test('a header longer than what is read at a time is read whole, and nothing behind it', async () => {
	const tokens = Array.from(
		{ length: 30_000 },
		(_, index) => `token ${index} ${'x'.repeat(50 + (index % 19))}`,
	);
	const file = ggufBytes({
		metadata: {
			'tokenizer.ggml.tokens': { type: 'list', of: 'text', value: tokens },
			'tokenizer.ggml.scores': { type: 'list', of: 'f32', value: tokens.map((_, index) => -index) },
		},
		tensors: [floats('w', [4, 4])],
	});
	const reads: [offset: number, length: number][] = [];
	const memory = memoryBytes(file);
	const size = 2 ** 43;
	const counted: ByteSource = {
		...memory,
		size,
		read: async (offset, length) => {
			reads.push([offset, length]);
			const found = new Uint8Array(length);
			found.set(file.subarray(offset, offset + length));
			return found;
		},
	};
	await using source = await openGguf(counted);
	assert.deepEqual(source.metadata.get('tokenizer.ggml.tokens'), tokens);
	assert.equal((source.metadata.get('tokenizer.ggml.scores') as number[]).at(-1), -29_999);
	const last = Math.max(...reads.map(([offset, length]) => offset + length));
	assert.ok(last < file.length + 2 ** 20, `${last} of ${file.length}`);
	assert.ok(Math.max(...reads.map(([, length]) => length)) <= 2 ** 20);
});

const part = (
	no: number,
	count: number,
	total: number,
	tensors: GgufTensor[],
	more: GgufFile['metadata'] = {},
) =>
	ggufBytes({
		metadata: {
			...more,
			'split.no': { type: 'u16', value: no },
			'split.count': { type: 'u16', value: count },
			'split.tensors.count': { type: 'i32', value: total },
		},
		tensors,
	});

test('the parts of a split file are one source', async () => {
	const first = part(0, 3, 3, [], { 'general.architecture': { type: 'text', value: 'qwen3' } });
	const second = part(1, 3, 3, [floats('a', [2, 2]), floats('b', [2], 9)]);
	const third = part(2, 3, 3, [floats('c', [1, 3], 50)]);
	const files = (...all: Uint8Array[]) =>
		all.map((bytes, index) => memoryBytes(bytes, `m-0000${index + 1}-of-00003.gguf`));
	await using source = await openGguf(files(first, second, third));
	assert.equal(source.metadata.get('general.architecture'), 'qwen3');
	assert.deepEqual([...source.tensors.keys()], ['a', 'b', 'c']);
	assert.deepEqual([...(await source.rows('c', 0, 1))], [50, 50.25, 50.5]);
	assert.deepEqual([...(await source.rows('b', 0, 1))], [9, 9.25]);
	await refused(openGguf(files(first, second)), 'm-00001-of-00003.gguf', '3 parts', '2 are there');
	await refused(openGguf(files(first, third, second)), 'm-00002-of-00003.gguf', 'part 2', 'part 1');
	await refused(openGguf(memoryBytes(first, 'm.gguf')), 'm.gguf', '3 parts');
	await refused(openGguf(files(first, second, part(2, 3, 3, []))), '3 tensors', '2 are there');
	await refused(openGguf(files(first, second, part(2, 3, 3, [floats('b', [2])]))), '"b"', 'twice');
	assert.deepEqual(ggufParts('Qwen-Q4-00002-of-00003.gguf'), [
		'Qwen-Q4-00001-of-00003.gguf',
		'Qwen-Q4-00002-of-00003.gguf',
		'Qwen-Q4-00003-of-00003.gguf',
	]);
	for (const name of ['m.gguf', 'm-00001-of-00000.gguf', 'm-1-of-2.gguf', 'm-00001-of-99999.gguf'])
		assert.equal(ggufParts(name), undefined);
});

test('what is no GGUF file of a kind that is read says so', async () => {
	const good = ggufBytes({ tensors: [floats('w', [2, 2])] });
	const big = good.slice();
	new DataView(big.buffer).setUint32(4, 3, false);
	await refused(openGguf(memoryBytes(big, 'm.gguf')), 'm.gguf', 'big-endian');
	await refused(open({ version: 1 }), 'model.gguf', 'version 1');
	await refused(open({ version: 4 }), 'version 4');
	const other = good.slice();
	other[0] = 0;
	await refused(openGguf(memoryBytes(other, 'm.gguf')), 'm.gguf', 'does not begin');
	for (let length = 0; length < good.length; length++)
		await refused(openGguf(memoryBytes(good.slice(0, length), 'short.gguf')), 'short.gguf');
});

test('tensors that cannot be are refused by name', async () => {
	const w = floats('blk.0.w', [2, 8]);
	const tensors = (...all: GgufTensor[]) => open({ tensors: all });
	await refused(tensors({ ...w, type: 77 }), 'blk.0.w', 'type 77');
	await refused(tensors({ ...w, type: 2 }), 'blk.0.w', 'rows of 8', 'q4_0');
	await refused(tensors({ ...w, shape: [2, 0] }), 'blk.0.w', 'dimension of 0');
	await refused(tensors({ ...w, shape: [2, 9] }), 'blk.0.w', 'beyond');
	await refused(tensors({ ...w, shape: Array(9).fill(1) }), 'blk.0.w', '9 dimensions');
	await refused(tensors({ ...w, shape: [2 ** 40, 2 ** 40] }), 'blk.0.w');
	await refused(tensors({ ...w, offset: 4 }), 'blk.0.w', 'alignment');
	await refused(tensors({ ...w, offset: 2 ** 40 }), 'blk.0.w', 'beyond');
	await refused(tensors({ ...w, offset: 2n ** 63n }), 'blk.0.w');
	await refused(tensors(w, w), 'blk.0.w', 'twice');
	await refused(
		tensors(
			w,
			{ ...w, name: 'x', offset: 0 },
			{ ...w, name: 'y', offset: 0, bytes: new Uint8Array(0) },
		),
		'overlaps',
	);
	await using source = await tensors({
		name: 'old',
		shape: [1, 32],
		type: 31,
		bytes: new Uint8Array(18),
	});
	await assert.rejects(source.rows('old', 0, 1), /model\.gguf has its tensor "old" as q4_0_4_4/);
});

test('counts and lengths beyond the file or the limits are refused before anything is made', async () => {
	const list = (count: bigint, itemType: number) => {
		const bytes = ggufBytes({ metadata: { many: { type: 'list', of: 'u8', value: [1, 2, 3] } } });
		const at = Buffer.from(bytes).indexOf('many') + 4;
		const view = new DataView(bytes.buffer);
		view.setUint32(at + 4, itemType, true);
		view.setBigUint64(at + 8, count, true);
		return openGguf(memoryBytes(bytes, 'm.gguf'));
	};
	for (const itemType of [0, 8, 9, 12]) {
		await refused(list(2n ** 62n, itemType), '"many"');
		await refused(list(2n ** 64n - 1n, itemType), '"many"');
		await refused(list(10_000n, itemType), '"many"');
	}
	await refused(list(3n, 99), '"many"');
	await refused(open({ tensorCount: 2n ** 60n }), 'more than 2^53 tensors');
	await refused(open({ keyCount: 2n ** 60n }), 'keys');
	await refused(open({ tensorCount: 1000n }), 'header');
	await refused(open({ keyCount: 1000n }), 'header');
	const twice = { type: 'u8', value: 1 } as const;
	await refused(
		open({
			metadata: [
				['a', twice],
				['a', twice],
			],
		}),
		'"a"',
		'twice',
	);
	for (const alignment of [0, 3, 2 ** 30])
		await refused(
			open({ metadata: { 'general.alignment': { type: 'u32', value: alignment } } }),
			`alignment ${alignment}`,
		);
	let nested: unknown = { of: 'u8', value: [1] };
	for (let depth = 0; depth < 12; depth++) nested = { of: 'list', value: [nested] };
	await refused(
		open({ metadata: { deep: { type: 'list', of: 'list', value: [nested] } } }),
		'deep',
	);
	const long = { type: 'text', value: 'x'.repeat(5 * 2 ** 20) } as const;
	await refused(open({ metadata: { long } }), '"long"', 'text');
	await refused(open({ metadata: { ['k'.repeat(5000)]: twice } }), 'key');
});

test('reading stops when it is cancelled', async () => {
	const bytes = ggufBytes({ tensors: [floats('w', [2, 2])] });
	const stop = new AbortController();
	await using source = await openGguf(memoryBytes(bytes), stop.signal);
	stop.abort();
	await assert.rejects(openGguf(memoryBytes(bytes), stop.signal), { name: 'AbortError' });
	await assert.rejects(source.rows('w', 0, 1, stop.signal), { name: 'AbortError' });
});

test('rows beyond the first four gigabytes are found', async () => {
	const columns = 2 ** 16;
	const rows = 2 ** 20;
	const header = ggufBytes({
		tensors: [
			{ name: 'large', shape: [rows, columns], type: 1, bytes: new Uint8Array(0) },
			{
				name: 'behind',
				shape: [2],
				type: 0,
				bytes: new Uint8Array(0),
				offset: BigInt(rows) * BigInt(columns) * 2n,
			},
		],
	});
	const behind = header.length + rows * columns * 2;
	// Every number is the place that it lies at.
	const source = await openGguf({
		size: behind + 8,
		read: async (offset, length) => {
			const bytes = new Uint8Array(length);
			bytes.set(header.subarray(offset, offset + length));
			if (offset === behind) return bytesOf(Float32Array.of(offset / 2 ** 20, 5));
			if (offset >= header.length) bytes.fill(0x3c);
			return bytes;
		},
		[Symbol.asyncDispose]: async () => undefined,
	});
	assert.deepEqual([...(await source.rows('behind', 0, 1))], [Math.fround(behind / 2 ** 20), 5]);
	const last = await source.raw('large', rows - 1, rows);
	assert.equal(last.length, 2 * columns);
	assert.equal(last[0], 0x3c);
});
