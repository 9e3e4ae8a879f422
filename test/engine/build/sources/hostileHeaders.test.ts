/**
 * Ten thousand damaged headers, always the same ones: each is opened or refused in words, in little time
 * and memory, and nothing beyond the file is asked for.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { openGguf } from '../../../../server/engine/build/sources/gguf.ts';
import { openMarianBinary } from '../../../../server/engine/build/sources/marianBinary.ts';
import { openNpz } from '../../../../server/engine/build/sources/npz.ts';
import { openSafetensors } from '../../../../server/engine/build/sources/safetensors.ts';
import {
	type ByteSource,
	rowsOf,
	type TensorSource,
} from '../../../../server/engine/build/sources/tensorSource.ts';
import { readLexicalShortlist } from '../../../../server/engine/seq2seq/lexicalShortlist.ts';
import { AppError } from '../../../../server/protocol/index.ts';
import { DamagedBytes } from '../../../fixtures/damage.ts';
import {
	bytesOf,
	float32Tensor,
	ggufBytes,
	marianBytes,
	npzBytes,
	safetensorsBytes,
	shortlistBytes,
} from '../../../fixtures/weightFiles.ts';

const perFormat = 1500;

const numbers = bytesOf(Float32Array.from({ length: 64 }, (_, k) => k / 8));
const scales = bytesOf(Uint16Array.from({ length: 32 }, () => 0x3c00));
const empty = new Uint8Array(0);

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const single = (name: string) => safetensorsBytes({ [name]: float32Tensor([2], [1, 2]) });
const quantisedFile = safetensorsBytes(
	{
		'a.weight': float32Tensor([4, 16], new Float32Array(numbers.buffer)),
		'a.bias': { dtype: 'BF16', shape: [32], bytes: scales },
		'l.qweight': { dtype: 'I32', shape: [2, 8], bytes: numbers.slice(0, 64) },
		'l.qzeros': { dtype: 'I32', shape: [1, 1], bytes: new Uint8Array(4) },
		'l.scales': { dtype: 'F16', shape: [1, 8], bytes: scales.slice(0, 16) },
		'f.weight': { dtype: 'F8_E4M3', shape: [4, 4], bytes: scales.slice(0, 16) },
		'f.weight_scale': float32Tensor([4, 1], [1, 2, 3, 4]),
	},
	{ format: 'pt' },
);

/** A file of each format with everything in it that a header can have, and how it is opened. */
const formats: Record<string, { file: Uint8Array; open: (file: ByteSource) => Promise<unknown> }> =
	{
		gguf: {
			file: ggufBytes({
				metadata: {
					'general.architecture': { type: 'text', value: 'llama' },
					'general.alignment': { type: 'u32', value: 32 },
					'split.count': { type: 'u16', value: 1 },
					'llama.block_count': { type: 'u32', value: 2 },
					'llama.rope.freq_base': { type: 'f32', value: 10_000 },
					'tokenizer.ggml.tokens': { type: 'list', of: 'text', value: ['<s>', 'a', 'bc'] },
					'tokenizer.ggml.scores': { type: 'list', of: 'f32', value: [0, -1, -2] },
					nested: { type: 'list', of: 'list', value: [{ of: 'u8', value: [1, 2, 3] }] },
					large: { type: 'u64', value: 2n ** 60n },
				},
				tensors: [
					{ name: 'token_embd.weight', shape: [4, 16], type: 0, bytes: numbers },
					{ name: 'blk.0.w', shape: [2, 32], type: 2, bytes: new Uint8Array(36) },
					{ name: 'blk.0.k', shape: [1, 256], type: 12, bytes: new Uint8Array(144) },
				],
			}),
			open: (file) => openGguf(file),
		},
		safetensors: {
			file: quantisedFile,
			open: (file) => {
				const config = { quantization_config: { quant_method: 'gptq', bits: 4, group_size: 16 } };
				const settings = json(config);
				return openSafetensors(
					new Map([
						['model.safetensors', file],
						['config.json', memoryBytes(settings)],
					]),
				);
			},
		},
		'the index of safetensors': {
			file: json({
				metadata: { total_size: 8 },
				weight_map: {
					a: 'model-00001-of-00002.safetensors',
					b: 'model-00002-of-00002.safetensors',
				},
			}),
			open: (file) =>
				openSafetensors(
					new Map([
						['model.safetensors.index.json', file],
						['model-00001-of-00002.safetensors', memoryBytes(single('a'))],
						['model-00002-of-00002.safetensors', memoryBytes(single('b'))],
					]),
				),
		},
		'the settings of safetensors': {
			file: json({
				quantization_config: { quant_method: 'gptq', bits: 4, group_size: 16, desc_act: true },
				model_type: 'llama',
			}),
			open: (file) =>
				openSafetensors(
					new Map([
						['model.safetensors', memoryBytes(quantisedFile)],
						['config.json', file],
					]),
				),
		},
		marian: {
			file: marianBytes([
				{ name: 'b', type: 0x0404, shape: [1, 64], bytes: numbers },
				{ name: 'W', type: 0x4101, shape: [6, 10], bytes: numbers.slice(32, 100) },
				{ name: 'Wemb', type: 0x4101, shape: [6, 10], bytes: numbers.slice(32, 100) },
				{
					name: 'special:model.yml',
					type: 0x0101,
					shape: [4],
					bytes: Uint8Array.of(97, 58, 49, 0),
				},
				{ name: 'W_QuantMultA', type: 0x4101, shape: [1], bytes: empty },
			]),
			open: (file) => openMarianBinary(file),
		},
		npz: {
			file: npzBytes({
				W: { descr: '<f4', shape: [4, 16], bytes: numbers },
				b: { descr: '<f2', shape: [32], bytes: scales },
				'special:model.yml': { descr: '|i1', shape: [4], bytes: Uint8Array.of(97, 58, 49, 0) },
			}),
			open: (file) => openNpz(file),
		},
		shortlist: {
			file: shortlistBytes(10, [[1, 2], [], [3], [4, 5, 6]]),
			open: async (file) => readLexicalShortlist(await file.read(0, file.size), file.name ?? ''),
		},
	};

