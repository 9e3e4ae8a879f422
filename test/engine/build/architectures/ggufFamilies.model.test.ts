/** Families whose GGUF files have other names and orders than the hub's: the logits that PyTorch computes. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ggufConfig } from '../../../../server/engine/build/architectures/ggufConfig.ts';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { openGguf } from '../../../../server/engine/build/sources/gguf.ts';
import { byteTokenizer } from '../../../fixtures/tokenizerFiles.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { f32Tensor, ggufFile, type Metadata } from '../ggufFile.ts';
import type { NamedNumbers } from '../memorySource.ts';
import { randomWeights } from '../randomWeights.ts';
import { build, logitsOf, relativeError } from '../rebuilt.ts';

interface Case {
	readonly name: string;
	readonly seed: number;
	readonly config: Readonly<Record<string, unknown>>;
	readonly tensors: readonly (readonly [name: string, shape: readonly number[]])[];
	readonly tokens: readonly number[];
	readonly logits: readonly number[];
}

const cases: readonly Case[] = JSON.parse(
	readFileSync(new URL('../../../fixtures/torchDecoders.json', import.meta.url), 'utf8'),
);

/** Rows in another order. */
function reordered({ shape, numbers }: NamedNumbers, order: readonly number[]): NamedNumbers {
	const columns = shape[1] as number;
	const moved = new Float32Array(numbers.length);
	for (const [row, from] of order.entries())
		moved.set(numbers.subarray(from * columns, (from + 1) * columns), row * columns);
	return { shape, numbers: moved };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k);

/** Queries, key and value of each group → all queries, all keys, all values. */
function groupsApart(groups: number, queries: number, size: number): number[] {
	const rows = (group: number, from: number, to: number) =>
		range((group * (queries + 2) + from) * size, (group * (queries + 2) + to) * size);
	return [
		[0, queries],
		[queries, queries + 1],
		[queries + 1, queries + 2],
	].flatMap(([from = 0, to = 0]) => range(0, groups).flatMap((group) => rows(group, from, to)));
}

/** `x0 x1 … y0 y1 …` of each head → `x0 y0 x1 y1 …`. */
const pairs = (heads: number, size: number): number[] =>
	range(0, heads * size).map((row) => {
		const at = row % size;
		return row - at + (at % 2) * (size / 2) + Math.floor(at / 2);
	});

const falconNames: readonly (readonly [RegExp, string])[] = [
	[/^transformer\.word_embeddings/, 'token_embd'],
	[/^transformer\.ln_f/, 'output_norm'],
	[/^transformer\.h/, 'blk'],
	[/input_layernorm|ln_mlp/, 'attn_norm'],
	[/ln_attn/, 'attn_norm_2'],
	[/self_attention\.query_key_value/, 'attn_qkv'],
	[/self_attention\.dense/, 'attn_output'],
	[/mlp\.dense_h_to_4h/, 'ffn_up'],
	[/mlp\.dense_4h_to_h/, 'ffn_down'],
];
const olmoNames: readonly (readonly [RegExp, string])[] = [
	[/^model\.embed_tokens/, 'token_embd'],
	[/^lm_head/, 'output'],
	[/^model\.layers/, 'blk'],
	[/self_attn\.([qkv])_proj/, 'attn_$1'],
	[/self_attn\.o_proj/, 'attn_output'],
	[/mlp\.(gate|up|down)_proj/, 'ffn_$1'],
];

describe('decoders from GGUF of other families', () => {
	const folder = temporaryFolder();
	const check = async (
		name: string,
		names: typeof falconNames,
		values: Metadata,
		change: (name: string, given: NamedNumbers) => NamedNumbers,
	) => {
		const one = cases.find((each) => each.name === name);
		assert.ok(one);
		const tensors = [...randomWeights(one)].map(([own, given]) => {
			const renamed = names.reduce((text, [from, to]) => text.replace(from, to), own);
			return f32Tensor(renamed, change(own, given));
		});
		const source = await openGguf(memoryBytes(ggufFile(values, tensors), 'test.gguf'));
		const to = await build(source, await ggufConfig(source), join(folder, name));
		byteTokenizer(to);
		const error = relativeError(await logitsOf(to, one.tokens), one.logits);
		assert.ok(error < 1e-5, `relative error ${error}`);
	};
	const sizes = (architecture: string, hidden: number, kvHeads: number): Metadata => ({
		'general.architecture': architecture,
		[`${architecture}.context_length`]: 64,
		[`${architecture}.embedding_length`]: hidden,
		[`${architecture}.block_count`]: 2,
		[`${architecture}.attention.head_count`]: 4,
		[`${architecture}.attention.head_count_kv`]: kvHeads,
		[`${architecture}.attention.layer_norm_epsilon`]: { float: 1e-5 },
	});

	it('Falcon with one key for all', () =>
		check('falcon, one key for all', falconNames, sizes('falcon', 64, 1), (_, given) => given));

	it('Falcon with groups and two norms', () => {
		const apart = groupsApart(2, 2, 16);
		return check(
			'falcon, groups and two norms',
			falconNames,
			sizes('falcon', 64, 2),
			(name, given) => (name.includes('query_key_value') ? reordered(given, apart) : given),
		);
	});

	it('OLMo, whose norms have no weights', () =>
		check(
			'olmo, norms without weights',
			olmoNames,
			{
				...sizes('olmo', 32, 4),
				'olmo.attention.key_length': 16,
				'olmo.attention.clamp_kqv': { float: 1.5 },
			},
			(name, given) => (/[qk]_proj/.test(name) ? reordered(given, pairs(4, 16)) : given),
		));
});
