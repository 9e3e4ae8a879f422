/** Encoders of texts: the tiny export's vectors, and PyTorch's hidden states of random ones. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadEngine } from '../../../../server/engine/engine.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { openRuntime } from '../../../../server/engine/verify/openRuntime.ts';
import { byteTokenizer } from '../../../fixtures/tokenizerFiles.ts';
import { sharedFolder } from '../../../support/sharedData.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { exportedModules } from '../exportedWeights.ts';
import { memorySource } from '../memorySource.ts';
import { randomWeights } from '../randomWeights.ts';
import { build, filesOf, readConfig, relativeError } from '../rebuilt.ts';

const published = sharedFolder('models-tiny/bert-tjs');

interface Case {
	readonly name: string;
	readonly seed: number;
	readonly config: Readonly<Record<string, unknown>>;
	readonly tensors: readonly (readonly [name: string, shape: readonly number[]])[];
	readonly tokens: readonly number[];
	readonly states: readonly number[];
}

const cases: readonly Case[] = JSON.parse(
	readFileSync(new URL('../../../fixtures/torchEncoders.json', import.meta.url), 'utf8'),
);

/** Hidden states of the tokens, followed by padding. */
async function statesOf(folder: string, tokens: readonly number[]): Promise<number[]> {
	const runtime = await openRuntime();
	const session = await runtime.open(join(folder, 'onnx/model.onnx'), { threads: 1 });
	const width = tokens.length + 3;
	const binding = session.createBinding();
	const given = (name: string, values: readonly number[]): void => {
		if (!session.inputs.has(name)) return;
		const data = BigInt64Array.from({ length: width }, (_, k) => BigInt(values[k] ?? 0));
		binding.input(name, data, [1, width]);
	};
	try {
		given('input_ids', tokens);
		given(
			'attention_mask',
			tokens.map(() => 1),
		);
		given('token_type_ids', []);
		binding.outputAny('last_hidden_state');
		await binding.run();
		const { data, dims } = binding.take('last_hidden_state');
		return Array.from((data as Float32Array).subarray(0, (dims[2] ?? 0) * tokens.length));
	} finally {
		binding.release();
		session.close();
	}
}

describe('encoders', () => {
	const folder = temporaryFolder();
	for (const one of cases)
		it(`${one.name}: PyTorch's hidden states`, async () => {
			const to = await build(memorySource(randomWeights(one)), one.config, join(folder, one.name));
			byteTokenizer(to);
			const { problems, architecture } = await describeModel(to);
			assert.deepEqual([problems, architecture], [[], 'encoder']);
			const error = relativeError(await statesOf(to, one.tokens), one.states);
			assert.ok(error < 1e-5, `relative error ${error}`);
		});

	it('does not leave out a head that gives scores', async () => {
		const [one] = cases;
		assert.ok(one);
		const weights = randomWeights({
			...one,
			tensors: [...one.tensors, ['classifier.weight', [1, 32]]],
		});
		await assert.rejects(build(memorySource(weights), one.config, join(folder, 'scores')), {
			code: 'unsupported_model',
			message: /classifier\.weight/,
		});
	});

	for (const [keep, tolerance] of [
		[true, 1e-4],
		[false, 0.02],
	] as const)
		it(`the published vectors, ${keep ? 'kept' : '8 bits'}`, { skip: published.skip }, async () => {
			const weights = await exportedModules(join(published.path, 'onnx/model.onnx'));
			const to = await build(
				memorySource(weights),
				readConfig(published.path),
				join(folder, `published-${keep}`),
				{ files: filesOf(published.path), keep },
			);
			const { texts, embeddings }: { texts: string[]; embeddings: number[][] } = JSON.parse(
				readFileSync(join(published.path, 'reference.json'), 'utf8'),
			);
			const engine = await loadEngine({ folder: to, threads: 1 });
			try {
				const { vectors } = await engine.embed({ inputs: texts });
				for (const [index, vector] of vectors.entries()) {
					const wanted = embeddings[index] as number[];
					const worst = Math.max(
						...wanted.map((value, at) => Math.abs(value - (vector[at] as number))),
					);
					assert.ok(worst <= tolerance, `text ${index}: off by ${worst}`);
				}
			} finally {
				await engine.close();
			}
		});
});
