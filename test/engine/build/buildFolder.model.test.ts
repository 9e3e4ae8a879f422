/** Folders of weights as they are published: what is built of them, and which of several faults is told. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
	type BuildFacts,
	buildFolder,
	type FolderBuild,
} from '../../../server/engine/build/buildFolder.ts';
import { describeModel } from '../../../server/engine/modelFiles/describe.ts';
import { generationSettings } from '../../../server/engine/modelFiles/generationSettings.ts';
import { readChatTemplate } from '../../../server/engine/modelFiles/templateFile.ts';
import { roughlyUsableMemory } from '../../../server/net/roughMemory.ts';
import { AppError } from '../../../server/protocol/index.ts';
import { byteTokenizer } from '../../fixtures/tokenizerFiles.ts';
import { float32Tensor, ggufBytes, safetensorsBytes } from '../../fixtures/weightFiles.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { type Drawn, randomWeights } from './randomWeights.ts';
import { smallConfig, smallWeights } from './smallDecoder.ts';
import { smallGguf } from './smallGguf.ts';

const { POSITIVE_INFINITY: enough } = Number;
const encoders: readonly (Drawn & { readonly name: string; readonly config: object })[] =
	JSON.parse(readFileSync(new URL('../../fixtures/torchEncoders.json', import.meta.url), 'utf8'));

test('of a GGUF file without a tokenizer, an unknown architecture is told first', async () => {
	const folder = temporaryFolder('faults');
	const attempt = async (architecture: string) => {
		const path = join(folder, `${architecture}.gguf`);
		const weight = { name: 'g', shape: [1, 2], type: 0, bytes: new Uint8Array(8) };
		const metadata = { 'general.architecture': { type: 'text' as const, value: architecture } };
		writeFileSync(path, ggufBytes({ metadata, tensors: [weight] }));
		mkdirSync(join(folder, 'models'), { recursive: true });
		const target = join(folder, 'models', architecture);
		const error = await buildFolder(
			{ source: { kind: 'path', path }, target, origin: { source: 'test' } },
			{
				onPlan: async () => {},
				onProgress: () => {},
				usableBytes: async () => roughlyUsableMemory(),
			},
		).catch((reason: unknown) => reason);
		assert.ok(error instanceof AppError && error.code === 'unsupported_model', String(error));
		return error.message;
	};
	assert.match(await attempt('mamba'), /mamba/);
	assert.doesNotMatch(await attempt('mamba'), /tokenizer/);
});

test('a template or a tokenizer that cannot be read is told before any weight is read', async () => {
	const folder = temporaryFolder('texts');
	const path = join(folder, 'small.gguf');
	const target = join(folder, 'models', 'small');
	const attempt = async (more: Readonly<Record<string, unknown>>) => {
		writeFileSync(path, smallGguf(more));
		const phases: string[] = [];
		const error = await buildFolder(
			{ source: { kind: 'path', path }, target, origin: { source: 'test' } },
			{
				onPlan: async () => {},
				onProgress: ({ phase }) => phases.push(phase),
				usableBytes: async () => roughlyUsableMemory(),
			},
		).catch((reason: unknown) => reason);
		assert.ok(error instanceof AppError && error.code === 'unsupported_model', String(error));
		assert.deepEqual(phases, []);
		assert.ok(!existsSync(target) && !existsSync(join(folder, 'models', '.building', 'small')));
		return error.message;
	};
	const template = '{% for m in messages %}{{ m.role';
	assert.match(await attempt({ 'tokenizer.chat_template': template }), /template cannot be read/);
	const merges = { 'tokenizer.ggml.merges': ['no such'] };
	assert.match(await attempt(merges), /merge/);
});

test('what gives vectors is not built as a language model, nor vectors as others than published', async () => {
	const folder = temporaryFolder('vectors');
	const target = join(folder, 'to');
	const refusal = async (path: string): Promise<string> => {
		const error = await buildFolder(
			{ source: { kind: 'path', path }, target, origin: { source: 'test' } },
			{ onPlan: async () => {}, onProgress: () => {}, usableBytes: async () => 0 },
		).catch((reason: unknown) => reason);
		assert.ok(error instanceof AppError && error.code === 'unsupported_model', String(error));
		return error.message;
	};
	const path = join(folder, 'small.gguf');
	writeFileSync(path, smallGguf({ 'llama.pooling_type': 3 }));
	assert.match(await refusal(path), /gives vectors .*llama\.pooling_type/);
	writeFileSync(path, smallGguf({ 'llama.pooling_type': 0 }));
	await buildFolder(
		{ source: { kind: 'path', path }, target: join(folder, 'none'), origin: { source: 'test' } },
		{ onPlan: async () => {}, onProgress: () => {}, usableBytes: async () => 0 },
	);

	const from = join(folder, 'from');
	mkdirSync(from);
	byteTokenizer(from);
	const write = (withHead: boolean, modules: readonly string[]) => {
		const tensors = [...smallWeights()]
			.filter(([name]) => withHead || name !== 'lm_head.weight')
			.map(([name, { shape, numbers }]) => [name, float32Tensor(shape, numbers)] as const);
		writeFileSync(join(from, 'model.safetensors'), safetensorsBytes(Object.fromEntries(tensors)));
		writeFileSync(join(from, 'config.json'), JSON.stringify(smallConfig));
		const types = modules.map((type) => ({ type: `sentence_transformers.models.${type}` }));
		writeFileSync(join(from, 'modules.json'), JSON.stringify(types));
	};
	write(false, []);
	assert.match(await refusal(from), /no tensor lm_head\.weight/);
	write(true, ['Transformer', 'Pooling', 'Normalize']);
	assert.match(await refusal(from), /gives vectors .*modules\.json/);
	write(true, ['Transformer', 'Pooling', 'Dense']);
	assert.match(await refusal(from), /module "Dense"/);
});

test('the plan tells the memory that the finished model is said to take', async () => {
	const folder = temporaryFolder('memory');
	const path = join(folder, 'small.gguf');
	writeFileSync(path, smallGguf());
	const target = join(folder, 'to');
	let planned = 0;
	await buildFolder(
		{ source: { kind: 'path', path }, target, origin: { source: 'test' } },
		{
			onPlan: async ({ memoryBytes }) => {
				planned = memoryBytes;
			},
			onProgress: () => {},
			usableBytes: async () => 0,
		},
	);
	const { memoryEstimateBytes } = await describeModel(target);
	const cache = 2 * 2 * 2 * 16 * 512 * 4;
	// The tokenizer is in the one and not in the other.
	assert.ok(
		Math.abs(planned - memoryEstimateBytes) < cache / 4,
		`${planned} ${memoryEstimateBytes}`,
	);
});

/** The plan alone. */
async function planOf(build: Omit<FolderBuild, 'target' | 'origin'>): Promise<BuildFacts> {
	const target = join(temporaryFolder('planned'), 'to');
	const notWanted = new Error('only the plan');
	let facts: BuildFacts | undefined;
	await assert.rejects(
		buildFolder(
			{ ...build, target, origin: { source: 'test' } },
			{
				onPlan: async (found) => {
					facts = found;
					throw notWanted;
				},
				onProgress: () => {},
				usableBytes: async () => 0,
			},
		),
		(error) => {
			if (error !== notWanted) throw error;
			return true;
		},
	);
	assert.ok(facts);
	return facts;
}

