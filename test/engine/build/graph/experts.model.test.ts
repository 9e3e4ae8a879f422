/** Mixtures of experts of GGUF files: names old and new, blocks of every expert, what a build says of their loss. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ggufConfig } from '../../../../server/engine/build/architectures/ggufConfig.ts';
import { checkBuilt } from '../../../../server/engine/build/checkBuilt.ts';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { openGguf } from '../../../../server/engine/build/sources/gguf.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { decodeModel, encodeModel } from '../../../../server/engine/onnx/onnxModel.ts';
import { openRuntime } from '../../../../server/engine/verify/openRuntime.ts';
import { Random } from '../../../fixtures/graphBuilder.ts';
import { byteTokenizer } from '../../../fixtures/tokenizerFiles.ts';
import type { GgufTensor } from '../../../fixtures/weightFiles.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { openDecoder } from '../../openDecoder.ts';
import { type BlockType, f32Tensor, ggufFile, type Metadata, randomBlocks } from '../ggufFile.ts';
import { memorySource, type NamedNumbers } from '../memorySource.ts';
import { type Drawn, randomWeights } from '../randomWeights.ts';
import { build, logitsOf, relativeError, someTokens } from '../rebuilt.ts';

interface Case extends Drawn {
	readonly name: string;
	readonly config: Readonly<Record<string, unknown>>;
	readonly tokens: readonly number[];
	readonly logits: readonly number[];
}

const cases: readonly Case[] = JSON.parse(
	readFileSync(new URL('../../../fixtures/torchDecoders.json', import.meta.url), 'utf8'),
);
const count = 5;

const renamings: readonly (readonly [RegExp, string])[] = [
	[/^model\.embed_tokens/, 'token_embd'],
	[/^model\.norm/, 'output_norm'],
	[/^lm_head/, 'output'],
	[/^model\.layers/, 'blk'],
	[/input_layernorm/, 'attn_norm'],
	[/post_attention_layernorm/, 'ffn_norm'],
	[/self_attn\.([qkv])_proj/, 'attn_$1'],
	[/self_attn\.o_proj/, 'attn_output'],
	[/(mlp|block_sparse_moe)\.gate\./, 'ffn_gate_inp.'],
	[/mlp\.shared_expert_gate/, 'ffn_gate_inp_shexp'],
	[/mlp\.shared_expert\.(gate|up|down)_proj/, 'ffn_$1_shexp'],
	[/mlp\.experts\.(\d+)\.(gate|up|down)_proj/, 'ffn_$2.$1'],
	[/block_sparse_moe\.experts\.(\d+)\.w1/, 'ffn_gate.$1'],
	[/block_sparse_moe\.experts\.(\d+)\.w3/, 'ffn_up.$1'],
	[/block_sparse_moe\.experts\.(\d+)\.w2/, 'ffn_down.$1'],
];

/** `x0 x1 … y0 y1 …` of each head → `x0 y0 x1 y1 …`. */
function paired({ shape, numbers }: NamedNumbers, size: number): NamedNumbers {
	const [rows = 0, columns = 0] = shape;
	const moved = new Float32Array(numbers.length);
	for (let row = 0; row < rows; row++) {
		const at = row % size;
		const from = row - at + (at % 2) * (size / 2) + Math.floor(at / 2);
		moved.set(numbers.subarray(from * columns, (from + 1) * columns), row * columns);
	}
	return { shape, numbers: moved };
}

/** One tensor for all experts, as files since April 2024 have them. */
function stacked(given: ReadonlyMap<string, NamedNumbers>): Map<string, NamedNumbers> {
	const found = new Map<string, NamedNumbers>();
	for (const [name, own] of given) {
		const match = /^(blk\.\d+\.ffn_(?:gate|up|down))\.(\d+)\.weight$/.exec(name);
		if (match === null) found.set(name, own);
		else if (match[2] === '0') {
			const all = Array.from({ length: count }, (_, expert) => [
				...(given.get(`${match[1]}.${expert}.weight`)?.numbers ?? []),
			]);
			found.set(`${match[1]}_exps.weight`, {
				shape: [count, ...own.shape],
				numbers: Float32Array.from(all.flat()),
			});
		}
	}
	return found;
}

