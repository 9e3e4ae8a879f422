/** Quantised variants: the numbers are right, the graphs run, nothing is left half done. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Decoder } from '../../server/engine/decode/decoder.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { decodeModel, encodeModel } from '../../server/engine/onnx/onnxModel.ts';
import { optimizeGraph } from '../../server/engine/onnx/optimizeGraph.ts';
import { quantizeMatrix } from '../../server/engine/onnx/quantize.ts';
import { readTensorHeader } from '../../server/engine/onnx/tensorProto.ts';
import { WireWriter } from '../../server/engine/onnx/wire.ts';
import { optimizeModel } from '../../server/engine/optimize.ts';
import { toFloat16 } from '../../server/engine/runtime/float16.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { difference } from '../../server/engine/verify/readings.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { GraphBuilder, Random } from '../fixtures/graphBuilder.ts';
import { writeTranslationModel } from '../fixtures/translationModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openDecoder } from './openDecoder.ts';
import { tokensRequest } from './support.ts';

const folder = temporaryFolder();

/** The matrix that packed numbers stand for, `[rows, columns]`. */
function restore(
	{ packed, scales }: { packed: Uint8Array; scales: Float32Array },
	rows: number,
	columns: number,
	bits: 4 | 8,
	block: number,
): Float32Array {
	const values = new Float32Array(rows * columns);
	for (let column = 0; column < columns; column++) {
		for (let row = 0; row < rows; row++) {
			const place = column * rows + row;
			const number =
				bits === 8
					? (packed[place] as number) - 128
					: (((packed[place >> 1] as number) >> ((place & 1) * 4)) & 15) - 8;
			values[row * columns + column] = number * (scales[Math.floor(place / block)] as number);
		}
	}
	return values;
}

test('quantised matrices stand for nearly the same numbers, and the runtime reads them so', async () => {
	const random = new Random(12);
	const [rows, columns] = [64, 24];
	const values = Float32Array.from({ length: rows * columns }, () => random.normal());
	for (const [bits, block, most] of [
		[4, 32, 0.12],
		[4, 16, 0.12],
		[8, 64, 0.008],
	] as const) {
		const quantised = quantizeMatrix(values, rows, columns, bits, block);
		const restored = restore(quantised, rows, columns, bits, block);
		let squares = 0;
		let errors = 0;
		for (const [k, value] of values.entries()) {
			squares += value ** 2;
			errors += (value - (restored[k] as number)) ** 2;
		}
		assert.ok(Math.sqrt(errors / squares) < most, `${bits} bits`);

		const path = join(folder, `m${bits}-${block}.onnx`);
		const builder = new GraphBuilder(path);
		builder.input('x', 'float32', ['n', rows]);
		const q = builder.weight(
			'q',
			'uint8',
			[columns, rows / block, (block * bits) / 8],
			quantised.packed,
		);
		const s = builder.weight('s', 'float32', [quantised.scales.length], quantised.scales);
		const attributes = { K: rows, N: columns, bits, block_size: block };
		builder.node('ms:MatMulNBits', ['x', q, s], attributes, 'y');
		builder.output('y', 'float32', ['n', columns]);
		builder.save();
		const session = await (await openRuntime()).open(path, { threads: 1 });
		const binding = session.createBinding();
		const x = Float32Array.from({ length: rows }, () => random.normal());
		const y = new Float32Array(columns);
		binding.input('x', x, [1, rows]);
		binding.output('y', y, [1, columns]);
		await binding.run();
		const expected = new Float32Array(columns);
		for (let column = 0; column < columns; column++) {
			for (let row = 0; row < rows; row++) {
				expected[column] =
					(expected[column] as number) +
					(x[row] as number) * (restored[row * columns + column] as number);
			}
		}
		assert.ok(difference(expected, y) < 1e-4, `${bits} bits, block ${block}`);
		binding.release();
		session.close();
	}
});

test('a matrix of zeros stays zero', () => {
	const { packed, scales } = quantizeMatrix(new Float32Array(32), 32, 1, 4, 32);
	assert.ok(restore({ packed, scales }, 32, 1, 4, 32).every((value) => value === 0));
});

test('an 8-bit variant answers nearly like its original, and batches', async () => {
	const model = writeDecoderModel(join(folder, 'gqa'), { attention: 'gqa' });
	const plain = await openDecoder(model);
	const files = await optimizeModel(model, { bits: 8, block: 32 });
	assert.equal(files[0]?.file, 'onnx/model_int8.onnx');
	assert.equal(files[0]?.matrices, 11);
	assert.ok((files[0]?.relativeError ?? 1) < 0.01);
	const engine = await loadEngine({ folder: model, precision: 'int8', threads: 1 });
	assert.equal((await engine.stats()).precision, 'int8');
	const result = await engine.generate(tokensRequest([1, 2, 3, 4]), () => {});
	assert.ok(result.choices[0]?.tokenIds.length);
	await engine.close();
	plain.close();
	await assert.rejects(optimizeModel(model, { bits: 8, block: 32 }), { code: 'conflict' });
});

/** Logits after the last of the tokens. */
async function logitsOf(decoder: Decoder, tokens: readonly number[]): Promise<Float32Array> {
	const cache = decoder.createCache();
	const [row] = await decoder.step([{ cache, tokens, logits: 1 }]);
	const logits = Float32Array.from(row?.[0] ?? []);
	cache.release();
	return logits;
}

