/** Whisper in the ONNX Runtime GenAI layout: the same weights hear the same, whatever the names. */

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileSource } from '../../../server/audio/audioSource.ts';
import { decodeAudio } from '../../../server/audio/decodeAudio.ts';
import type { SpeechRequest } from '../../../server/engine/api.ts';
import { describeModel } from '../../../server/engine/modelFiles/describe.ts';
import { decodeModel, encodeModel } from '../../../server/engine/onnx/onnxModel.ts';
import { openSpeech } from '../../../server/engine/speech/openSpeech.ts';
import { nonSpeechTokens } from '../../../server/engine/speech/whisper/nonSpeech.ts';
import { readWhisperConfig } from '../../../server/engine/speech/whisper/whisperConfig.ts';
import { loadTextModel } from '../../../server/engine/text/textModel.ts';
import type { Precision } from '../../../server/protocol/index.ts';
import { wavSamples } from '../../support/madeAudio.ts';
import { sharedFolder } from '../../support/sharedData.ts';
import { openGraphs, speechRequest } from '../../support/speechModels.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { type GenaiOptions, repackWhisper } from './genaiWhisper.ts';

const root = join(import.meta.dirname, '../../..');
const starter = join(root, 'starter', 'models', 'starter-speech');
const whisper = sharedFolder('models-tiny', 'whisper-timestamped-tjs');
const whisperTokenizer = sharedFolder('tokenizers', 'whisper.tiny');

const folder = temporaryFolder('genai');

let made = 0;
async function repacked(from: string, options: GenaiOptions = {}): Promise<string> {
	const to = join(folder, `whisper-${made++}`);
	await repackWhisper(from, to, options);
	return to;
}

/** A folder's results for several requests. */
async function hear(
	from: string,
	requests: readonly SpeechRequest[],
	precision: Precision = 'fp32',
) {
	const { model, description, text } = await openGraphs(from, precision);
	try {
		const speech = await openSpeech(from, description.family, model, text);
		return await Promise.all(requests.map((request) => speech.transcribe(request, () => {})));
	} finally {
		model.close();
	}
}

async function recording(name: string): Promise<Float32Array> {
	await using source = await fileSource(join(root, 'test', 'fixtures', 'speech', name));
	const { samples } = await decodeAudio(source);
	const pieces: number[] = [];
	for await (const piece of samples) pieces.push(...piece);
	return Float32Array.from(pieces);
}

test('the built-in model in this layout gives the same tokens, segments and word times', async () => {
	const to = await repacked(starter);
	// The list of suppressed tokens is not part of this layout; here it is to be the same one.
	copyFileSync(join(starter, 'generation_config.json'), join(to, 'generation_config.json'));
	const [annie, rms] = await Promise.all(['annie.flac', 'rms.flac'].map(recording));
	assert.ok(annie && rms);
	const requests = [
		speechRequest(annie, { timestamps: 'word' }),
		speechRequest(rms, { timestamps: 'word' }),
		// Several rows over one sound, and a run that others share.
		speechRequest(annie, { temperature: 0.6, seed: 3 }),
	];
	const [expected, found] = [await hear(starter, requests, 'q8'), await hear(to, requests, 'q8')];
	assert.match(expected[0]?.text ?? '', /window/);
	assert.deepEqual(found, expected);
});

