/** Language and embedding models in dynamic int8: a scale per row lets requests share runs and caches. */

import assert from 'node:assert/strict';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Decoder } from '../../server/engine/decode/decoder.ts';
import { loadDecoder } from '../../server/engine/decode/loadDecoder.ts';
import { PackedDecoder } from '../../server/engine/decode/packedDecoder.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import type { KvCache } from '../../server/engine/kv/kvCache.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { makeNode } from '../../server/engine/onnx/graphEdit.ts';
import { decodeModel, encodeModel } from '../../server/engine/onnx/onnxModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openDecoder } from './openDecoder.ts';
import { tokensRequest } from './support.ts';

const folder = temporaryFolder();

async function logitsOf(decoder: Decoder, cache: KvCache, tokens: readonly number[]) {
	const [row] = await decoder.step([{ cache, tokens, logits: 1 }]);
	return [...(row?.[0] ?? [])];
}

for (const attention of ['gqa', 'plain'] as const) {
	test(`sequences that are decoded together get what they get alone (${attention})`, async () => {
		const spelledOut = attention === 'plain' ? { queryScale: 1 } : {};
		const model = writeDecoderModel(join(folder, attention), {
			attention,
			int8: true,
			...spelledOut,
		});
		const notices: string[] = [];
		const decoder = await openDecoder(model, { notices });
		try {
			assert.ok(decoder.batchInvariant);
			assert.ok(decoder.mode === 'packed', notices.join());
			assert.deepEqual(notices, []);
			const prompts = [[5, 9, 40], [77, 12, 60, 33, 8, 90, 7], [200], [3, 3, 3, 3, 250]];
			const alone: number[][] = [];
			for (const prompt of prompts) {
				const cache = decoder.createCache();
				await logitsOf(decoder, cache, prompt);
				alone.push(await logitsOf(decoder, cache, [42]));
				cache.release();
			}
			const caches = prompts.map(() => decoder.createCache());
			const together = (tokens: (index: number) => readonly number[]) =>
				decoder.step(
					prompts.map((_, index) => ({
						cache: caches[index] as KvCache,
						tokens: tokens(index),
						logits: 1,
					})),
				);
			await together((index) => prompts[index] as number[]);
			const found = await together(() => [42]);
			for (const [index, row] of found.entries()) {
				const largest = Math.max(...(alone[index] as number[]).map(Math.abs));
				for (const [id, value] of (row[0] ?? new Float32Array()).entries()) {
					const off = Math.abs(value - ((alone[index] as number[])[id] as number));
					assert.ok(off <= 1e-5 * largest, `sequence ${index}, token ${id}: ${off}`);
				}
			}
			for (const cache of caches) cache.release();
		} finally {
			decoder.close();
		}
	});
}

test('where the head cannot be cut, rows have scales of their own all the same', async () => {
	const model = writeDecoderModel(join(folder, 'uncut'), { attention: 'plain', int8: true });
	const path = join(model, 'onnx', 'model_quantized.onnx');
	const { graph, rest } = decodeModel(readFileSync(path));
	const head = graph.nodes.find(({ outputs }) => outputs.includes('logits'));
	assert.ok(head);
	head.outputs[0] = 'raw';
	graph.nodes.push(makeNode('Neg', ['raw'], ['turned']), makeNode('Neg', ['turned'], ['logits']));
	writeFileSync(path, encodeModel({ graph, rest }));
	const notices: string[] = [];
	const decoder = await openDecoder(model, { notices });
	assert.ok(decoder.batchInvariant);
	assert.equal(decoder.mode, 'serial');
	assert.match(notices.join(), /not prepared: the logits do not come from one matrix product/);
	decoder.close();
	// As published, sequences must not share a run: their results would depend on each other.
	const fixed = await openDecoder(model, { prepare: false });
	assert.equal(fixed.mode, 'serial');
	fixed.close();
});