/** Rewrites a float32 graph with halves of either kind for all its float numbers. */
function narrow(from: string, to: string, kind: 'float16' | 'bfloat16'): void {
	const model = decodeModel(readFileSync(from));
	const { graph } = model;
	const code = kind === 'float16' ? 10 : 16;
	graph.initializers = graph.initializers.map((tensor) => {
		const { name, dims, dataType, raw } = readTensorHeader(tensor.bytes);
		if (dataType !== 1 || raw === undefined) return tensor;
		const numbers = new Float32Array(Uint8Array.from(raw).buffer);
		const halves =
			kind === 'float16'
				? Uint16Array.from(numbers, toFloat16)
				: Uint16Array.from(new Uint32Array(numbers.buffer), (bits) => bits >>> 16);
		const writer = new WireWriter();
		for (const dim of dims) writer.int(1, dim);
		const bytes = writer
			.int(2, code)
			.text(8, name)
			.bytes(9, new Uint8Array(halves.buffer))
			.finish();
		return { name, bytes };
	});
	const half = <T extends { readonly elementType: number }>(value: T): T =>
		value.elementType === 1 ? { ...value, elementType: code } : value;
	graph.inputs = graph.inputs.map(half);
	graph.outputs = graph.outputs.map(half);
	writeFileSync(to, encodeModel(model));
}

for (const kind of ['float16', 'bfloat16'] as const) {
	test(`a model of ${kind} numbers becomes one of 8-bit weights and float32 everything else`, async () => {
		const model = writeDecoderModel(join(folder, `from-${kind}`), { attention: 'gqa' });
		const plain = join(model, 'onnx', 'model.onnx');
		const wide = await openDecoder(model);
		const expected = await logitsOf(wide, [1, 2, 3, 4, 5]);
		wide.close();
		narrow(plain, join(model, 'onnx', 'model_fp16.onnx'), kind);
		rmSync(plain);
		const [made] = await optimizeModel(model, { bits: 8, block: 32 });
		assert.equal(made?.file, 'onnx/model_int8.onnx');
		assert.ok((made?.matrices ?? 0) > 8);
		rmSync(join(model, 'onnx', 'model_fp16.onnx'));
		const small = await openDecoder(model);
		const actual = await logitsOf(small, [1, 2, 3, 4, 5]);
		small.close();
		// 8 bits of precision are left of either kind, and 8 bits of the weights.
		assert.ok(difference(expected, actual) < (kind === 'float16' ? 0.1 : 0.25));
	});
}

test('a head that shares the weights of the embedding is quantised, the embedding stays', async () => {
	const random = new Random(3);
	const [words, width] = [96, 64];
	const from = join(folder, 'tied.onnx');
	const builder = new GraphBuilder(from);
	const ids = builder.input('ids', 'int64', ['n']);
	const data = Float32Array.from({ length: words * width }, () => random.normal());
	const table = builder.weight('table', 'float32', [words, width], data);
	const turned = builder.node('Transpose', [table], { perm: [1, 0] });
	builder.node('MatMul', [builder.node('Gather', [table, ids]), turned], {}, 'scores');
	builder.output('scores', 'float32', ['n', words]);
	builder.save();
	const to = join(folder, 'tied_int8.onnx');
	const { matrices } = await optimizeGraph(from, to, { bits: 8, block: 32 });
	assert.equal(matrices, 1);
	const scores = async (path: string): Promise<Float32Array> => {
		const session = await (await openRuntime()).open(path, { threads: 1 });
		const binding = session.createBinding();
		const found = new Float32Array(3 * words);
		binding.input('ids', BigInt64Array.of(5n, 7n, 95n), [3]);
		binding.output('scores', found, [3, words]);
		await binding.run();
		binding.release();
		session.close();
		return found;
	};
	assert.ok(difference(await scores(from), await scores(to)) < 0.02);
});

test('encoder-decoders are quantised as a whole', async () => {
	const model = writeTranslationModel(join(folder, 'translation'));
	const files = await optimizeModel(model, { bits: 4, block: 16 });
	assert.equal(files.length, 3);
	const engine = await loadEngine({ folder: model, precision: 'q4', threads: 1 });
	const { outputs } = await engine.seq2seq({
		items: [{ text: 'hello' }],
		maxTokens: 5,
		priority: 'batch',
	});
	assert.ok((outputs[0]?.tokenIds.length ?? 0) > 0);
	await engine.close();
});

test('what cannot be quantised is refused, and no file is left behind', async () => {
	const model = writeDecoderModel(join(folder, 'odd'), { attention: 'gqa' });
	await assert.rejects(optimizeModel(model, { bits: 4, block: 33 }), { code: 'invalid_request' });
	writeFileSync(join(model, 'onnx', 'model.onnx'), 'no graph');
	await assert.rejects(optimizeModel(model, { bits: 4, block: 32 }));
	assert.deepEqual(
		readdirSync(join(model, 'onnx')).filter((name) => name.includes('q4') || name.endsWith('.tmp')),
		[],
	);
	const empty = join(folder, 'empty');
	mkdirSync(empty);
	await assert.rejects(optimizeModel(empty, { bits: 4, block: 32 }), { code: 'unsupported_model' });
	rmSync(empty, { recursive: true });
});
