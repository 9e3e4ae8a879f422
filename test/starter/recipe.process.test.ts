/** The recipes of the built-in models run: from made-up text to a model folder that the engine loads. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../server/engine/engine.ts';
import { greedy } from '../fixtures/greedy.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A Python that has what the recipes need. */
function python(): string | undefined {
	const candidates = [process.env['PYTHON'], 'python3', '/usr/bin/python3', 'python'];
	return candidates.find(
		(candidate) =>
			candidate !== undefined &&
			spawnSync(candidate, ['-c', 'import torch, sentencepiece, onnx, numpy'], { stdio: 'ignore' })
				.status === 0,
	);
}

const interpreter = process.platform === 'win32' ? undefined : python();
const skip = interpreter === undefined && 'no Python with torch, sentencepiece, onnx and numpy';

async function readLosses(folder: string): Promise<number[]> {
	return (await readFile(join(folder, 'run/log.jsonl'), 'utf8'))
		.trim()
		.split('\n')
		.map((line) => (JSON.parse(line) as { loss?: number }).loss)
		.filter((loss) => loss !== undefined);
}

const voiceless =
	skip ||
	(spawnSync('espeak-ng', ['--version'], { stdio: 'ignore' }).status !== 0 &&
		'no espeak-ng, which speaks the sentences');

test('the sample recipe of the translation model lowers the loss and exports a model that the engine runs', {
	skip,
	timeout: 240_000,
}, async () => {
	const folder = temporaryFolder('recipe');
	const made = spawnSync(join(root, 'starter/translate/build.sh'), ['--sample', folder], {
		encoding: 'utf8',
		env: { ...process.env, PYTHON: interpreter },
	});
	assert.equal(made.status, 0, made.stderr);
	const losses = await readLosses(folder);
	const [first = 0, last = 0] = [losses[0], losses.at(-1)];
	assert.ok(last < first * 0.8, `the loss fell from ${first} to ${last} only`);

	const engine = await loadEngine({ folder: join(folder, 'starter-translate'), threads: 1 });
	try {
		assert.equal(engine.description.family, 'marian');
		const { outputs } = await engine.seq2seq({
			items: ['de', 'fr', 'en'].map((targetLanguage) => ({
				text: 'The file could not be opened.',
				targetLanguage,
			})),
			beams: 1,
			alignment: true,
			priority: 'batch',
		});
		assert.equal(outputs.length, 3);
		for (const { text, attention } of outputs) {
			assert.match(text, /\p{L}/u);
			assert.ok(attention && attention.length > 0);
		}
		assert.notEqual(outputs[0]?.text, outputs[1]?.text);
	} finally {
		await engine.close();
	}
});

test('the sample recipe of the chat model learns the hand-written answers and exports a model that the engine runs', {
	skip,
	timeout: 240_000,
}, async () => {
	const folder = temporaryFolder('recipe');
	const made = spawnSync(join(root, 'starter/chat/build.sh'), ['--sample', folder], {
		encoding: 'utf8',
		env: { ...process.env, PYTHON: interpreter },
	});
	assert.equal(made.status, 0, made.stderr);
	const losses = await readLosses(folder);
	const [first = 0, last = 0] = [losses[0], losses.at(-1)];
	assert.ok(last < first * 0.6, `the loss fell from ${first} to ${last} only`);

	const engine = await loadEngine({ folder: join(folder, 'starter-chat'), threads: 1 });
	try {
		assert.equal(engine.description.family, 'llama');
		assert.equal(engine.description.hasChatTemplate, true);
		const { choices, promptTokens } = await engine.generate(
			{
				owner: 'local',
				prompt: { kind: 'chat', messages: [{ role: 'user', content: 'who are you' }] },
				sampling: greedy,
				maxTokens: 12,
				stop: [],
				n: 1,
				priority: 'batch',
			},
			() => undefined,
		);
		assert.ok(promptTokens > 4);
		assert.match(choices[0]?.text ?? '', /\p{L}/u);
	} finally {
		await engine.close();
	}
});

test('the sample recipe of the speech model lowers the loss and exports a model that the engine runs', {
	skip: voiceless,
	timeout: 240_000,
}, async () => {
	const folder = temporaryFolder('recipe');
	const made = spawnSync(join(root, 'starter/speech/build.sh'), ['--sample', folder], {
		encoding: 'utf8',
		env: { ...process.env, PYTHON: interpreter },
	});
	assert.equal(made.status, 0, made.stderr);
	const losses = await readLosses(folder);
	const [first = 0, last = 0] = [losses[0], losses.at(-1)];
	assert.ok(last < first * 0.8, `the loss fell from ${first} to ${last} only`);

	// What is thawed to learn on is what was shipped: written again, next to no byte differs.
	for (const name of ['encoder_model', 'decoder_model_merged']) {
		const [shipped, again] = await Promise.all(
			['starter-speech', 'thawed'].map((model) =>
				readFile(join(folder, model, 'onnx', `${name}_quantized.onnx`)),
			),
		);
		assert.ok(shipped && again && shipped.length === again.length);
		const other = shipped.reduce((sum, byte, at) => sum + Number(byte !== again[at]), 0);
		assert.ok(other < shipped.length / 100, `${name}: ${other} of ${shipped.length} bytes`);
	}

	const engine = await loadEngine({ folder: join(folder, 'starter-speech'), threads: 1 });
	try {
		assert.equal(engine.description.family, 'whisper');
		const { windowS, text } = await engine.transcribe(
			{
				samples: Float32Array.from({ length: 16_000 }, (_, i) => Math.sin(i / 20) / 4),
				task: 'transcribe',
				temperature: 0,
				seed: 1,
				timestamps: 'none',
				priority: 'batch',
			},
			() => undefined,
		);
		assert.equal(windowS, 8);
		assert.equal(typeof text, 'string');
	} finally {
		await engine.close();
	}
});
