/** Recognition of model folders: what they are, what they hold and what keeps them from running. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { modelInfoText } from '../../server/cli/modelsInfo.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { settingsFrom } from '../../server/engine/modelFiles/generationSettings.ts';
import { chooseVariant, parseGraphName } from '../../server/engine/modelFiles/variants.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const models = sharedFolder('models-tiny');
const root = temporaryFolder('folder');

function varint(value: number): number[] {
	return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
}

function bytesField(number: number, bytes: readonly number[]): number[] {
	return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
}

const textField = (number: number, text: string) => bytesField(number, [...Buffer.from(text)]);
const intField = (number: number, value: number) => [...varint(number * 8), ...varint(value)];

interface GraphSpec {
	readonly inputs?: readonly string[];
	/** `OpType` or `domain:OpType`, with the number of inputs after a blank. */
	readonly ops?: readonly string[];
	readonly external?: string;
	readonly functions?: readonly string[];
	readonly opset?: number;
	readonly output?: string;
}

/** Bytes of an ONNX model that says just this much. */
function onnx(spec: GraphSpec): Buffer {
	const value = (name: string) => [
		...textField(1, name),
		...bytesField(2, bytesField(1, [...intField(1, 7), ...bytesField(2, [])])),
	];
	const node = (op: string) => {
		const [key = '', inputs = '1'] = op.split(' ');
		const [domain, name] = key.includes(':') ? key.split(':') : ['', key];
		const names = Array.from({ length: Number(inputs) }, (_, index) => textField(1, `x${index}`));
		return [...names.flat(), ...textField(4, name ?? ''), ...textField(7, domain ?? '')];
	};
	const tensor = [
		...intField(2, 1),
		...textField(8, 'w'),
		...bytesField(13, [...textField(1, 'location'), ...textField(2, spec.external ?? '')]),
	];
	const graph = [
		...(spec.ops ?? ['Add']).flatMap((op) => bytesField(1, node(op))),
		...(spec.external === undefined ? [] : bytesField(5, tensor)),
		...(spec.inputs ?? ['input_ids', 'attention_mask', 'past_key_values.0.key']).flatMap((name) =>
			bytesField(11, value(name)),
		),
		...bytesField(12, value(spec.output ?? 'logits')),
	];
	const own = (spec.functions ?? []).flatMap((key) => {
		const [domain = '', name = ''] = key.split(':');
		return bytesField(25, [...textField(1, name), ...textField(10, domain)]);
	});
	return Buffer.from([
		...intField(1, 8),
		...bytesField(7, graph),
		...bytesField(8, [...textField(1, ''), ...intField(2, spec.opset ?? 17)]),
		...own,
	]);
}

let count = 0;

function folderWith(files: Readonly<Record<string, string | Buffer | object>>): string {
	const folder = join(root, String(count++));
	mkdirSync(folder);
	for (const [name, content] of Object.entries(files)) {
		const path = join(folder, name);
		mkdirSync(dirname(path), { recursive: true });
		const isBytes = typeof content === 'string' || Buffer.isBuffer(content);
		writeFileSync(path, isBytes ? content : JSON.stringify(content));
	}
	return folder;
}

const llama = {
	'config.json': {
		model_type: 'llama',
		max_position_embeddings: 4096,
		num_hidden_layers: 3,
		num_attention_heads: 8,
		num_key_value_heads: 2,
		hidden_size: 64,
		vocab_size: 100,
		eos_token_id: 2,
	},
	'tokenizer.json': {},
};