function settings(architecture: string, config: Case['config']): Metadata {
	const own = (key: string) => `${architecture}.${key}`;
	return {
		'general.architecture': architecture,
		[own('context_length')]: 64,
		[own('embedding_length')]: config['hidden_size'] as number,
		[own('block_count')]: 2,
		[own('attention.head_count')]: 4,
		[own('attention.head_count_kv')]: 2,
		[own('attention.key_length')]: config['head_dim'] as number,
		[own('attention.layer_norm_rms_epsilon')]: { float: 1e-6 },
		[own('expert_count')]: count,
		[own('expert_used_count')]: 2,
	};
}

/** Of the values that experts get and give, those whose rank the runtime knows before a run. */
async function valuesOfKnownRank(to: string): Promise<readonly string[]> {
	const [file = ''] = readdirSync(join(to, 'onnx')).filter((name) => name.endsWith('.onnx'));
	const model = decodeModel(readFileSync(join(to, 'onnx', file)));
	const values = model.graph.nodes
		.flatMap(({ outputs }) => outputs)
		.filter((name) => /\/moe\/(experts\.|.*\/Split\/)/.test(name));
	assert.ok(values.length > 2 * 2 * 2 * count, `${values.length} values of experts`);
	for (const name of values) model.graph.outputs.push({ name, elementType: 0, dims: undefined });
	const bytes = encodeModel(model);
	const runtime = await openRuntime();
	const session = await runtime.open(
		{ name: file, bytes, folder: join(to, 'onnx') },
		{ threads: 1 },
	);
	const known = values.filter((name) => session.outputs.get(name)?.dims.length !== 0);
	session.close();
	return known;
}

