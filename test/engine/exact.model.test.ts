/** Activations of 4-bit weights in single precision. */

import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadEngine } from '../../server/engine/engine.ts';
import { takeExactActivations } from '../../server/engine/onnx/exactActivations.ts';
import { decodeModel, encodeModel } from '../../server/engine/onnx/onnxModel.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { tokensRequest } from './support.ts';

const folder = temporaryFolder();
const model = writeDecoderModel(join(folder, 'int4'), { attention: 'gqa', block: 32 });
const prompts = [
	[5, 9, 40, 77, 12, 60, 33],
	[200, 3],
];

/** Log-probabilities of prompts and of answers that are made together, and what is said of the load. */
async function read(from: string, exact?: boolean) {
	const engine = await loadEngine({ folder: from, threads: 1, ...(exact ? { exact } : {}) });
	try {
		const answers = await Promise.all(
			prompts.map((prompt) =>
				engine.generate(
					tokensRequest(prompt, { maxTokens: 6, topLogprobs: 1, echoLogprobs: true }),
					() => undefined,
				),
			),
		);
		const { notices = [] } = await engine.stats();
		return {
			logprobs: answers.flatMap(({ promptLogprobs = [], choices }) => [
				...promptLogprobs.map(({ logprob }) => logprob),
				...(choices[0]?.logprobs ?? []).map(({ logprob }) => logprob),
			]),
			notices: notices.map(({ message }) => message).join(' '),
		};
	} finally {
		await engine.close();
	}
}

const worst = (a: readonly number[], b: readonly number[]): number => {
	assert.equal(a.length, b.length);
	return Math.max(...a.map((value, index) => Math.abs(value - (b[index] as number))));
};

test('an exact load gives what the graph gives whose products ask for single precision', async () => {
	const level1 = join(folder, 'level1');
	cpSync(model, level1, { recursive: true });
	const path = join(level1, 'onnx', 'model_q4.onnx');
	const decoded = decodeModel(readFileSync(path));
	assert.equal(takeExactActivations(decoded.graph), undefined);
	writeFileSync(path, encodeModel(decoded));
	const truth = await read(level1);
	const exact = await read(model, true);
	const usual = await read(model);
	assert.ok(exact.logprobs.length > 12);
	assert.ok(worst(exact.logprobs, truth.logprobs) < 1e-4);
	assert.ok(worst(usual.logprobs, truth.logprobs) > 1e-3);
	assert.match(exact.notices, /in single precision, as was asked for/);
	assert.doesNotMatch(exact.notices, /kernel/);
});

test('where nothing can be more exact, that is said', async () => {
	const float = writeDecoderModel(join(folder, 'float'), { attention: 'gqa' });
	assert.match((await read(float, true)).notices, /Exact activations change nothing here/);
});
