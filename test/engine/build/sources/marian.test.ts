/** Marian's files: weights for training and for running, students and their shortlists. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { openMarianBinary } from '../../../../server/engine/build/sources/marianBinary.ts';
import { openNpz } from '../../../../server/engine/build/sources/npz.ts';
import { openModelSource } from '../../../../server/engine/build/sources/openModelSource.ts';
import { openStudent, studentFiles } from '../../../../server/engine/build/sources/openStudent.ts';
import { readLexicalShortlist } from '../../../../server/engine/seq2seq/lexicalShortlist.ts';
import { AppError } from '../../../../server/protocol/index.ts';
import {
	bytesOf,
	float32Tensor,
	ggufBytes,
	type MarianItem,
	marianBytes,
	type NumpyArray,
	npzBytes,
	safetensorsBytes,
	shortlistBytes,
} from '../../../fixtures/weightFiles.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

const refused = async (promise: Promise<unknown>, ...words: string[]): Promise<void> => {
	await assert.rejects(promise, (error) => {
		assert.ok(error instanceof AppError, String(error));
		assert.equal(error.code, 'unsupported_model');
		for (const word of words) assert.ok(error.message.includes(word), error.message);
		return true;
	});
};

const settings = 'dec-cell: ssru\nenc-depth: 6\n';
const config: MarianItem = {
	name: 'special:model.yml',
	type: 0x0101,
	shape: [settings.length + 1],
	bytes: new TextEncoder().encode(`${settings}\0`),
};
const floats = (name: string, shape: readonly number[], values: readonly number[]): MarianItem => ({
	name,
	type: 0x0404,
	shape,
	bytes: bytesOf(Float32Array.from(values)),
});
/** Bytes as they lie in the file, and the multiplier. */
const int8 = (
	name: string,
	shape: readonly number[],
	values: readonly number[],
	multiplier: number,
): MarianItem => ({
	name,
	type: 0x4101,
	shape,
	bytes: Uint8Array.from([
		...bytesOf(Int8Array.from(values)),
		...bytesOf(Float32Array.of(multiplier)),
	]),
});
const open = (...items: MarianItem[]) =>
	openMarianBinary(memoryBytes(marianBytes(items), 'model.bin'));

test('a student has its matrices by rows, whichever way the file has them', async () => {
	await using source = await open(
		config,
		floats('encoder_l1_ffn_b1', [1, 3], [0.5, -1, 2]),
		// Two rows of three, which the file has as three rows of two.
		int8('encoder_l1_ffn_W1', [2, 3], [1, 4, 2, -5, 3, 6], 16),
		int8('Wemb', [3, 2], [1, -2, 3, 4, 5, -128], 64),
		floats('encoder_l1_ffn_W1_QuantMultA', [1], [12.5]),
		{ name: 'decoder_Wemb_QuantMultA', type: 0x4101, shape: [1], bytes: new Uint8Array(4) },
	);
	assert.equal(source.metadata.get('special:model.yml'), settings);
	assert.deepEqual(
		[...source.tensors.keys()],
		['encoder_l1_ffn_b1', 'encoder_l1_ffn_W1', 'Wemb', 'encoder_l1_ffn_W1_QuantMultA'],
	);
	assert.deepEqual(source.tensors.get('encoder_l1_ffn_W1'), {
		name: 'encoder_l1_ffn_W1',
		shape: [2, 3],
		type: 'intgemm8',
		bytesPerRow: 3,
		scale: 1 / 16,
	});
	assert.deepEqual(
		[...(await source.rows('encoder_l1_ffn_W1', 0, 2))].map((value) => value * 16),
		[1, 2, 3, 4, -5, 6],
	);
	assert.deepEqual(
		[...(await source.rows('encoder_l1_ffn_W1', 1, 2))].map((value) => value * 16),
		[4, -5, 6],
	);
	assert.deepEqual([...(await source.raw('encoder_l1_ffn_W1', 1, 2))], [4, 251, 6]);
	assert.deepEqual([...(await source.rows('Wemb', 1, 3))], [3 / 64, 4 / 64, 5 / 64, -2]);
	assert.deepEqual([...(await source.rows('encoder_l1_ffn_b1', 0, 1))], [0.5, -1, 2]);
	await assert.rejects(source.rows('encoder_l1_ffn_W1', 0, 3), RangeError);
	assert.deepEqual([...(await source.rows('encoder_l1_ffn_W1_QuantMultA', 0, 1))], [12.5]);
});

