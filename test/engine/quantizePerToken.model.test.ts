/** Dynamic int8 with a scale per row: as exact as before, and the same result in any company. */

import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import type { GraphSource } from '../../server/engine/modelFiles/graphSource.ts';
import { rewriteGraph } from '../../server/engine/onnx/rewriteGraph.ts';
import type { Tensor } from '../../server/engine/runtime/runtime.ts';
import type { EncodedBatch, EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { GraphBuilder, Random } from '../fixtures/graphBuilder.ts';
import { tinyTranslation, writeTranslationModel } from '../fixtures/translationModel.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();
const [width, columns] = [24, 5];
const random = new Random(7);
const weights = Int8Array.from({ length: width * columns }, () => (random.bits() & 255) - 128);
const perColumn = Float32Array.from({ length: columns }, (_, k) => 0.001 * (k + 1));

interface GraphOptions {
	readonly opset?: number;
	/** A scale for each column instead of one. */
	readonly perColumn?: boolean;
	/** The scale comes second in the products. */
	readonly turned?: boolean;
}

/** y = x · W, as the usual quantiser writes it. */
function writeProduct(name: string, options: GraphOptions = {}): string {
	const path = join(folder, `${name}.onnx`);
	const g = new GraphBuilder(path, { opset: options.opset ?? 21 });
	const x = g.input('x', 'float32', ['batch', 'rows', width]);
	g.nodes('DynamicQuantizeLinear', [x], ['q', 's', 'z']);
	const w = g.weight('w', 'int8', [width, columns], weights);
	const zero = g.weight('w0', 'int8', [], Int8Array.of(0));
	const scale =
		options.perColumn === true
			? g.weight('ws', 'float32', [columns], perColumn)
			: g.weight('ws', 'float32', [], Float32Array.of(0.001));
	const wide = g.node('Cast', [g.node('MatMulInteger', ['q', w, 'z', zero])], { to: 1 });
	const both = g.node('Mul', options.turned === true ? [scale, 's'] : ['s', scale]);
	g.node('Mul', options.turned === true ? [both, wide] : [wide, both], {}, 'y');
	g.output('y', 'float32', ['batch', 'rows', columns]);
	g.save();
	return path;
}

async function run(graph: GraphSource, x: Float32Array, dims: readonly number[], plain = false) {
	const session = await (await openRuntime(plain)).open(graph, { threads: 1 });
	const binding = session.createBinding();
	try {
		binding.input('x', x, dims);
		binding.outputAny('y');
		await binding.run();
		return binding.take('y').data as Float32Array;
	} finally {
		binding.release();
		session.close();
	}
}

/** Rows of very different size: one scale for all of them leaves nothing of the small ones. */
const sizes = [100, 0.01, 1, 0, 3, 0.2];
const rows = sizes.flatMap((size) => Array.from({ length: width }, () => random.normal() * size));

function exact(options: GraphOptions): number[] {
	return sizes.flatMap((_, row) =>
		Array.from({ length: columns }, (__, column) => {
			let sum = 0;
			for (let k = 0; k < width; k++)
				sum += (rows[row * width + k] as number) * (weights[k * columns + column] as number);
			return sum * (options.perColumn === true ? (perColumn[column] as number) : 0.001);
		}),
	);
}

async function prepared(path: string): Promise<GraphSource> {
	const ready = await rewriteGraph(path, { perTokenQuantization: true });
	if ('refused' in ready) throw new Error(ready.refused);
	return ready;
}

for (const options of [
	{},
	{ opset: 13 },
	{ perColumn: true },
	{ turned: true },
] as GraphOptions[]) {
	const kind = JSON.stringify(options);
	test(`every row is as exact as its own size allows ${kind}`, async () => {
		const graph = await prepared(writeProduct(`product-${kind.replace(/\W/g, '')}`, options));
		const expected = exact(options);
		for (const plain of [false, true]) {
			const found = await run(graph, Float32Array.from(rows), [2, 3, width], plain);
			for (const [index, value] of expected.entries()) {
				const row = Math.floor(index / columns);
				const scale = options.perColumn === true ? (perColumn[index % columns] as number) : 0.001;
				// Half a step of 127, times the weights, all errors in one direction.
				const most = ((4 * (sizes[row] as number)) / 127 / 2) * width * 128 * scale + 1e-12;
				const off = Math.abs((found[index] as number) - value);
				assert.ok(off <= most / 4, `row ${row}: ${found[index]} for ${value}`);
			}
		}
	});
}

test('a scale of the whole tensor loses the small rows, which shows that the measure above can fail', async () => {
	const found = await run(writeProduct('plain'), Float32Array.from(rows), [2, 3, width]);
	assert.ok(found.slice(columns, 2 * columns).every((value) => Math.abs(value) < 1e-6));
	assert.ok(
		exact({})
			.slice(columns, 2 * columns)
			.some((value) => Math.abs(value) > 1e-4),
	);
});

test('a convolution has a scale per item', async () => {
	const path = join(folder, 'convolution.onnx');
	const g = new GraphBuilder(path);
	const x = g.input('x', 'float32', ['batch', 2, 'length']);
	g.nodes('DynamicQuantizeLinear', [x], ['q', 's', 'z']);
	const w = g.weight('w', 'int8', [1, 2, 3], Int8Array.of(10, -20, 30, 40, 50, -60));
	const zero = g.weight('w0', 'int8', [], Int8Array.of(0));
	const scale = g.weight('ws', 'float32', [], Float32Array.of(0.01));
	const wide = g.node('Cast', [g.node('ConvInteger', ['q', w, 'z', zero])], { to: 1 });
	g.node('Mul', [wide, g.node('Mul', ['s', scale])], {}, 'y');
	g.output('y', 'float32', ['batch', 1, 'out']);
	g.save();
	const ready = await prepared(path);
	const small = Float32Array.from({ length: 10 }, () => random.normal() * 0.01);
	const large = Float32Array.from({ length: 10 }, () => random.normal() * 50);
	const alone = await run(ready, small, [1, 2, 5]);
	const both = await run(ready, Float32Array.from([...large, ...small]), [2, 2, 5]);
	assert.deepEqual([...both.slice(3)], [...alone]);
	const at = (channel: number, k: number) => small[channel * 5 + k] as number;
	const first =
		0.1 * at(0, 0) -
		0.2 * at(0, 1) +
		0.3 * at(0, 2) +
		0.4 * at(1, 0) +
		0.5 * at(1, 1) -
		0.6 * at(1, 2);
	assert.ok(Math.abs((alone[0] as number) - first) < 0.0005, `${alone[0]} for ${first}`);
});

test('what is not the usual pattern stays as it is, with the reason', async () => {
	const refused = async (name: string, build: (g: GraphBuilder) => void) => {
		const path = join(folder, `${name}.onnx`);
		const g = new GraphBuilder(path);
		g.input('x', 'float32', ['rows', width]);
		build(g);
		g.output('y', 'float32', ['rows', columns]);
		g.save();
		const ready = await rewriteGraph(path, { perTokenQuantization: true });
		return 'refused' in ready ? ready.refused : 'prepared';
	};
	assert.match(
		await refused('none', (g) => void g.node('Identity', ['x'], {}, 'y')),
		/no dynamic int8/,
	);
	assert.match(
		await refused('other', (g) => {
			g.nodes('DynamicQuantizeLinear', ['x'], ['q', 's', 'z']);
			g.node('DequantizeLinear', ['q', 's', 'z'], {}, 'y');
		}),
		/DequantizeLinear/,
	);
	assert.match(
		await refused('fused', (g) => {
			const w = g.weight('w', 'int8', [width, columns], weights);
			const s = g.weight('ws', 'float32', [], Float32Array.of(0.001));
			g.node('ms:DynamicQuantizeMatMul', ['x', w, s], {}, 'y');
		}),
		/DynamicQuantizeMatMul/,
	);
	assert.match(
		await refused('scale', (g) => {
			g.nodes('DynamicQuantizeLinear', ['x'], ['q', 's', 'z']);
			const w = g.weight('w', 'int8', [width, columns], weights);
			const wide = g.node('Cast', [g.node('MatMulInteger', ['q', w, 'z'])], { to: 1 });
			g.node('Div', [wide, g.node('Sqrt', ['s'])], {}, 'y');
		}),
		/scale/,
	);
});

async function open(
	from: string,
	precision: string,
	notices: string[] = [],
): Promise<EncoderDecoder> {
	const description = await describeModel(from);
	const variant = description.variants.find((one) => one.precision === precision);
	assert.ok(variant, `${from} has no ${precision}`);
	const runtime = await openRuntime();
	const onNotice = (notice: string) => void notices.push(notice);
	return openEncoderDecoder({ description, variant, runtime, session: { threads: 1 }, onNotice });
}

async function logitsOf(
	model: EncoderDecoder,
	encoded: EncodedBatch,
	row: number,
): Promise<number[]> {
	const decoder = model.start(encoded);
	const found: number[] = [];
	try {
		for (const token of [2, 5, 11, 40]) {
			const output = await decoder.feed(Array.from({ length: encoded.items }, () => [token]));
			found.push(...output.logits(row));
		}
		return found;
	} finally {
		decoder.release();
	}
}

/** Root mean square of the difference, relative to the size of the reference. */
function error(found: readonly number[], reference: readonly number[]): number {
	let off = 0;
	let size = 0;
	for (const [index, value] of reference.entries()) {
		off += ((found[index] as number) - value) ** 2;
		size += value ** 2;
	}
	return Math.sqrt(off / size);
}

/** Windows of a model's encoder: token ids, or a spectrum. */
function inputs(model: EncoderDecoder, items: readonly number[]): Record<string, Tensor> {
	const features = model.encoderInputs.get('input_features');
	if (features === undefined) {
		const ids = items.flatMap((seed) =>
			Array.from({ length: 8 }, (_, k) => BigInt(3 + ((seed * 31 + k * 17) % 200))),
		);
		const dims = [items.length, 8];
		return {
			input_ids: { type: 'int64', dims, data: BigInt64Array.from(ids) },
			attention_mask: { type: 'int64', dims, data: new BigInt64Array(ids.length).fill(1n) },
		};
	}
	const bands = features.dims[1] ?? 80;
	const frames = (features.dims[2] ?? -1) > 0 ? (features.dims[2] as number) : 3000;
	const data = new Float32Array(items.length * bands * frames);
	for (const [item, seed] of items.entries()) {
		const own = new Random(seed + 1);
		const at = item * bands * frames;
		for (let k = 0; k < bands * frames; k++) data[at + k] = own.normal() * 0.3 * (seed + 1);
	}
	return { input_features: { type: 'float32', dims: [items.length, bands, frames], data } };
}

for (const name of ['marian-tjs', 'm2m100-tjs', 'whisper-tjs']) {
	const { path, skip } = sharedFolder(`models-tiny/${name}`);
	test(`${name} in int8: alone and among others the same bits, and no further from float32`, {
		skip,
	}, async () => {
		const copy = join(folder, name);
		cpSync(path, copy, { recursive: true });
		const float = await open(path, 'fp32');
		const rowwise = await open(copy, 'q8');
		try {
			assert.ok(rowwise.batchInvariant);
			for (const seed of [0, 3]) {
				const lone = await rowwise.encode(inputs(rowwise, [seed]));
				const among = await rowwise.encode(inputs(rowwise, [5, seed, 2]));
				const alone = await logitsOf(rowwise, lone, 0);
				assert.deepEqual(await logitsOf(rowwise, among, 1), alone);
				const reference = await logitsOf(float, await float.encode(inputs(float, [seed])), 0);
				const off = error(alone, reference);
				assert.ok(off > 0 && off < 0.05, `${off}`);
			}
		} finally {
			float.close();
			rowwise.close();
		}
	});
}

test('where the change is refused, texts are computed one by one', async () => {
	const model = writeTranslationModel(join(folder, 'int8'), { ...tinyTranslation, int8: true });
	const notices: string[] = [];
	const changed = await open(model, 'q8', notices);
	assert.ok(changed.batchInvariant);
	changed.close();
	assert.deepEqual(notices, []);
	const other = writeTranslationModel(join(folder, 'other'), { ...tinyTranslation, int8: true });
	// One graph of the three is enough.
	const g = new GraphBuilder(join(other, 'onnx', 'encoder_model_quantized.onnx'));
	const ids = g.input('input_ids', 'int64', ['batch', 'positions']);
	g.input('attention_mask', 'int64', ['batch', 'positions']);
	const { hidden } = tinyTranslation;
	const words = g.node('Gather', [g.normal('embed', [320, hidden], 1), ids]);
	const w = g.weight('w', 'int8', [hidden, hidden], new Int8Array(hidden * hidden).fill(3));
	const s = g.weight('ws', 'float32', [], Float32Array.of(0.01));
	g.node('ms:DynamicQuantizeMatMul', [words, w, s], {}, 'last_hidden_state');
	g.output('last_hidden_state', 'float32', ['batch', 'positions', hidden]);
	g.save();
	const kept = await open(other, 'q8', notices);
	assert.equal(kept.batchInvariant, false);
	assert.match(
		notices.join(),
		/one at a time: encoder_model_quantized.onnx: .*DynamicQuantizeMatMul/,
	);
	kept.close();
});