test('the plan says where more bits or exact numbers change nothing', async () => {
	const path = join(temporaryFolder('flags'), 'small.gguf');
	const unchanged = async (flags: object) =>
		(await planOf({ source: { kind: 'path', path }, ...flags })).isUnchanged;
	writeFileSync(path, smallGguf());
	assert.equal(await unchanged({}), undefined);
	assert.equal(await unchanged({ quality: true }), true, 'so small a model gets 8 bits');
	assert.equal(await unchanged({ keep: true }), undefined);
});

test('a context that is too long for tables is cut, and the settings say so', async () => {
	const folder = temporaryFolder('long');
	byteTokenizer(folder);
	const tensors = [...smallWeights()].map(
		([name, { shape, numbers }]) => [name, float32Tensor(shape, numbers)] as const,
	);
	writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(Object.fromEntries(tensors)));
	const config = { ...smallConfig, max_position_embeddings: 1_000_000 };
	writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
	const source = { kind: 'path', path: folder } as const;
	const { cutContext, sizeBytes } = await planOf({ source });
	assert.deepEqual(cutContext, { published: 1_000_000, built: 262_144 });
	assert.ok(sizeBytes < 262_144 * 16 * 4 + 2e6, `${sizeBytes}`);
	const target = join(folder, 'to');
	await buildFolder(
		{ source, target, origin: { source: 'test' } },
		{ onPlan: async () => {}, onProgress: () => {}, usableBytes: async () => enough },
	);
	assert.equal((await describeModel(target)).contextLength, 262_144);
});

