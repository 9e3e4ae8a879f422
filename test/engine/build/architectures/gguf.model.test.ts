/** Models from GGUF files: the settings from the metadata, rows in their order, blocks number for number. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lossText } from '../../../../server/cli/lossText.ts';
import { familyOfConfig } from '../../../../server/engine/build/architectures/decoderConfig.ts';
import { ggufConfig } from '../../../../server/engine/build/architectures/ggufConfig.ts';
import { checkBuilt } from '../../../../server/engine/build/checkBuilt.ts';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { openGguf } from '../../../../server/engine/build/sources/gguf.ts';
import type { TensorSource } from '../../../../server/engine/build/sources/tensorSource.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { Random } from '../../../fixtures/graphBuilder.ts';
import { byteTokenizer } from '../../../fixtures/tokenizerFiles.ts';
import type { GgufTensor } from '../../../fixtures/weightFiles.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { openDecoder } from '../../openDecoder.ts';
import {
	type BlockType,
	blockTypes,
	f32Tensor,
	ggufFile,
	type Metadata,
	randomBlocks,
} from '../ggufFile.ts';
import { memorySource, type NamedNumbers } from '../memorySource.ts';
import { build, logitsOf, relativeError, someTokens } from '../rebuilt.ts';
import { smallConfig, smallWeights } from '../smallDecoder.ts';

const parts: Readonly<Record<string, string>> = {
	'model.embed_tokens': 'token_embd',
	'model.norm': 'output_norm',
	lm_head: 'output',
	input_layernorm: 'attn_norm',
	post_attention_layernorm: 'ffn_norm',
	'self_attn.q_proj': 'attn_q',
	'self_attn.k_proj': 'attn_k',
	'self_attn.v_proj': 'attn_v',
	'self_attn.o_proj': 'attn_output',
	'mlp.gate_proj': 'ffn_gate',
	'mlp.up_proj': 'ffn_up',
	'mlp.down_proj': 'ffn_down',
};

/** The name of a tensor in GGUF, and the other way round. */
const ggufName = (name: string): string =>
	name
		.replace(
			/^model\.layers\.(\d+)\.(.+)\.weight$/,
			(_, layer, part) => `blk.${layer}.${parts[part]}.weight`,
		)
		.replace(
			/^(model\.embed_tokens|model\.norm|lm_head)\.weight$/,
			(_, part) => `${parts[part]}.weight`,
		);

/** Rows of each head as the converter to GGUF has them: `x0 x1 … y0 y1 …` becomes `x0 y0 x1 y1 …`. */
function paired({ shape, numbers }: NamedNumbers, headSize: number): NamedNumbers {
	const [rows = 0, columns = 0] = shape;
	const ordered = new Float32Array(numbers.length);
	for (let row = 0; row < rows; row++) {
		const inHead = row % headSize;
		const from = row - inHead + (inHead % 2) * (headSize / 2) + Math.floor(inHead / 2);
		ordered.set(numbers.subarray(from * columns, (from + 1) * columns), row * columns);
	}
	return { shape, numbers: ordered };
}

const metadata = (sizes: typeof smallConfig, more: Metadata = {}): Metadata => ({
	'general.architecture': 'llama',
	'llama.context_length': sizes.max_position_embeddings,
	'llama.embedding_length': sizes.hidden_size,
	'llama.block_count': sizes.num_hidden_layers,
	'llama.feed_forward_length': sizes.intermediate_size,
	'llama.attention.head_count': sizes.num_attention_heads,
	'llama.attention.head_count_kv': sizes.num_key_value_heads,
	'llama.attention.key_length': sizes.head_dim,
	'llama.attention.layer_norm_rms_epsilon': { float: sizes.rms_norm_eps },
	...more,
});

const open = (tensors: readonly GgufTensor[], values: Metadata) =>
	openGguf(memoryBytes(ggufFile(values, tensors), 'test.gguf'));

async function buildGguf(source: TensorSource, to: string): Promise<string> {
	await build(source, await ggufConfig(source), to);
	byteTokenizer(to);
	return to;
}

