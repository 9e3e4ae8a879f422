/**
 * The tiny exports of the shared data, built once more from their own weights: the graph made here computes what
 * the exporter's graph does, and says what PyTorch said.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadEngine } from '../../../../server/engine/engine.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { sharedFolder } from '../../../support/sharedData.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { openDecoder } from '../../openDecoder.ts';
import { tokensRequest } from '../../support.ts';
import { exportedWeights } from '../exportedWeights.ts';
import { memorySource } from '../memorySource.ts';
import { build, filesOf, logitsOf, readConfig, relativeError, someTokens } from '../rebuilt.ts';

const models = sharedFolder('models-tiny');

interface Reference {
	readonly eos_token_id: number | readonly number[];
	readonly prompts: readonly {
		readonly name: string;
		readonly ids: readonly number[];
		readonly pytorch_fp32: { readonly greedy_ids: readonly number[] };
	}[];
}

const families: readonly {
	readonly name: string;
	readonly mode: string;
	readonly normOffset?: number;
}[] = [
	{ name: 'llama3', mode: 'packed' },
	{ name: 'qwen2', mode: 'packed' },
	{ name: 'qwen3', mode: 'packed' },
	{ name: 'gemma2', mode: 'packed', normOffset: 1 },
	{ name: 'gemma3', mode: 'packed', normOffset: 1 },
	// Heads of 8 numbers are rotated by nodes of their own.
	{ name: 'stories260K', mode: 'packed' },
	// Two sets of rotary factors.
	{ name: 'phi3', mode: 'serial' },
];

describe('graphs from the weights of published exports', { skip: models.skip }, () => {
	const folder = temporaryFolder();
	for (const { name, mode, normOffset = 0 } of families) {
		it(`${name}: the exporter's logits and PyTorch's tokens`, async () => {
			const from = join(models.path, `${name}-tjs`);
			const config = readConfig(from);
			const weights = await exportedWeights(join(from, 'onnx/model.onnx'), normOffset);
			const to = await build(memorySource(weights), config, join(folder, name), {
				files: filesOf(from),
			});
			const description = await describeModel(to);
			assert.deepEqual(description.problems, []);
			assert.equal(description.contextLength, config['max_position_embeddings']);
			const notices: string[] = [];
			const decoder = await openDecoder(to, { notices });
			assert.deepEqual(
				[decoder.mode, decoder.maxBatchSize > 1],
				[mode, mode === 'packed'],
				notices.join(),
			);
			decoder.close();
			const tokens = someTokens(40, config['vocab_size'] as number);
			const error = relativeError(await logitsOf(to, tokens), await logitsOf(from, tokens));
			assert.ok(error < 1e-5, `relative error ${error}`);
			await saysTheSame(to, join(from, 'reference.json'));
		});
	}

	it('phi3: beyond the length at which the rotary factors change', async () => {
		const from = join(models.path, 'phi3-tjs');
		const genai = join(models.path, 'phi3-genai-fp32');
		const weights = await exportedWeights(join(from, 'onnx/model.onnx'));
		const to = await build(memorySource(weights), readConfig(from), join(folder, 'phi3-long'), {
			files: filesOf(from),
		});
		// The exporter of this folder writes both sets of factors.
		const tokens = someTokens(220, 1016);
		const error = relativeError(await logitsOf(to, tokens), await logitsOf(genai, tokens));
		assert.ok(error < 1e-5, `relative error ${error}`);
	});
});

async function saysTheSame(folder: string, referencePath: string): Promise<void> {
	const reference: Reference = JSON.parse(readFileSync(referencePath, 'utf8'));
	const engine = await loadEngine({ folder, precision: 'fp32', threads: 1 });
	try {
		assert.ok(reference.prompts.length > 0);
		for (const { name, ids, pytorch_fp32 } of reference.prompts) {
			const result = await engine.generate(tokensRequest(ids, { maxTokens: 32 }), () => undefined);
			const ends = [reference.eos_token_id].flat();
			const end = pytorch_fp32.greedy_ids.findIndex((id) => ends.includes(id));
			const expected = pytorch_fp32.greedy_ids.slice(0, end < 0 ? undefined : end);
			assert.deepEqual(result.choices[0]?.tokenIds.slice(0, expected.length), expected, name);
		}
	} finally {
		await engine.close();
	}
}