test('binary files that cannot be are refused by name', async () => {
	const w = floats('w', [2, 2], [1, 2, 3, 4]);
	await refused(open(w, w), 'model.bin', '"w"', 'twice');
	await refused(open({ ...w, type: 0x4102 }), '"w"', '0x4102');
	await refused(open({ ...w, shape: [2, -2] }), '"w"', '-2');
	await refused(open({ ...w, shape: [2, 2000] }), '"w"', '16000');
	await refused(open({ ...w, shape: Array(9).fill(1) }), '"w"', '9 dimensions');
	await refused(open(int8('q', [2, 2], [1, 2, 3, 4], 0)), '"q"', 'multiplied by 0');
	await refused(open(int8('q', [2, 2], [1, 2, 3, 4], Number.NaN)), '"q"');
	const good = marianBytes([w, int8('q', [2, 2], [1, 2, 3, 4], 2)]);
	for (let length = 0; length < good.length; length += 7)
		await refused(openMarianBinary(memoryBytes(good.slice(0, length), 'cut.bin')), 'cut.bin');
	for (const at of [0, 8, 16, 32, 40])
		for (const value of [2n ** 64n - 1n, 2n ** 53n, 2n ** 31n]) {
			const wrong = good.slice();
			new DataView(wrong.buffer).setBigUint64(at, value, true);
			await refused(openMarianBinary(memoryBytes(wrong, 'wrong.bin')), 'wrong.bin');
		}
});

const array = (shape: readonly number[], values: readonly number[]): NumpyArray => ({
	descr: '<f4',
	shape,
	bytes: bytesOf(Float32Array.from(values)),
});
const openArrays = (arrays: Readonly<Record<string, NumpyArray>>, method?: number) =>
	openNpz(memoryBytes(npzBytes(arrays, method), 'model.npz'));

test('arrays of NumPy in an archive', async () => {
	await using source = await openArrays({
		encoder_l1_self_Wq: array([2, 3], [1, 2, 3, 4, 5, 6]),
		encoder_l1_self_bq: array([3], [7, 8, 9]),
		single: array([], [0.5]),
		halves: { descr: '<f2', shape: [1, 2], bytes: bytesOf(Uint16Array.of(0x3c00, 0xc000)) },
		'special:model.yml': { descr: '|i1', shape: [config.bytes.length], bytes: config.bytes },
	});
	assert.equal(source.metadata.get('special:model.yml'), settings);
	assert.deepEqual(source.tensors.get('encoder_l1_self_Wq')?.shape, [2, 3]);
	assert.deepEqual([...(await source.rows('encoder_l1_self_Wq', 1, 2))], [4, 5, 6]);
	assert.deepEqual([...(await source.rows('encoder_l1_self_bq', 0, 1))], [7, 8, 9]);
	assert.deepEqual([...(await source.rows('single', 0, 1))], [0.5]);
	assert.deepEqual([...(await source.rows('halves', 0, 1))], [1, -2]);
});

test('archives that cannot be are refused by name', async () => {
	const w = array([2, 2], [1, 2, 3, 4]);
	await refused(openArrays({ w }, 8), 'model.npz', 'w', 'compressed');
	await refused(openArrays({ w: { ...w, fortranOrder: true } }), '"w"', 'columns');
	await refused(openArrays({ w: { ...w, descr: '>f4' } }), '"w"', '>f4');
	await refused(openArrays({ w: { ...w, shape: [3, 2] } }), '"w"', '24 bytes');
	await refused(openArrays({ w: { ...w, shape: [0, 2] } }), '"w"', 'dimension of 0');
	const good = npzBytes({ w });
	for (let length = 0; length < good.length; length++)
		await refused(openNpz(memoryBytes(good.slice(0, length), 'cut.npz')), 'cut.npz');
});

test('a shortlist has a list of target tokens for each source token', async () => {
	const read = async (bytes: Uint8Array) => readLexicalShortlist(bytes, 'lex.bin');
	const good = shortlistBytes(100, [[], [5, 900], [7]]);
	const list = await read(good);
	assert.deepEqual(
		{ ...list, offsets: [...list.offsets], words: [...list.words] },
		{ first: 100, best: 2, offsets: [0, 0, 2, 3], words: [5, 900, 7] },
	);
	for (let length = 0; length < good.length; length++)
		await refused(read(good.slice(0, length)), 'lex.bin');
	for (const [at, value] of [
		[0, 1n],
		[16, 2n ** 60n],
		[32, 2n ** 61n],
		[32, 0n],
		[40, 2n ** 62n],
		[56, 3n],
		[64, 4n],
	] as const) {
		const wrong = good.slice();
		new DataView(wrong.buffer).setBigUint64(at, value, true);
		await refused(read(wrong), 'lex.bin');
	}
});