describe('decoders from GGUF', () => {
	const folder = temporaryFolder();

	it('has the logits of the same weights as safetensors', async () => {
		const weights = smallWeights();
		const tensors = [...weights].map(([name, given]) =>
			f32Tensor(ggufName(name), /[qk]_proj/.test(name) ? paired(given, 16) : given),
		);
		const plain = await build(memorySource(weights), smallConfig, join(folder, 'safetensors'));
		byteTokenizer(plain);
		const source = await open(tensors, metadata(smallConfig));
		const built = await buildGguf(source, join(folder, 'gguf'));
		const tokens = someTokens(30, 300);
		assert.equal(relativeError(await logitsOf(built, tokens), await logitsOf(plain, tokens)), 0);
	});

	it('divides the frequencies by the factors of the file', async () => {
		const weights = smallWeights();
		const tensors = [...weights].map(([name, given]) =>
			f32Tensor(ggufName(name), /[qk]_proj/.test(name) ? paired(given, 16) : given),
		);
		const divisors = Float32Array.of(1, 1, 1, 1, 3, 3, 3, 3);
		const source = await open(
			[...tensors, f32Tensor('rope_freqs.weight', { shape: [8], numbers: divisors })],
			metadata(smallConfig),
		);
		const config = await ggufConfig(source);
		assert.deepEqual(config['rope_scaling'], { rope_type: 'divisors', divisors: [...divisors] });
		const divided = await buildGguf(source, join(folder, 'divided'));
		const plain = await buildGguf(
			await open(tensors, metadata(smallConfig)),
			join(folder, 'undivided'),
		);
		const tokens = someTokens(30, 300);
		assert.ok(relativeError(await logitsOf(divided, tokens), await logitsOf(plain, tokens)) > 1e-3);
	});

	it('reads the settings of each architecture', async () => {
		const source = await open(
			[f32Tensor('token_embd.weight', { shape: [8, 32], numbers: new Float32Array(256) })],
			{
				'general.architecture': 'gemma3',
				'gemma3.context_length': 128,
				'gemma3.embedding_length': 32,
				'gemma3.block_count': 62,
				'gemma3.attention.head_count': 4,
				'gemma3.attention.head_count_kv': 2,
				'gemma3.attention.key_length': 16,
				'gemma3.attention.sliding_window': 24,
				'gemma3.rope.freq_base': { float: 1e6 },
				'gemma3.rope.scaling.type': 'linear',
				'gemma3.rope.scaling.factor': { float: 8 },
				'tokenizer.ggml.eos_token_id': 1,
			},
		);
		assert.deepEqual(await ggufConfig(source), {
			model_type: 'gemma3_text',
			max_position_embeddings: 128,
			hidden_size: 32,
			num_hidden_layers: 62,
			num_attention_heads: 4,
			num_key_value_heads: 2,
			head_dim: 16,
			sliding_window: 24,
			rope_theta: 1e6,
			eos_token_id: 1,
			vocab_size: 8,
			tie_word_embeddings: true,
			rope_scaling: { rope_type: 'linear', factor: 8 },
			query_pre_attn_scalar: 8,
		});
	});

	it('says of a mixture of experts that it is one', async () => {
		for (const name of ['deepseek2', 'phimoe']) {
			const source = await open([], {
				'general.architecture': name,
				[`${name}.expert_count`]: 8,
			});
			await assert.rejects(
				async () => familyOfConfig(await ggufConfig(source)),
				(error: Error) => new RegExp(`"${name}"\\) is a mixture of 8 experts`).test(error.message),
			);
		}
	});

	it('refuses an architecture by its name', async () => {
		for (const name of ['rwkv6', 'mistral', 'constructor']) {
			const source = await open([], { 'general.architecture': name });
			await assert.rejects(ggufConfig(source), {
				code: 'unsupported_model',
				message: new RegExp(`"${name}"`),
			});
		}
	});
});

/** Sizes that types of super-blocks fit into. */
const wide = { ...smallConfig, hidden_size: 256, intermediate_size: 512, head_dim: 64 };