test('weights that no graph could be opened with are refused before any is read', async () => {
	const [hidden, inner] = [4096, 2 ** 20];
	const config = { ...smallConfig, hidden_size: hidden, intermediate_size: inner };
	const layer: readonly (readonly [string, readonly number[]])[] = [
		['input_layernorm', [hidden]],
		['post_attention_layernorm', [hidden]],
		['self_attn.q_proj', [64, hidden]],
		['self_attn.k_proj', [32, hidden]],
		['self_attn.v_proj', [32, hidden]],
		['self_attn.o_proj', [hidden, 64]],
		['mlp.gate_proj', [inner, hidden]],
		['mlp.up_proj', [inner, hidden]],
		['mlp.down_proj', [hidden, inner]],
	];
	const shapes = [
		['model.embed_tokens', [300, hidden]] as const,
		['lm_head', [300, hidden]] as const,
		['model.norm', [hidden]] as const,
		...[0, 1].flatMap((at) =>
			layer.map(([part, shape]) => [`model.layers.${at}.${part}`, shape] as const),
		),
	];
	let end = 0;
	const entries = shapes.map(([module, shape]) => {
		const from = end;
		end += 2 * shape.reduce((product, size) => product * size, 1);
		return [`${module}.weight`, { dtype: 'BF16', shape, data_offsets: [from, end] }] as const;
	});
	const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
	const bytes = Buffer.concat([Buffer.alloc(8), header]);
	bytes.writeBigUInt64LE(BigInt(header.length));
	const file = {
		name: 'model.safetensors',
		size: bytes.length + end,
		read: async (offset: number, length: number) => {
			assert.ok(offset + length <= bytes.length, 'a weight is read');
			return bytes.subarray(offset, offset + length);
		},
	};
	const sides = temporaryFolder('large');
	byteTokenizer(sides);
	writeFileSync(join(sides, 'config.json'), JSON.stringify(config));
	const source = { kind: 'files', format: 'safetensors', files: [file] } as const;
	assert.ok((await planOf({ source, sides })).sizeBytes < 20e9);
	await assert.rejects(planOf({ source, sides, keep: true }), {
		code: 'unsupported_model',
		message: /bytes of weights; at most 68719476736 are read/,
	});
});

test('an empty chat template is none', async () => {
	const folder = temporaryFolder('base');
	const path = join(folder, 'base.gguf');
	writeFileSync(path, smallGguf({ 'tokenizer.chat_template': '' }));
	const target = join(folder, 'base');
	await buildFolder(
		{ source: { kind: 'path', path }, target, origin: { source: 'test' } },
		{ onPlan: async () => {}, onProgress: () => {}, usableBytes: async () => 0 },
	);
	assert.equal(await readChatTemplate(target), undefined);
});