test('the operators of the builder give the same tokens, languages and word times', {
	skip: whisper.skip,
}, async () => {
	const sound = (name: string) =>
		wavSamples(join(dirname(whisper.path), 'whisper-tjs', 'audio', `${name}.wav`));
	const requests = [
		speechRequest(sound('a'), { timestamps: 'word' }),
		speechRequest(sound('a'), { prompt: 'The red fox', temperature: 0.4, seed: 5 }),
		speechRequest(sound('b'), { timestamps: 'none' }),
		speechRequest(sound('b'), { language: 'de', task: 'translate', timestamps: 'word' }),
	];
	const expected = await hear(whisper.path, requests);
	assert.ok(expected.every(({ text }) => text.trim() !== ''));
	for (const options of [
		{},
		{ scores: true },
		{ lastLogits: true },
		{ lastLogits: true, declaresAllLogits: true },
	]) {
		const to = await repacked(whisper.path, { fused: true, ...options });
		copyFileSync(join(whisper.path, 'generation_config.json'), join(to, 'generation_config.json'));
		const found = await hear(to, requests);
		const what = JSON.stringify(options);
		for (const [index, result] of found.entries()) {
			const wanted = expected[index];
			assert.ok(wanted);
			assert.deepEqual(
				result.tokens.map(({ id }) => id),
				wanted.tokens.map(({ id }) => id),
				what,
			);
			assert.equal(result.language, wanted.language);
			assert.equal(result.text, wanted.text);
			assert.ok(Math.abs(result.noSpeechProb - wanted.noSpeechProb) < 1e-4, what);
			assert.deepEqual(
				result.words?.map(({ word, start, end }) => [word, start, end]),
				wanted.words?.map(({ word, start, end }) => [word, start, end]),
				what,
			);
		}
	}
});

test('a folder of nothing but the builder’s files is read: sizes, control tokens, what is never speech', async () => {
	const to = await repacked(starter);
	const description = await describeModel(to);
	assert.deepEqual(description.problems, []);
	assert.deepEqual(
		[description.layout, description.family, description.architecture, description.task],
		['genai', 'whisper', 'encoder-decoder', 'automatic-speech-recognition'],
	);
	const plain = await describeModel(starter);
	for (const key of ['contextLength', 'vocabularySize', 'layers', 'kvHeads', 'headSize'] as const)
		assert.equal(description[key], plain[key], key);
	assert.deepEqual(description.eosTokenIds, plain.eosTokenIds);
	assert.deepEqual(description.variants[0]?.files, {
		encoder: 'encoder.onnx',
		'decoder-merged': 'decoder.onnx',
	});
	const text = await loadTextModel(to);
	const { model } = await openGraphs(to, 'q8');
	model.close();
	const input = model.encoderInputs.get('input_features');
	const [config, expected] = [
		await readWhisperConfig(to, text, input),
		await readWhisperConfig(starter, text),
	];
	for (const key of ['melBins', 'frames', 'maxTokens', 'endToken', 'startToken'] as const)
		assert.equal(config[key], expected[key], key);
	for (const key of ['noTimestampsToken', 'firstTimestamp', 'noSpeechToken'] as const)
		assert.equal(config[key], expected[key], key);
	assert.ok(config.beginSuppressTokens.includes(config.endToken));
	for (const sign of ['(', '[', '"', '|'])
		assert.ok(
			config.suppressTokens.includes(text.encode(sign, { addSpecial: false })[0] ?? -1),
			sign,
		);
	for (const word of [' the', '.', ' a', "'s"])
		assert.ok(
			!config.suppressTokens.includes(text.encode(word, { addSpecial: false })[0] ?? -1),
			word,
		);
	const [heard] = await hear(to, [speechRequest(await recording('annie.flac'))], 'q8');
	assert.equal(heard?.text.trim(), 'Please open the new window tomorrow.');
});

test('what is never speech is the published list of Whisper’s vocabulary', {
	skip: whisperTokenizer.skip,
}, async () => {
	const published = [
		1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29, 31, 58, 59, 60, 61, 62, 63, 90, 91, 92, 93, 359, 503,
		522, 542, 873, 893, 902, 918, 922, 931, 1350, 1853, 1982, 2460, 2627, 3246, 3253, 3268, 3536,
		3846, 3961, 4183, 4667, 6585, 6647, 7273, 9061, 9383, 10428, 10929, 11938, 12033, 12331, 12562,
		13793, 14157, 14635, 15265, 15618, 16553, 16604, 18362, 18956, 20075, 21675, 22520, 26130,
		26161, 26435, 28279, 29464, 31650, 32302, 32470, 36865, 42863, 47425, 49870, 50254,
	];
	assert.deepEqual(nonSpeechTokens(await loadTextModel(whisperTokenizer.path)), published);
});