describe('blocks of GGUF', () => {
	const folder = temporaryFolder();
	const numbersOf = async (source: TensorSource): Promise<Map<string, NamedNumbers>> => {
		const back = new Map<string, NamedNumbers>();
		for (const { name, shape } of source.tensors.values()) {
			const rows = shape.length === 1 ? 1 : (shape[0] as number);
			back.set(name, { shape, numbers: await source.rows(name, 0, rows) });
		}
		return back;
	};

	function tensorsOf(type: BlockType, value: BlockType = type): GgufTensor[] {
		const random = new Random(11);
		const { hidden_size: hidden, intermediate_size: inner, vocab_size: vocabulary } = wide;
		const ones = (name: string) =>
			f32Tensor(name, { shape: [hidden], numbers: new Float32Array(hidden).fill(1) });
		const found = [
			randomBlocks('token_embd.weight', [vocabulary, hidden], type, random),
			ones('output_norm.weight'),
		];
		for (let layer = 0; layer < wide.num_hidden_layers; layer++) {
			const add = (name: string, rows: number, columns: number, own = type) =>
				found.push(randomBlocks(`blk.${layer}.${name}.weight`, [rows, columns], own, random));
			found.push(ones(`blk.${layer}.attn_norm.weight`), ones(`blk.${layer}.ffn_norm.weight`));
			add('attn_q', 256, hidden);
			add('attn_k', 128, hidden);
			add('attn_v', 128, hidden, value);
			add('attn_output', hidden, 256);
			add('ffn_gate', inner, hidden);
			add('ffn_up', inner, hidden);
			add('ffn_down', hidden, inner, value);
		}
		return found;
	}

	const mixes: readonly (readonly [BlockType, BlockType])[] = [
		...(Object.keys(blockTypes) as BlockType[]).map((type) => [type, type] as const),
		['q4_k', 'q6_k'],
		['q4_0', 'q8_0'],
	];
	for (const [type, value] of mixes) {
		it(`${type}${value === type ? '' : ` with ${value}`}: as near to the numbers as whole activations allow`, async () => {
			const tensors = tensorsOf(type, value);
			const source = await open(tensors, metadata(wide));
			const built = await buildGguf(source, join(folder, `${type}-${value}`));
			// The same numbers, a matrix of float32 each.
			const plainTensors = [...(await numbersOf(source))].map(([name, numbers]) =>
				f32Tensor(name, numbers),
			);
			const plain = await buildGguf(
				await open(plainTensors, metadata(wide)),
				join(folder, `${type}-${value}-plain`),
			);
			const tokens = someTokens(30, 300);
			const notices: string[] = [];
			const decoder = await openDecoder(built, { notices });
			decoder.close();
			assert.deepEqual([decoder.mode, ...notices], ['packed'], 'nothing is left as it was');
			const error = relativeError(await logitsOf(built, tokens), await logitsOf(plain, tokens));
			console.log(`measured: ${type} ${value}: ${error.toFixed(4)} of the logits`);
			assert.ok(error > 0 && error < 0.04, `relative error ${error}`);
		});
	}

	it('say what they lose to activations of 8 bits, though their numbers are kept', async () => {
		const source = await open(tensorsOf('q4_k', 'q6_k'), metadata(wide));
		const plainTensors = [...(await numbersOf(source))].map(([name, numbers]) =>
			f32Tensor(name, numbers),
		);
		const plain = await buildGguf(await open(plainTensors, metadata(wide)), join(folder, 'exact'));
		const tokens = someTokens(30, 300);
		const calibration = { importance: tokens.toReversed(), loss: tokens };
		const built = join(folder, 'measured');
		let expected: readonly number[] = [];
		await build(source, await ggufConfig(source), built, {
			calibration: async () => calibration,
			check: async (work, found) => {
				byteTokenizer(work);
				expected = [...(found.reference?.expected.logits ?? [])];
				return checkBuilt(work, found, { neededBytes: 1, availableBytes: 2 });
			},
		});
		const error = relativeError(expected.slice(-8 * 300), await logitsOf(plain, tokens));
		assert.ok(error < 1e-5, `relative error ${error}`);
		const { loss } = await describeModel(built);
		assert.ok(loss?.measured === 'answers');
		assert.equal(loss.weightError, 0);
		assert.ok(loss.divergence > 0 && loss.divergence < 0.01, `${loss.divergence} nats`);
		assert.match(
			lossText(loss),
			/same as in exact arithmetic.*; the numbers of the source are kept$/,
		);
	});
});
