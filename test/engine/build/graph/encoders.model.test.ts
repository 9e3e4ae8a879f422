/** Encoders of texts: the tiny exports' vectors and scores, and PyTorch's hidden states and logits of random ones. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../../../server/engine/engine.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { byteTokenizer } from '../../../fixtures/tokenizerFiles.ts';
import { sharedFolder } from '../../../support/sharedData.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { exportedModules } from '../exportedWeights.ts';
import { memorySource } from '../memorySource.ts';
import { randomWeights } from '../randomWeights.ts';
import { build, filesOf, readConfig, relativeError } from '../rebuilt.ts';
import { statesOf } from '../statesOf.ts';
import { type TorchEncoder, torchEncoders } from '../torchEncoders.ts';

const published = sharedFolder('models-tiny/bert-tjs');
const rerankers = fileURLToPath(new URL('../../../fixtures/rerankers', import.meta.url));

describe('encoders', () => {
	const folder = temporaryFolder();
	for (const one of torchEncoders)
		it(`${one.name}: PyTorch's numbers`, async () => {
			const to = await build(memorySource(randomWeights(one)), one.config, join(folder, one.name));
			byteTokenizer(to);
			const { states, logits } = one;
			const { problems, task } = await describeModel(to);
			assert.deepEqual([problems, task], [[], logits === undefined ? 'embeddings' : 'rerank']);
			const output = logits === undefined ? 'last_hidden_state' : 'logits';
			const error = relativeError(await statesOf(to, one.tokens, output), states ?? logits ?? []);
			assert.ok(error < 1e-5, `relative error ${error}`);
		});

	for (const name of ['bert', 'xlm-roberta'] as const)
		it(`${name}: the scores that PyTorch gives pairs of texts, and a near one in 8 bits`, async () => {
			const from = join(rerankers, name);
			const exported = await exportedModules(join(from, 'onnx/model.onnx'));
			const weights = new Map(
				[...exported].map(
					([module, numbers]) => [module.replace(/^model\./, ''), numbers] as const,
				),
			);
			const { query, documents, ...references } = JSON.parse(
				readFileSync(join(rerankers, 'reference.json'), 'utf8'),
			);
			for (const [keep, tolerance] of [
				[true, 1e-4],
				[false, 0.5],
			] as const) {
				const to = await build(
					memorySource(weights),
					readConfig(from),
					join(folder, `reranker-${name}-${keep}`),
					{ files: filesOf(from), keep },
				);
				const engine = await loadEngine({ folder: to, threads: 1 });
				try {
					const { logits } = await engine.rerank({ query, documents, truncate: true });
					for (const [index, logit] of logits.entries()) {
						const wanted = references[name].logits[index];
						assert.ok(Math.abs(logit - wanted) < tolerance, `${keep} ${index}: ${logit} ${wanted}`);
					}
				} finally {
					await engine.close();
				}
			}
		});

	it('names a classifier of several labels, and does not build it', async () => {
		const one = torchEncoders.find(({ logits }) => logits !== undefined) as TorchEncoder;
		const tensors = one.tensors.map(
			([name, shape]) =>
				[name, name.startsWith('classifier.') ? [3, ...shape.slice(1)] : shape] as const,
		);
		await assert.rejects(
			build(
				memorySource(randomWeights({ ...one, tensors })),
				one.config,
				join(folder, 'classifier'),
			),
			{ code: 'unsupported_model', message: /a classifier that tells 3 labels apart/ },
		);
		const to = await build(
			memorySource(randomWeights(one)),
			one.config,
			join(folder, 'as-classifier'),
		);
		byteTokenizer(to);
		const config = { ...readConfig(to), id2label: { 0: 'good', 1: 'bad' } };
		writeFileSync(join(to, 'config.json'), JSON.stringify(config));
		const { task, problems } = await describeModel(to);
		assert.equal(task, 'text-classification');
		assert.match(problems.join(), /It is a classifier/);
		await assert.rejects(loadEngine({ folder: to }), { message: /It is a classifier/ });
	});

	it('does not leave out a head that gives scores', async () => {
		const [one] = torchEncoders;
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
