/** Encoders from GGUF: the states and scores that PyTorch computes, pooling and pairs as the file says. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ggufConfig } from '../../../../server/engine/build/architectures/ggufConfig.ts';
import { ggufEncoder } from '../../../../server/engine/build/architectures/ggufEncoder.ts';
import { buildFolder } from '../../../../server/engine/build/buildFolder.ts';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { openGguf } from '../../../../server/engine/build/sources/gguf.ts';
import { readEmbeddingSettings } from '../../../../server/engine/embed/pooling.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { loadTokenizer } from '../../../../server/engine/tokenizer/loadTokenizer.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { f32Tensor, ggufFile, type Metadata } from '../ggufFile.ts';
import type { NamedNumbers } from '../memorySource.ts';
import { randomWeights } from '../randomWeights.ts';
import { build, relativeError } from '../rebuilt.ts';
import { statesOf } from '../statesOf.ts';
import { type TorchEncoder, torchEncoders } from '../torchEncoders.ts';

const names: readonly (readonly [RegExp, string])[] = [
	[/^(roberta|bert)\./, ''],
	[/^embeddings\.word_embeddings/, 'token_embd'],
	[/^embeddings\.position_embeddings/, 'position_embd'],
	[/^embeddings\.token_type_embeddings/, 'token_types'],
	[/^embeddings\.LayerNorm/, 'token_embd_norm'],
	[/^encoder\.layer/, 'blk'],
	[/attention\.self\.query/, 'attn_q'],
	[/attention\.self\.key/, 'attn_k'],
	[/attention\.self\.value/, 'attn_v'],
	[/attention\.output\.dense/, 'attn_output'],
	[/attention\.output\.LayerNorm/, 'attn_output_norm'],
	[/intermediate\.dense/, 'ffn_up'],
	[/output\.LayerNorm/, 'layer_output_norm'],
	[/(\d)\.output\.dense/, '$1.ffn_down'],
	[/^classifier\.dense/, 'cls'],
	[/^classifier\.out_proj/, 'cls.output'],
];

const settings = (config: TorchEncoder['config'], more: Metadata): Metadata => ({
	'general.architecture': 'bert',
	'bert.context_length': 20,
	'bert.embedding_length': 32,
	'bert.block_count': 2,
	'bert.feed_forward_length': 48,
	'bert.attention.head_count': 4,
	'bert.attention.layer_norm_epsilon': { float: Number(config['layer_norm_eps']) },
	...more,
});

/** As the converter writes it: without what belongs to padding, or to a task that nobody has. */
function fileOf(
	name: string,
	more: Metadata,
): { readonly one: TorchEncoder; readonly file: Uint8Array } {
	const one = torchEncoders.find((each) => each.name === name);
	assert.ok(one);
	const isRoberta = one.config['model_type'] !== 'bert';
	const tensors = [...randomWeights(one)].flatMap(([own, given]) => {
		if (/pooler|^cls\.|lm_head/.test(own)) return [];
		const renamed = names.reduce((text, [from, to]) => text.replace(from, to), own);
		const isCut = isRoberta && renamed.startsWith('position_embd');
		return [f32Tensor(renamed, isCut ? withoutRows(given, 2) : given)];
	});
	return { one, file: ggufFile(settings(one.config, more), tensors) };
}

const withoutRows = ({ shape, numbers }: NamedNumbers, count: number): NamedNumbers => {
	const [rows = 0, columns = 0] = shape;
	return { shape: [rows - count, columns], numbers: numbers.slice(count * columns) };
};

const pieces = ['<s>', '<pad>', '</s>', '<unk>', ...'▁abcdefghijklmnopqrstuvwxyz0123456789'].slice(
	0,
	40,
);
const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ...'abcdefghijklmnopqrstuvwxyz0123456789'].map(
	(text, id) => (id < 4 ? text : `▁${text}`),
);