describe('model folders', () => {
	it('every reference folder is recognised and free of problems', {
		skip: models.skip,
	}, async () => {
		const tasks: Record<string, string> = {
			bert: 'embeddings',
			gpt2: 'text-generation',
			stories260K: 'text-generation',
			m2m100: 'translation',
			marian: 'translation',
			moonshine: 'automatic-speech-recognition',
			whisper: 'automatic-speech-recognition',
		};
		let found = 0;
		for (const name of readdirSync(models.path).filter((entry) => !entry.endsWith('.md'))) {
			const model = await describeModel(join(models.path, name));
			const family = name.split('-')[0] as string;
			assert.deepEqual(model.problems, [], name);
			assert.equal(model.layout, name.includes('genai') ? 'genai' : 'transformers.js', name);
			assert.equal(model.task, tasks[family] ?? 'chat-completion', name);
			for (const size of [
				model.contextLength,
				model.vocabularySize,
				model.layers,
				model.kvHeads,
				model.headSize,
			]) {
				assert.ok(size > 0, `${name}: ${JSON.stringify(model)}`);
			}
			assert.ok(model.memoryEstimateBytes > (model.variants[0]?.sizeBytes ?? 0));
			if (/int4/.test(name)) assert.equal(model.variants[0]?.precision, 'q4', name);
			found++;
		}
		assert.ok(found >= 27);
	});

	it('precisions, roles and labels come from the file names of the hub', () => {
		assert.deepEqual(parseGraphName('decoder_model_merged_q4f16.onnx'), {
			role: 'decoder-merged',
			precision: 'q4f16',
			label: '',
		});
		assert.deepEqual(parseGraphName('decoder_with_past_model_quantized.onnx'), {
			role: 'decoder-with-past',
			precision: 'q8',
			label: '',
		});
		assert.deepEqual(parseGraphName('model_posids_fp16.onnx'), {
			role: 'model',
			precision: 'fp16',
			label: 'posids',
		});
		assert.deepEqual(parseGraphName('vision_encoder.onnx'), {
			role: 'vision-encoder',
			precision: 'fp32',
			label: '',
		});
		assert.equal(parseGraphName('audio_encoder.onnx'), undefined);
		assert.equal(parseGraphName('model.onnx_data'), undefined);
	});

	it('sizes come from the configs where the graph does not say', async () => {
		const model = await describeModel(folderWith({ ...llama, 'onnx/model.onnx': onnx({}) }));
		assert.deepEqual(
			[model.contextLength, model.vocabularySize, model.layers, model.kvHeads, model.headSize],
			[4096, 100, 1, 2, 8],
		);
		assert.deepEqual(model.eosTokenIds, [2]);
		assert.deepEqual(model.problems, []);
	});

	it('an operator, an input, an opset and a missing file are named before loading', async () => {
		const cases: [GraphSpec, RegExp][] = [
			[{ ops: ['Add', 'com.microsoft:QOrderedMatMul'] }, /QOrderedMatMul, which only GPU/],
			[{ ops: ['my.domain:Magic'] }, /Magic of the domain my\.domain/],
			[{ ops: ['ai.onnx.contrib:GPT2Tokenizer'] }, /ONNX Runtime extensions/],
			[{ ops: ['Frobnicate'] }, /Frobnicate, which ONNX does not define/],
			[{ ops: ['com.microsoft:GroupQueryAttention 16'] }, /norms inside GroupQueryAttention/],
			[{ inputs: ['inputs_embeds', 'attention_mask'] }, /takes embeddings instead of token ids/],
			[{ inputs: ['input_ids', 'pixel_values'] }, /'pixel_values' is not known/],
			[{ inputs: ['input_ids', 'use_cache_branch'] }, /old export that merges two decoders/],
			[{ opset: 99 }, /opset 99/],
			[{ external: 'model.onnx_data' }, /model\.onnx_data of onnx\/model\.onnx is missing/],
		];
		for (const [spec, words] of cases) {
			const model = await describeModel(folderWith({ ...llama, 'onnx/model.onnx': onnx(spec) }));
			assert.match(model.problems.join(' '), words);
			assert.equal(model.problems.length, 1, model.problems.join(' '));
		}
		const own = await describeModel(
			folderWith({
				...llama,
				'onnx/model.onnx': onnx({ ops: ['my.domain:Magic'], functions: ['my.domain:Magic'] }),
			}),
		);
		assert.deepEqual(own.problems, []);
		const attention = onnx({ ops: ['com.microsoft:GroupQueryAttention 14'] });
		const fine = await describeModel(folderWith({ ...llama, 'onnx/model.onnx': attention }));
		assert.deepEqual(fine.problems, []);
	});

	it('a language model that gives vectors instead of logits makes embeddings', async () => {
		const graph = onnx({ output: 'last_hidden_state' });
		const model = await describeModel(folderWith({ ...llama, 'onnx/model.onnx': graph }));
		assert.deepEqual([model.architecture, model.task], ['encoder', 'embeddings']);
		assert.deepEqual(model.problems, []);
	});

	it('a broken variant is left out when another one works', async () => {
		const folder = folderWith({
			...llama,
			'onnx/model.onnx': onnx({}),
			'onnx/model_q4.onnx': onnx({ external: 'model_q4.onnx_data' }),
			'onnx/model_fp16.onnx': onnx({}).subarray(0, 30),
		});
		const model = await describeModel(folder);
		assert.deepEqual(
			model.variants.map((variant) => variant.precision),
			['fp32'],
		);
		assert.deepEqual(model.problems, []);
		assert.match(model.notes.join(' '), /q4 variant cannot be used: .*model_q4\.onnx_data/);
		assert.match(model.notes.join(' '), /fp16 variant cannot be used: .*not a complete ONNX model/);
	});

	it('an encoder-decoder without its decoder, and a folder without tokenizer, say so', async () => {
		const files = {
			'config.json': { model_type: 'marian', is_encoder_decoder: true },
			'onnx/encoder_model.onnx': onnx({ inputs: ['input_ids', 'attention_mask'] }),
		};
		const model = await describeModel(folderWith(files));
		assert.match(model.problems.join(' '), /decoder_model_merged of this precision is missing/);
		assert.match(model.problems.join(' '), /no tokenizer/);
	});

	it('a folder that holds no model, or broken JSON, is refused in words', async () => {
		await assert.rejects(describeModel(folderWith({ 'readme.txt': 'x' })), /holds no model/);
		await assert.rejects(describeModel(join(root, 'nowhere')), /cannot be opened/);
		await assert.rejects(describeModel(folderWith({ 'config.json': '{' })), /not valid JSON/);
		await assert.rejects(describeModel(folderWith({ 'config.json': '[]' })), /not a JSON object/);
	});

	it('the printed description names family, layout, variants and faults', async () => {
		const text = await modelInfoText(
			folderWith({ ...llama, 'onnx/model_q4.onnx': onnx({ ops: ['Frobnicate'] }) }),
		);
		for (const part of [
			'llama (decoder)',
			'transformers.js',
			'4,096 tokens',
			'q4',
			'Cannot run here',
			'Frobnicate',
		]) {
			assert.ok(text.includes(part), `${part} in:\n${text}`);
		}
	});

	it('the variant chosen on the CPU follows a fixed order, and a precision can be asked for', () => {
		const variants = (['fp32', 'q4', 'q8', 'fp16'] as const).map((precision) => ({
			precision,
			files: {},
			sizeBytes: 1,
		}));
		assert.equal(chooseVariant(variants, 'decoder')?.precision, 'q4');
		assert.equal(chooseVariant(variants, 'encoder-decoder')?.precision, 'q8');
		assert.equal(chooseVariant(variants, 'decoder', 'fp16')?.precision, 'fp16');
		assert.equal(chooseVariant(variants, 'decoder', 'bnb4'), undefined);
	});
});