/** Refuses to be read beyond its end, and counts. */
function watched(bytes: Uint8Array): ByteSource & { readonly taken: number } {
	let taken = 0;
	const memory = memoryBytes(bytes, 'damaged');
	return {
		...memory,
		get taken() {
			return taken;
		},
		read: (offset, length, signal) => {
			assert.ok(offset >= 0 && offset + length <= bytes.length, `${offset} + ${length}`);
			taken += length;
			return memory.read(offset, length, signal);
		},
	};
}

const isSource = (opened: unknown): opened is TensorSource =>
	typeof opened === 'object' && opened !== null && 'tensors' in opened;

/** Whether the file was opened; reads all that it is said to hold. */
async function readAll(bytes: Uint8Array, open: (file: ByteSource) => Promise<unknown>) {
	const file = watched(bytes);
	try {
		const opened = await open(file);
		if (!isSource(opened)) return true;
		await using source = opened;
		for (const { name, shape, blocks } of source.tensors.values()) {
			await source.rows(name, 0, rowsOf(shape));
			if (blocks !== undefined) await source.blocks?.(name, 0, rowsOf(shape));
		}
		return true;
	} catch (error) {
		assert.ok(error instanceof AppError, String((error as Error).stack));
		assert.equal(error.code, 'unsupported_model');
		assert.ok(error.message.length < 600, error.message);
		return false;
	} finally {
		// Each part of a file is read a few times at most.
		assert.ok(file.taken <= 8 * bytes.length + 1024, `${file.taken} of ${bytes.length}`);
	}
}

for (const [format, { file, open }] of Object.entries(formats))
	test(`${perFormat} damaged files of ${format} are opened or refused`, async () => {
		assert.ok(await readAll(file, open), 'the file itself');
		const damage = new DamagedBytes(0);
		let opened = 0;
		let slowestMs = 0;
		for (let index = 0; index < perFormat; index++) {
			const bytes = damage.damaged(file);
			const before = performance.now();
			if (await readAll(bytes, open)) opened++;
			slowestMs = Math.max(slowestMs, performance.now() - before);
		}
		// Both happen: the damage is neither everywhere nor nowhere.
		assert.ok(opened > perFormat / 50 && opened < perFormat, `${opened} opened`);
		// Generous: what is bounded by the file takes a millisecond.
		assert.ok(slowestMs < 2000, `${slowestMs} ms for one`);
		assert.ok(process.memoryUsage().rss < 1.5 * 2 ** 30);
	});