test('the next turn of a conversation reads only what is new, with the same answer', async () => {
	const model = writeDecoderModel(join(folder, 'turns'), { attention: 'gqa', int8: true });
	const history = Array.from({ length: 60 }, (_, k) => 5 + ((k * 37) % 240));
	const answers: string[] = [];
	for (const prefixCache of [true, false]) {
		const engine = await loadEngine({ folder: model, threads: 1, prefixCache });
		try {
			await engine.generate(tokensRequest(history), () => undefined);
			const { timings, choices } = await engine.generate(
				tokensRequest([...history, 9, 77, 30]),
				() => undefined,
			);
			assert.equal(timings.cache_n > 50, prefixCache, `${timings.cache_n} tokens were kept`);
			answers.push(JSON.stringify(choices.map(({ text }) => text)));
		} finally {
			await engine.close();
		}
	}
	assert.equal(answers[0], answers[1]);
});

test('a folder that is read-only loses nothing', {
	skip: process.platform === 'win32' ? 'folders have no write bits there' : false,
}, async () => {
	const model = writeDecoderModel(join(folder, 'fixed'), { attention: 'gqa', int8: true });
	chmodSync(join(model, 'onnx'), 0o555);
	const notices: string[] = [];
	const decoder = await openDecoder(model, { notices });
	assert.ok(decoder.batchInvariant);
	assert.equal(decoder.mode, 'packed');
	assert.deepEqual(notices, []);
	decoder.close();
	chmodSync(join(model, 'onnx'), 0o755);
});

const names = ['llama3-tjs', 'qwen2-tjs', 'qwen2-gqa-tjs', 'qwen3-tjs', 'phi3-tjs', 'gpt2-tjs'];
for (const name of [...names, 'stories260K-tjs']) {
	const { path, skip } = sharedFolder(`models-tiny/${name}`);
	test(`${name}: int8 is packed and about as near to float32 as published`, { skip }, async () => {
		const copy = join(folder, name);
		cpSync(path, copy, { recursive: true });
		chmodSync(join(copy, 'onnx'), 0o755);
		const description = await describeModel(copy);
		const open = async (precision: string, prepare: boolean) => {
			const variant = description.variants.find((one) => one.precision === precision);
			assert.ok(variant);
			const { contextLength } = description;
			const runtime = await openRuntime();
			const session = { threads: 1 };
			return loadDecoder({
				description,
				variant,
				runtime,
				session,
				contextLength,
				rewrite: prepare,
			});
		};
		const tokens = [5, 9, 40, 77, 12, 60, 33];
		const read = async (decoder: Decoder) => {
			const cache = decoder.createCache();
			const logits = await logitsOf(decoder, cache, tokens);
			cache.release();
			decoder.close();
			return logits;
		};
		const exact = await read(await open('fp32', true));
		const packed = await open('q8', true);
		assert.ok(packed instanceof PackedDecoder);
		const found = await read(packed);
		const size = Math.hypot(...exact);
		const off = Math.hypot(...exact.map((value, id) => value - (found[id] as number))) / size;
		assert.ok(off > 0 && off < 0.06, `${off}`);
	});
}

const bert = sharedFolder('models-tiny/bert-tjs');
test('embeddings in int8 are near the reference, and the same to the last bit alone and in company', {
	skip: bert.skip,
}, async () => {
	const copy = join(folder, 'bert');
	cpSync(bert.path, copy, { recursive: true });
	chmodSync(join(copy, 'onnx'), 0o755);
	const engine = await loadEngine({ folder: copy, precision: 'q8', threads: 1 });
	try {
		const inputs = ['a', 'where is it', 'open the file and close it again, then once more', 'no'];
		const together = await engine.embed({ inputs });
		for (const [index, input] of inputs.entries()) {
			const alone = await engine.embed({ inputs: [input] });
			assert.deepEqual(together.vectors[index], alone.vectors[0]);
		}
		const reference = JSON.parse(readFileSync(join(copy, 'reference.json'), 'utf8'));
		const { vectors } = await engine.embed({ inputs: reference.texts });
		for (const [index, expected] of (reference.embeddings as number[][]).entries()) {
			const off = expected.map((value, at) => Math.abs(value - (vectors[index]?.[at] as number)));
			assert.ok(Math.max(...off) <= 0.02, `text ${index}: off by ${Math.max(...off)}`);
		}
	} finally {
		await engine.close();
	}
});