describe('mixtures of experts from GGUF', () => {
	const folder = temporaryFolder();
	const caseOf = (name: string) => cases.find((each) => each.name === name) as Case;
	const weightsOf = (one: Case, isPaired: boolean) =>
		new Map(
			[...randomWeights(one)].map(([own, given]): [string, NamedNumbers] => [
				renamings.reduce((text, [from, to]) => text.replace(from, to), own),
				isPaired && /self_attn\.[qk]_proj/.test(own) ? paired(given, 16) : given,
			]),
		);

	for (const [title, name, architecture, change] of [
		['Mixtral', 'mixtral', 'llama', stacked],
		['Mixtral with a tensor for each expert', 'mixtral', 'llama', (same: typeof stacked) => same],
		['Qwen 2', 'qwen2 with experts, one of them for every token', 'qwen2moe', stacked],
	] as const)
		it(`${title}: the logits that PyTorch computes`, async () => {
			const one = caseOf(name);
			const weights = (change as (given: Map<string, NamedNumbers>) => Map<string, NamedNumbers>)(
				weightsOf(one, architecture === 'llama'),
			);
			const tensors = [...weights].map(([own, given]) =>
				// As converters write it, the gate of the shared expert is a vector.
				f32Tensor(own, own.includes('inp_shexp') ? { ...given, shape: [32] } : given),
			);
			const file = ggufFile(settings(architecture, one.config), tensors);
			const source = await openGguf(memoryBytes(file, 'test.gguf'));
			const to = await build(source, await ggufConfig(source), join(folder, title));
			byteTokenizer(to);
			const notices: string[] = [];
			const decoder = await openDecoder(to, { notices });
			decoder.close();
			assert.deepEqual([decoder.mode, ...notices], ['packed'], 'sequences are decoded together');
			const error = relativeError(await logitsOf(to, one.tokens), one.logits);
			assert.ok(error < 1e-5, `relative error ${error}`);
		});

	it('experts of Q4_K and Q6_K keep their numbers', async () => {
		const sizes = { ...caseOf('mixtral').config, hidden_size: 256, head_dim: 64 };
		const random = new Random(5);
		const inner = 512;
		const plain = (name: string, rows: number, columns: number) =>
			f32Tensor(name, {
				shape: rows === 1 ? [columns] : [rows, columns],
				numbers: Float32Array.from({ length: rows * columns }, () =>
					rows === 1 ? 1 : random.normal() * 0.06,
				),
			});
		const experts = (name: string, rows: number, columns: number, type: BlockType): GgufTensor => ({
			...randomBlocks(name, [count * rows, columns], type, random),
			shape: [count, rows, columns],
		});
		const tensors = [
			plain('token_embd.weight', 300, 256),
			plain('output_norm.weight', 1, 256),
			...[0, 1].flatMap((layer) => {
				const p = `blk.${layer}.`;
				return [
					plain(`${p}attn_norm.weight`, 1, 256),
					plain(`${p}ffn_norm.weight`, 1, 256),
					plain(`${p}attn_q.weight`, 256, 256),
					plain(`${p}attn_k.weight`, 128, 256),
					plain(`${p}attn_v.weight`, 128, 256),
					plain(`${p}attn_output.weight`, 256, 256),
					plain(`${p}ffn_gate_inp.weight`, count, 256),
					experts(`${p}ffn_gate_exps.weight`, inner, 256, 'q4_k'),
					experts(`${p}ffn_up_exps.weight`, inner, 256, 'q4_k'),
					experts(`${p}ffn_down_exps.weight`, 256, inner, 'q6_k'),
				];
			}),
		];
		const open = (given: readonly GgufTensor[]) =>
			openGguf(memoryBytes(ggufFile(settings('llama', sizes), given), 'test.gguf'));
		const source = await open(tensors);
		const config = await ggufConfig(source);
		const tokens = someTokens(30, 300);
		const built = join(folder, 'blocks');
		await build(source, config, built, {
			calibration: async () => ({ importance: tokens.toReversed(), loss: tokens }),
			check: async (work, found) => {
				byteTokenizer(work);
				return checkBuilt(work, found, { neededBytes: 1, availableBytes: 2 });
			},
		});
		assert.deepEqual(await valuesOfKnownRank(built), []);
		const numbers = new Map<string, NamedNumbers>();
		for (const { name, shape } of source.tensors.values()) {
			const rows = shape.slice(0, -1).reduce((a, b) => a * b, 1);
			numbers.set(name, { shape, numbers: await source.rows(name, 0, rows) });
		}
		const exact = await build(
			await open([...numbers].map(([name, given]) => f32Tensor(name, given))),
			config,
			join(folder, 'exact'),
		);
		byteTokenizer(exact);
		const error = relativeError(await logitsOf(built, tokens), await logitsOf(exact, tokens));
		assert.ok(error > 0 && error < 0.04, `relative error ${error}`);
		const { loss } = await describeModel(built);
		assert.ok(loss?.measured === 'answers', loss?.measured);
		assert.equal(loss.weightError, 0);
		assert.ok(loss.divergence < 0.01, `${loss.divergence} nats`);
	});

	it('in four bits, where an expert may see no token of the texts', async () => {
		const one = caseOf('mixtral');
		// As many tokens as the tokenizer has.
		const tensors = one.tensors.map(([name, shape]) =>
			/embed|lm_head/.test(name) ? ([name, [300, 32]] as const) : ([name, shape] as const),
		);
		const source = memorySource(randomWeights({ ...one, tensors }));
		const config = { ...one.config, vocab_size: 300 };
		const to = await build(source, config, join(folder, 'four'), {
			keep: false,
			minFourBitNumbers: 0,
			calibration: async () => ({ importance: [5, 5], loss: [5, 6] }),
			check: async (work, found) => {
				byteTokenizer(work);
				return checkBuilt(work, found, { neededBytes: 1, availableBytes: 2 });
			},
		});
		const { loss } = await describeModel(to);
		assert.ok(loss?.measured === 'answers', loss?.measured);
		assert.ok(loss.weightError > 0.02 && loss.weightError < 0.2, `${loss.weightError}`);
	});

	it('the runtime knows no rank of what experts get and give, which it would compare pair by pair', async () => {
		const one = caseOf('mixtral');
		const to = join(folder, 'shapeless');
		await build(memorySource(randomWeights(one)), one.config, to, { keep: false });
		assert.deepEqual(await valuesOfKnownRank(to), []);
	});

	it('refuses experts that are chosen in another way', async () => {
		const values = {
			...settings('llama', caseOf('mixtral').config),
			'llama.expert_gating_func': 2,
		};
		const source = await openGguf(memoryBytes(ggufFile(values, []), 'test.gguf'));
		await assert.rejects(ggufConfig(source), /expert_gating_func/);
	});
});