test('a tokenizer of another model is told, before the weights are read where it makes no tokens', async () => {
	const folder = temporaryFolder('foreign');
	byteTokenizer(folder);
	const attempt = async (rows: number) => {
		const config = { ...smallConfig, vocab_size: rows };
		const tensors = [...smallWeights(5, config)].map(
			([name, { shape, numbers }]) => [name, float32Tensor(shape, numbers)] as const,
		);
		writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
		writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(Object.fromEntries(tensors)));
		const phases = new Set<string>();
		const target = join(folder, 'models', 'foreign');
		const error = await buildFolder(
			{ source: { kind: 'path', path: folder }, target, origin: { source: 'test' } },
			{
				onPlan: async () => {},
				onProgress: ({ phase }) => phases.add(phase),
				usableBytes: async () => enough,
			},
		).catch((reason: unknown) => reason);
		assert.ok(error instanceof AppError && error.code === 'unsupported_model', String(error));
		assert.ok(!existsSync(target));
		return [error.message, [...phases]] as const;
	};
	assert.match((await attempt(97))[0], /does not read .*not in the model's vocabulary/);
	const model = { type: 'BPE', vocab: { é: 0 }, merges: [] };
	writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify({ added_tokens: [], model }));
	writeFileSync(join(folder, 'tokenizer_config.json'), '{}');
	const [message, phases] = await attempt(300);
	assert.match(message, /makes no tokens|does not read/);
	assert.deepEqual(phases, []);
});

test('generation_config.json beside a GGUF file says how answers are drawn, and which tokens end them besides', async () => {
	const folder = temporaryFolder('beside');
	const path = join(folder, 'small.gguf');
	writeFileSync(path, smallGguf());
	const beside = {
		do_sample: true,
		temperature: 0.6,
		top_p: 0.9,
		bos_token_id: 99_999,
		eos_token_id: [12, 99_999],
		pad_token_id: null,
	};
	const settingsOf = async (source: string, sides?: string) => {
		const target = join(folder, 'built', `${source === path}-${sides === undefined}`);
		await buildFolder(
			{
				source: { kind: 'path', path: source },
				target,
				origin: { source: 'test' },
				...(sides === undefined ? {} : { sides }),
			},
			{ onPlan: async () => {}, onProgress: () => {}, usableBytes: async () => 0 },
		);
		return generationSettings(target);
	};
	writeFileSync(join(folder, 'generation_config.json'), JSON.stringify(beside));
	const sides = join(folder, 'sides');
	mkdirSync(sides);
	const own = await settingsOf(path, sides);
	assert.equal(own.doSample, false, 'what was fetched counts, not what lies elsewhere');
	for (const source of [path, folder]) {
		const found = await settingsOf(source);
		assert.deepEqual([found.doSample, found.temperature, found.topP], [true, 0.6, 0.9]);
		assert.deepEqual(found.eosTokenIds, [...own.eosTokenIds, 12]);
		assert.equal(found.bosTokenId, own.bosTokenId);
		assert.equal(found.padTokenId, own.padTokenId);
	}
	writeFileSync(join(folder, 'generation_config.json'), '{');
	await assert.rejects(settingsOf(path), { code: 'unsupported_model' });
});

for (const [judges, usable] of [
	[false, enough],
	[true, enough],
	[true, 1],
] as const)
	test(`a folder of BERT with vocab.txt becomes ${judges ? 'a reranker' : 'an embedding model'}${usable === 1 ? ', compared as far as memory allows' : ''}`, async () => {
		const folder = temporaryFolder('encoders');
		const one = encoders.find(
			({ name }) => name === (judges ? 'a reranker of bert' : 'bert with its head'),
		) as (typeof encoders)[number];
		const tensors = [...randomWeights(one)].map(
			([name, { shape, numbers }]) => [name, float32Tensor(shape, numbers)] as const,
		);
		const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'the', 'quick', 'brown', 'fox'];
		const from = join(folder, 'from');
		mkdirSync(from);
		writeFileSync(join(from, 'model.safetensors'), safetensorsBytes(Object.fromEntries(tensors)));
		writeFileSync(join(from, 'config.json'), JSON.stringify(one.config));
		writeFileSync(join(from, 'vocab.txt'), words.join('\n'));
		const target = join(folder, 'to');
		const loss = await buildFolder(
			{ source: { kind: 'path', path: from }, target, origin: { source: 'test' } },
			{ onPlan: async () => {}, onProgress: () => {}, usableBytes: async () => usable },
		);
		assert.equal(loss?.measured, 'weights');
		assert.equal(/memory/.test(loss.why ?? ''), usable === 1);
		const { task, problems } = await describeModel(target);
		assert.deepEqual([task, problems], [judges ? 'rerank' : 'embeddings', []]);
	});