test('what lies in a folder decides how it is opened', async () => {
	const folder = temporaryFolder('weights');
	const write = (name: string, bytes: Uint8Array) => {
		writeFileSync(join(folder, name), bytes);
		return join(folder, name);
	};
	const names = async (path: string) => {
		await using source = await openModelSource(path);
		return [...source.tensors.keys()];
	};
	await refused(openModelSource(folder), 'no weights');
	await refused(openModelSource(write('notes.txt', Uint8Array.of(1))), 'notes.txt');
	const weight = { name: 'g', shape: [1, 2], type: 0, bytes: new Uint8Array(8) };
	const gguf = write('model.Q4_0.gguf', ggufBytes({ tensors: [weight] }));
	assert.deepEqual(await names(gguf), ['g']);
	assert.deepEqual(await names(folder), ['g']);
	const split = (no: number) =>
		ggufBytes({
			metadata: {
				'split.no': { type: 'u16', value: no },
				'split.count': { type: 'u16', value: 2 },
			},
			tensors: [{ ...weight, name: `part ${no}` }],
		});
	const second = write('big-00002-of-00002.gguf', split(1));
	await refused(openModelSource(folder), 'several', 'model.Q4_0.gguf');
	await refused(openModelSource(second), 'big-00001-of-00002.gguf', 'missing');
	write('big-00001-of-00002.gguf', split(0));
	assert.deepEqual(await names(second), ['part 0', 'part 1']);
	write('model.safetensors', safetensorsBytes({ s: float32Tensor([1], [1]) }));
	assert.deepEqual(await names(folder), ['s']);
	assert.deepEqual(await names(write('m.npz', npzBytes({ n: array([1], [1]) }))), ['n']);
	assert.deepEqual(await names(write('m.bin', marianBytes([floats('b', [1], [1])]))), ['b']);
});

test('a folder with a student is one, with one vocabulary or two', async () => {
	const folder = temporaryFolder('weights');
	const write = (name: string, bytes: Uint8Array) => writeFileSync(join(folder, name), bytes);
	write('model.ende.intgemm.alphas.bin', marianBytes([config, floats('b', [1], [3])]));
	await refused(openStudent(folder), 'no whole translator');
	write('vocab.ende.spm', Uint8Array.of(1));
	const plain = await openStudent(folder);
	assert.equal(plain.shortlistBytes, undefined);
	await plain.source[Symbol.asyncDispose]();
	write('lex.50.50.ende.s2t.bin', shortlistBytes(8, [[1], [2]]));
	const student = await openStudent(folder);
	await using source = student.source;
	assert.deepEqual([...source.tensors.keys()], ['b']);
	assert.equal(readLexicalShortlist(student.shortlistBytes as Uint8Array, 'lex').first, 8);
	assert.deepEqual(student.languages, ['en', 'de']);
	assert.equal(student.sourceVocabulary, student.targetVocabulary);
	assert.equal(student.vocabularies.source, student.vocabularies.target);
	assert.deepEqual(
		studentFiles(['model.enja.intgemm.alphas.bin', 'srcvocab.enja.spm', 'trgvocab.enja.spm']),
		{
			model: 'model.enja.intgemm.alphas.bin',
			shortlist: undefined,
			sourceVocabulary: 'srcvocab.enja.spm',
			targetVocabulary: 'trgvocab.enja.spm',
		},
	);
});

test('files of a student may be packed, and its settings may name them', async () => {
	const folder = temporaryFolder('weights');
	const write = (name: string, bytes: Uint8Array | string) =>
		writeFileSync(join(folder, name), bytes);
	const lists = shortlistBytes(8, [[1], [2]]);
	write('model.ende.bin.gz', gzipSync(marianBytes([config, floats('b', [1], [3])])));
	write('vocab.ende.spm.gz', gzipSync(Uint8Array.of(7)));
	write('lex.ende.bin.gz', gzipSync(lists));
	const packed = await openStudent(folder);
	await using _ = packed.source;
	assert.deepEqual([...(await packed.source.rows('b', 0, 1))], [3]);
	assert.deepEqual([...packed.vocabularies.source], [7]);
	assert.deepEqual([...(packed.shortlistBytes ?? [])], [...lists]);
	write('other.bin', marianBytes([config, floats('c', [1], [4])]));
	write('from.spm', Uint8Array.of(8));
	write('to.spm', Uint8Array.of(9));
	write(
		'config.yml',
		'relative-paths: true\nmodels:\n  - ../models/other.bin\nvocabs:\n- from.spm\n- "to.spm"\nshortlist:\n    - gone.bin\n    - false\n',
	);
	const named = await openStudent(folder);
	await using _named = named.source;
	assert.deepEqual([...named.source.tensors.keys()], ['c']);
	assert.deepEqual(
		[[...named.vocabularies.source], [...named.vocabularies.target], named.shortlistBytes],
		[[8], [9], undefined],
	);
	write('config.yml', 'models: [other.bin]\nvocabs: [from.spm, to.spm]\n');
	const inLine = await openStudent(folder);
	await using _inLine = inLine.source;
	assert.deepEqual([...inLine.vocabularies.target], [9]);
	write('config.yml', '');
	write('model.ende.bin.gz', Uint8Array.of(1, 2, 3));
	await refused(openStudent(folder), 'model.ende.bin.gz', 'unpacked');
	write('lex.ende.bin.gz', gzipSync(new Uint8Array(129 * 2 ** 20)));
	await refused(openStudent(folder), 'lex.ende.bin.gz', 'more than');
});
