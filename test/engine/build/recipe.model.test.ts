/** What quantising costs: logits of models built with each recipe against those of the same numbers kept. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { BuildOptions } from '../../../server/engine/build/buildModel.ts';
import { recipeOf } from '../../../server/engine/build/recipe.ts';
import { describeModel } from '../../../server/engine/modelFiles/describe.ts';
import { byteTokenizer } from '../../fixtures/tokenizerFiles.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { memorySource } from './memorySource.ts';
import { build, logitsOf, relativeError, someTokens } from './rebuilt.ts';
import { smallConfig, smallWeights } from './smallDecoder.ts';

/** Wide enough for blocks of 128. */
const config = { ...smallConfig, hidden_size: 256, intermediate_size: 384, head_dim: 32 };

describe('recipes', () => {
	const folder = temporaryFolder();
	const weights = smallWeights(3, config);

	async function built(name: string, more: Partial<BuildOptions>) {
		const to = await build(memorySource(weights), config, join(folder, name), more);
		byteTokenizer(to);
		return to;
	}

	const tokens = someTokens(30, 300);
	const cases: readonly {
		readonly name: string;
		readonly precision: string;
		readonly maxError: number;
		readonly minError: number;
		readonly more: Partial<BuildOptions>;
	}[] = [
		{
			name: 'small models: 8 bits',
			precision: 'int8',
			maxError: 0.03,
			minError: 1e-4,
			more: { keep: false },
		},
		{
			name: 'standard: blocks of 64',
			precision: 'q4',
			maxError: 0.25,
			minError: 0.02,
			more: { keep: false, minFourBitNumbers: 0 },
		},
		{
			name: 'high: blocks of 32',
			precision: 'q4',
			maxError: 0.22,
			minError: 0.02,
			more: { keep: false, minFourBitNumbers: 0, quality: 'high' },
		},
	];
	const errors = new Map<string, number>();
	for (const { name, precision, maxError, minError, more } of cases) {
		it(name, async () => {
			const kept = await built(`${name} kept`, { keep: true });
			const to = await built(name, more);
			const { variants, problems } = await describeModel(to);
			assert.deepEqual([problems, variants.map((variant) => variant.precision)], [[], [precision]]);
			assert.deepEqual(readdirSync(join(to, 'onnx')), [
				`model_${precision}.onnx`,
				`model_${precision}.onnx_data`,
			]);
			const error = relativeError(await logitsOf(to, tokens), await logitsOf(kept, tokens));
			console.log(`measured: ${name}: ${error.toFixed(4)} of the logits`);
			assert.ok(error > minError && error < maxError, `relative error ${error}`);
			errors.set(name, error);
		});
	}

	it('more quality is nearer', () => {
		const [, standard = 0, high = 1] = [...errors.values()];
		assert.ok(high < standard, `${high} and ${standard}`);
	});

	it('are chosen by the size of the model, and leave what is in blocks already', () => {
		const source = (
			rows: number,
			blocks?: { bits: 4; block: 32; zeroPoints: false; residual: false },
		) => ({
			...memorySource(new Map()),
			tensors: new Map([
				[
					'w',
					{
						name: 'w',
						shape: [rows, 4096],
						type: 'f16',
						bytesPerRow: 8192,
						...(blocks ? { blocks } : {}),
					},
				],
			]),
		});
		const options = { quality: 'standard', keep: false } as const;
		const form = { bits: 4, block: 32, zeroPoints: false, residual: false } as const;
		assert.deepEqual(recipeOf(source(1000), options).recipe.matrices?.bits, 8);
		assert.deepEqual(recipeOf(source(100_000), options).recipe.matrices, {
			...form,
			block: 64,
			zeroPoints: true,
		});
		assert.deepEqual(recipeOf(source(100_000), options).suffix, '_q4');
		assert.deepEqual(recipeOf(source(1000, form), options).suffix, '_q4');
		assert.deepEqual(recipeOf(source(1000, form), { ...options, keep: true }).suffix, '_q4');
		const kept = recipeOf(source(1000), { ...options, keep: true });
		assert.deepEqual([kept.recipe.matrices, kept.suffix], [undefined, '']);
	});
});
