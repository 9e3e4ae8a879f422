/** Families of decoders against PyTorch: test/fixtures/torchDecoders.py says how the expected logits were made. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { byteTokenizer } from '../../../fixtures/tokenizerFiles.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { memorySource } from '../memorySource.ts';
import { randomWeights } from '../randomWeights.ts';
import { build, logitsOf, relativeError } from '../rebuilt.ts';

interface Case {
	readonly name: string;
	readonly seed: number;
	readonly config: Readonly<Record<string, unknown>>;
	readonly tensors: readonly (readonly [name: string, shape: readonly number[]])[];
	readonly tokens: readonly number[];
	/** Of the last 8 tokens. */
	readonly logits: readonly number[];
}

const cases: readonly Case[] = JSON.parse(
	readFileSync(new URL('../../../fixtures/torchDecoders.json', import.meta.url), 'utf8'),
);

describe('graphs of random decoders against PyTorch', () => {
	const folder = temporaryFolder();
	for (const [index, one] of cases.entries()) {
		it(one.name, async () => {
			const to = await build(
				memorySource(randomWeights(one)),
				one.config,
				join(folder, String(index)),
			);
			byteTokenizer(to);
			const error = relativeError(await logitsOf(to, one.tokens), one.logits);
			assert.ok(error < 1e-5, `relative error ${error}`);
		});
	}

	it('takes the language model out of one that sees as well', async () => {
		const given = cases.find(({ config }) => config['model_type'] === 'gemma3_text') as Case;
		// As the hub has it: settings that are usual in the family are left out.
		const { model_type, tie_word_embeddings: _, ...text } = given.config;
		const config = {
			model_type: 'gemma3',
			eos_token_id: [1, 106],
			text_config: { ...text, model_type },
			vision_config: { hidden_size: 8 },
		};
		for (const [prefix, vision] of [
			['language_model.model.', 'vision_tower.vision_model.a.weight'],
			['model.language_model.', 'model.vision_tower.a.weight'],
		] as const) {
			const weights = [...randomWeights(given)].map(
				([name, numbers]) => [name.replace('model.', prefix), numbers] as const,
			);
			const seen = [vision, { shape: [2], numbers: new Float32Array(2) }] as const;
			const to = await build(
				memorySource(new Map([...weights, seen])),
				config,
				join(folder, prefix),
			);
			byteTokenizer(to);
			const error = relativeError(await logitsOf(to, given.tokens), given.logits);
			assert.ok(error < 1e-5, `relative error ${error}`);
			assert.deepEqual((await describeModel(to)).eosTokenIds, [1, 106]);
		}
	});
});