describe('encoders from GGUF', () => {
	const folder = temporaryFolder();
	for (const [name, model, pooling] of [
		['bert with its head', 'bert', 1],
		['xlm-roberta', 't5', 2],
		['a reranker of xlm-roberta', 't5', 4],
	] as const)
		it(`${name}: PyTorch's numbers`, async () => {
			const { one, file } = fileOf(name, {
				'tokenizer.ggml.model': model,
				'bert.pooling_type': pooling,
			});
			const opened = await openGguf(memoryBytes(file, 'test.gguf'));
			const { source, config } = ggufEncoder(opened, await ggufConfig(opened));
			assert.equal(config['max_position_embeddings'], 20);
			const to = await build(source, config, join(folder, name));
			const output = one.states === undefined ? 'logits' : 'last_hidden_state';
			const wanted = one.states ?? one.logits ?? [];
			const error = relativeError(await statesOf(to, one.tokens, output), wanted);
			assert.ok(error < 1e-5, `relative error ${error}`);
		});

	const built = async (name: string, more: Metadata): Promise<string> => {
		const path = join(folder, `${name}.gguf`);
		writeFileSync(path, fileOf(name, more).file);
		const target = join(folder, 'whole', name);
		await buildFolder(
			{ source: { kind: 'path', path }, target, origin: { source: 'test' } },
			{ onPlan: async () => {}, onProgress: () => {}, usableBytes: async () => 2 ** 40 },
		);
		return target;
	};

	it('a file becomes a folder that is loaded once, with its pooling', async () => {
		const bert = await built('bert with its head', {
			'tokenizer.ggml.model': 'bert',
			'tokenizer.ggml.tokens': words,
			'tokenizer.ggml.bos_token_id': 2,
			'tokenizer.ggml.seperator_token_id': 3,
			'tokenizer.ggml.unknown_token_id': 1,
			'bert.pooling_type': 2,
		});
		const { task, problems, contextLength } = await describeModel(bert);
		assert.deepEqual([task, problems, contextLength], ['embeddings', [], 20]);
		assert.equal((await readEmbeddingSettings(bert)).pooling, 'cls');
		const tokenizer = await loadTokenizer(bert);
		assert.deepEqual(tokenizer.pairTemplate, [
			{ ids: [2], type: 0 },
			{ text: 0, type: 0 },
			{ ids: [3], type: 0 },
			{ text: 1, type: 1 },
			{ ids: [3], type: 1 },
		]);
	});

	it('a reranker has two tokens between the texts, as RoBERTa has', async () => {
		const to = await built('a reranker of xlm-roberta', {
			'tokenizer.ggml.model': 't5',
			'tokenizer.ggml.tokens': pieces,
			'tokenizer.ggml.bos_token_id': 0,
			'tokenizer.ggml.add_bos_token': true,
			'tokenizer.ggml.add_eos_token': true,
			'tokenizer.ggml.eos_token_id': 2,
			'tokenizer.ggml.unknown_token_id': 3,
			'bert.pooling_type': 4,
		});
		const { task, problems, contextLength } = await describeModel(to);
		assert.deepEqual([task, problems, contextLength], ['rerank', [], 18]);
		const tokenizer = await loadTokenizer(to);
		const around = { ids: [2], type: 0 };
		assert.deepEqual(tokenizer.pairTemplate.slice(-4), [
			around,
			around,
			{ text: 1, type: 0 },
			around,
		]);
	});

	it('a reranker without all of its head is refused, and so are tokens that look back only', async () => {
		for (const [more, wanted] of [
			[{ 'bert.pooling_type': 4 }, /without all of its head/],
			[{ 'bert.attention.causal': true }, /attention\.causal/],
		] as const) {
			const { file } = fileOf('bert with its head', { 'tokenizer.ggml.model': 'bert', ...more });
			const source = await openGguf(memoryBytes(file, 'test.gguf'));
			const config = await ggufConfig(source);
			assert.throws(() => ggufEncoder(source, config), {
				code: 'unsupported_model',
				message: wanted,
			});
		}
	});
});