describe('generation settings', () => {
	it('generation_config wins over config, and lists are lists', () => {
		const settings = settingsFrom(
			{
				eos_token_id: [1, 2],
				bad_words_ids: [[5], [6, 7], []],
				suppress_tokens: [9],
				forced_decoder_ids: [
					[1, 50],
					[2, null],
				],
				num_beams: 4,
				early_stopping: 'never',
				max_length: 512,
				do_sample: true,
				temperature: 0.6,
			},
			{
				eos_token_id: 3,
				num_beams: 2,
				length_penalty: 0.8,
				decoder_start_token_id: 7,
				max_length: 20,
			},
			undefined,
		);
		assert.deepEqual(settings.eosTokenIds, [1, 2]);
		assert.deepEqual(settings.badWords, [[5], [6, 7]]);
		assert.deepEqual(settings.forcedDecoderIds, [[1, 50]]);
		assert.deepEqual(settings.suppressTokens, [9]);
		assert.equal(settings.numBeams, 4);
		assert.equal(settings.earlyStopping, 'never');
		assert.equal(settings.lengthPenalty, 0.8);
		assert.equal(settings.decoderStartTokenId, 7);
		assert.equal(settings.maxLength, 512);
		assert.deepEqual([settings.temperature, settings.topK], [0.6, 50]);
	});

	it('a count of earlier turns is read, and anything else in its place is refused by name', () => {
		const turns = (value: unknown) => settingsFrom({ max_history_turns: value }, {}, undefined);
		assert.equal(turns(undefined).maxHistoryTurns, undefined);
		assert.equal(turns(0).maxHistoryTurns, 0);
		assert.equal(turns(3).maxHistoryTurns, 3);
		for (const wrong of [-1, 0.5, '2', true, [1], {}])
			assert.throws(() => turns(wrong), /max_history_turns.*whole number/, String(wrong));
	});

	it('genai_config gives end tokens and search settings; without sampling the sampling fields are neutral', () => {
		const settings = settingsFrom(undefined, undefined, {
			model: { eos_token_id: [4, 5] },
			search: { repetition_penalty: 1.2, max_length: 64, temperature: 0.1, top_k: 3 },
		});
		assert.deepEqual(settings.eosTokenIds, [4, 5]);
		assert.equal(settings.repetitionPenalty, 1.2);
		assert.equal(settings.maxLength, 64);
		assert.deepEqual([settings.temperature, settings.topP, settings.topK], [1, 1, 0]);
	});
});