test('a vocabulary that spells signs in several tokens loses none of its letters and spaces', {
	skip: whisper.skip,
}, async () => {
	const text = await loadTextModel(whisper.path);
	for (const id of nonSpeechTokens(text))
		assert.match(new TextDecoder().decode(text.tokenBytes(id)), /^ ?[^\p{L}\p{N} ]+$/u);
	const to = await repacked(whisper.path, { fused: true });
	const samples = wavSamples(join(dirname(whisper.path), 'whisper-tjs', 'audio', 'a.wav'));
	const [heard] = await hear(to, [speechRequest(samples)]);
	assert.equal(heard?.text.trim(), 'The small fox opens the old door and waits.');
});

test('names that genai_config.json gives are followed', async () => {
	const to = await repacked(starter);
	const path = join(to, 'genai_config.json');
	const config = JSON.parse(readFileSync(path, 'utf8'));
	const encoder = readFileSync(join(to, 'encoder.onnx'));
	const graph = decodeModel(encoder);
	graph.graph.inputs = graph.graph.inputs.map((input) => ({ ...input, name: 'mel' }));
	for (const node of graph.graph.nodes)
		node.inputs = node.inputs.map((name) => (name === 'audio_features' ? 'mel' : name));
	for (const list of [graph.graph.outputs, ...graph.graph.nodes.map(({ outputs }) => outputs)])
		for (const [index, value] of list.entries()) {
			const name = typeof value === 'string' ? value : value.name;
			const other = name.replace('present_key_cross_', 'heard.').replace(/^(heard\.\d+)$/, '$1.k');
			list[index] = (typeof value === 'string' ? other : { ...value, name: other }) as never;
		}
	writeFileSync(join(to, 'encoder.onnx'), encodeModel(graph));
	assert.notDeepEqual((await describeModel(to)).problems, []);
	config.model.encoder.inputs.audio_features = 'mel';
	config.model.encoder.outputs.cross_present_key_names = 'heard.%d.k';
	writeFileSync(path, JSON.stringify(config));
	assert.deepEqual((await describeModel(to)).problems, []);
	const [heard] = await hear(to, [speechRequest(await recording('f2.flac'))], 'q8');
	assert.equal(heard?.text.trim(), 'I will read it again.');
});

test('what is missing, old or made for other hardware is named before anything is loaded', async () => {
	const problems = async (change: (to: string) => void, options: GenaiOptions = {}) => {
		const to = await repacked(starter, options);
		change(to);
		return (await describeModel(to)).problems.join(' ');
	};
	const nothing = () => {};
	assert.match(
		await problems((to) => rmSync(join(to, 'decoder.onnx'))),
		/decoder\.onnx cannot be opened/,
	);
	assert.match(
		await problems((to) => writeFileSync(join(to, 'encoder.onnx'), 'cut short')),
		/encoder\.onnx is not a complete ONNX model.*download it again/,
	);
	assert.match(await problems((to) => rmSync(join(to, 'tokenizer.json'))), /no tokenizer/);
	assert.match(
		await problems(nothing, { config: { decoder: {} } }),
		/genai_config\.json does not name a graph as model\.decoder\.filename/,
	);
	assert.match(
		await problems(nothing, { config: { encoder: undefined } }),
		/genai_config\.json does not name a graph as model\.encoder\.filename/,
	);
	const old = { encoder: undefined, encoder_decoder_init: { filename: 'encoder.onnx' } };
	assert.match(await problems(nothing, { config: old }), /old export.*Export the model again/);
	const withInput = (to: string, name: string) => {
		const model = decodeModel(readFileSync(join(to, 'decoder.onnx')));
		model.graph.inputs.push({ name, elementType: 6, dims: [1] });
		writeFileSync(join(to, 'decoder.onnx'), encodeModel(model));
	};
	assert.match(
		await problems((to) => withInput(to, 'cache_indirection')),
		/decoder\.onnx cannot be used: it is an export for CUDA.*cache_indirection.*take one for the CPU/,
	);
	assert.match(
		await problems((to) => withInput(to, 'surprise')),
		/its input 'surprise' is not known here/,
	);
});
