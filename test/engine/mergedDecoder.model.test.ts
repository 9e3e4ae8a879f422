/** The merged decoder that the benchmark's peers run is the same model as the two graphs ours runs. */

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { mergeDecoders } from '../../bench/mergedDecoder.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { writeTranslationModel } from '../fixtures/translationModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

test('a model with merged decoders translates as the one with two', async () => {
	const root = temporaryFolder();
	const apart = writeTranslationModel(join(root, 'apart'));
	const merged = join(root, 'merged');
	mkdirSync(join(merged, 'onnx'), { recursive: true });
	for (const name of [
		'config.json',
		'generation_config.json',
		'tokenizer.json',
		'tokenizer_config.json',
		'onnx/encoder_model.onnx',
	])
		copyFileSync(join(apart, name), join(merged, name));
	mergeDecoders(
		join(apart, 'onnx/decoder_model.onnx'),
		join(apart, 'onnx/decoder_with_past_model.onnx'),
		join(merged, 'onnx/decoder_model_merged.onnx'),
	);
	const items = ['one', 'another sentence', 'the third'].map((text) => ({ text }));
	const answers: string[][] = [];
	for (const folder of [apart, merged]) {
		const engine = await loadEngine({ folder, threads: 1 });
		const request = { items, beams: 2, maxTokens: 20, priority: 'interactive' as const };
		const { outputs } = await engine.seq2seq(request);
		answers.push(outputs.map(({ tokenIds }) => tokenIds.join()));
		await engine.close();
	}
	assert.deepEqual(answers[1], answers[0]);
	assert.equal(new Set(answers[0]).size, items.length);
});
