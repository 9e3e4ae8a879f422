/** Whisper and Moonshine against PyTorch: features, language, tokens, segments, word alignment. */

import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { MemoryGraph } from '../../../server/engine/modelFiles/graphSource.ts';
import { openSpeech } from '../../../server/engine/speech/openSpeech.ts';
import { alignTokens, frameS } from '../../../server/engine/speech/timeWarp.ts';
import { logMel } from '../../../server/engine/speech/whisper/logMel.ts';
import { readWhisperConfig } from '../../../server/engine/speech/whisper/whisperConfig.ts';
import type { Precision } from '../../../server/protocol/index.ts';
import { wavSamples } from '../../support/madeAudio.ts';
import { sharedFolder } from '../../support/sharedData.ts';
import { openGraphs, speechRequest } from '../../support/speechModels.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { whileRewrites } from '../rewrites.ts';

const whisper = sharedFolder('models-tiny', 'whisper-tjs');
const timed = sharedFolder('models-tiny', 'whisper-timestamped-tjs');
const moonshine = sharedFolder('models-tiny', 'moonshine-tjs');

interface Reference {
	readonly audio: Readonly<Record<string, AudioReference>>;
	readonly cases: readonly {
		readonly name: string;
		readonly audio: string;
		readonly pytorch_fp32: { readonly greedy_ids: readonly number[]; readonly greedy_text: string };
		readonly language_top3?: readonly (readonly [string, number])[];
		readonly no_speech_prob?: number;
	}[];
	readonly hf_generate: readonly {
		readonly name: string;
		readonly sequences: readonly number[];
		readonly text: string;
		readonly text_with_timestamps: string;
		readonly token_timestamps?: readonly number[];
	}[];
}

interface AudioReference {
	readonly logmel_80: {
		readonly mean: number;
		readonly first5frames_x_80: readonly (readonly number[])[];
		readonly frames_100_150_x_80: readonly (readonly number[])[];
		readonly last_frame_first8: readonly number[];
	};
	readonly logmel_128: {
		readonly mean: number;
		readonly frame0: readonly number[];
		readonly frame100: readonly number[];
	};
}

const reference = (folder: string): Reference =>
	JSON.parse(readFileSync(join(folder, 'reference.json'), 'utf8')) as Reference;
/** The shared data is read-only, and copying would keep that. */
function copyWritable(from: string, to: string): boolean {
	if (statSync(from).isDirectory()) {
		mkdirSync(to, { recursive: true, mode: 0o755 });
		return true;
	}
	copyFileSync(from, to);
	chmodSync(to, 0o644);
	return false;
}

const closers: (() => void)[] = [];
after(() => {
	for (const close of closers) close();
});

async function speech(folder: string, precision: Precision = 'fp32') {
	const { model, description, text } = await openGraphs(folder, precision);
	closers.push(() => model.close());
	return { speech: await openSpeech(folder, description.family, model, text), model, text };
}

test('the log-mel spectrogram equals the reference extractor to 1e-4', {
	skip: whisper.skip,
}, () => {
	const { audio } = reference(whisper.path);
	for (const name of ['a', 'b']) {
		const expected = audio[name] as AudioReference;
		const samples = wavSamples(join(whisper.path, 'audio', `${name}.wav`));
		const eighty = logMel(samples, 80);
		const column = (mel: Float32Array, frame: number, bins: number) =>
			Array.from({ length: bins }, (_, bin) => mel[bin * 3000 + frame] as number);
		const near = (found: readonly number[], wanted: readonly number[]) =>
			wanted.forEach((value, i) => {
				assert.ok(Math.abs(value - (found[i] as number)) < 1e-4, `${name}: ${value} ${found[i]}`);
			});
		for (const [t, frame] of expected.logmel_80.first5frames_x_80.entries())
			near(column(eighty, t, 80), frame);
		near(column(eighty, 100, 80), expected.logmel_80.frames_100_150_x_80[0] ?? []);
		near(column(eighty, 150, 80), expected.logmel_80.frames_100_150_x_80[1] ?? []);
		near(column(eighty, 2999, 80), expected.logmel_80.last_frame_first8);
		const many = logMel(samples, 128);
		near(column(many, 0, 128), expected.logmel_128.frame0);
		near(column(many, 100, 128), expected.logmel_128.frame100);
		const mean = many.reduce((sum, value) => sum + value, 0) / many.length;
		assert.ok(Math.abs(mean - expected.logmel_128.mean) < 1e-5);
	}
});

for (const precision of ['fp32', 'q8', 'q4'] as const) {
	test(`Whisper in ${precision} finds language, tokens and segments as the reference does`, {
		skip: whisper.skip,
	}, async () => {
		const { speech: model } = await speech(whisper.path, precision);
		const { hf_generate: runs } = reference(whisper.path);
		const run = (name: string) => {
			const found = runs.find((one) => one.name === name);
			assert.ok(found, name);
			return found;
		};
		const a = wavSamples(join(whisper.path, 'audio', 'a.wav'));
		const b = wavSamples(join(whisper.path, 'audio', 'b.wav'));
		const texts: string[] = [];
		const detected = await model.transcribe(speechRequest(a, { timestamps: 'none' }), (text) =>
			texts.push(text),
		);
		assert.equal(detected.language, 'en');
		assert.ok(detected.languageProbability > 0.9);
		assert.ok(detected.noSpeechProb < 1e-4);
		assert.deepEqual(
			detected.tokens.map((token) => token.id),
			run('a_auto_language').sequences.slice(4, -1),
		);
		assert.equal(detected.text, run('a_auto_language').text);
		assert.deepEqual(texts, [detected.text]);

		for (const [samples, name] of [
			[a, 'a_en_timestamps'],
			[b, 'b_de_timestamps'],
		] as const) {
			const found = await model.transcribe(speechRequest(samples), () => {});
			assert.deepEqual(
				found.tokens.map((token) => token.id),
				run(name).sequences,
				name,
			);
			const marked = found.segments
				.map(({ start, end, text }) => `<|${start.toFixed(2)}|>${text}<|${end.toFixed(2)}|>`)
				.join('');
			assert.equal(marked, run(name).text_with_timestamps);
			assert.equal(found.consumedS, 3);
		}
		const german = await model.transcribe(
			speechRequest(b, { task: 'translate', timestamps: 'none', language: 'de' }),
			() => {},
		);
		assert.equal(german.text, run('b_de_translate').text);
	});
}

for (const precision of ['fp32', 'q8'] as const) {
	test(`windows that are in flight together get what each gets alone (${precision})`, {
		skip: whisper.skip,
	}, async () => {
		const rewritten = new Set<string>();
		const note = (graph: MemoryGraph): MemoryGraph => {
			rewritten.add(graph.name);
			return graph;
		};
		const { speech: model, model: graphs } = await whileRewrites(false, note, () =>
			speech(whisper.path, precision),
		);
		assert.ok(graphs.batchInvariant);
		// Windows are encoded one by one, so only the decoder of int8 is changed.
		assert.ok(rewritten.size > 0);
		for (const name of rewritten) assert.match(name, /^decoder/);
		const requests = ['a', 'b'].flatMap((name) => {
			const samples = wavSamples(join(whisper.path, 'audio', `${name}.wav`));
			return [
				speechRequest(samples, { priority: 'batch' }),
				speechRequest(samples, { priority: 'batch', timestamps: 'none' }),
			];
		});
		const alone = [];
		for (const request of requests) alone.push(await model.transcribe(request, () => {}));
		const together = await Promise.all(
			requests.map((request) => model.transcribe(request, () => {})),
		);
		assert.deepEqual(
			together.map(({ language, tokens }) => [language, ...tokens.map(({ id }) => id)]),
			alone.map(({ language, tokens }) => [language, ...tokens.map(({ id }) => id)]),
		);
	});
}

test('word alignment equals the reference to the frame', {
	skip: timed.skip || whisper.skip,
}, async () => {
	const { model, text } = await speech(timed.path);
	const config = await readWhisperConfig(timed.path, text);
	const wanted = reference(whisper.path).hf_generate.find(
		(run) => run.token_timestamps !== undefined,
	);
	assert.ok(wanted?.token_timestamps);
	const samples = wavSamples(join(whisper.path, 'audio', 'a.wav'));
	const encoded = await model.encode({
		input_features: { type: 'float32', dims: [1, 80, 3000], data: logMel(samples, 80) },
	});
	assert.deepEqual(model.attentionLayers, [0, 1]);
	const run = model.start(encoded, { attentions: true });
	const prompt = [701, 702, 802];
	const output = await run.feed([[...prompt, ...wanted.sequences]]);
	assert.ok(output.attentions && config.alignmentHeads);
	// The reference aligns the generated rows alone, each with the sound it is fed at.
	const from = prompt.length;
	const to = from + wanted.sequences.length;
	const starts = alignTokens(
		output.attentions,
		config.alignmentHeads,
		from,
		to,
		1500,
		config.medianWidth,
	);
	run.release();
	const found = starts.map((frame) => Number((frame * frameS).toFixed(2)));
	assert.deepEqual(found, wanted.token_timestamps);
});

test('words carry their spaces, follow each other and lie within the recording', {
	skip: timed.skip,
}, async () => {
	const { speech: model } = await speech(timed.path);
	const samples = wavSamples(join(whisper.path, 'audio', 'a.wav'));
	const found = await model.transcribe(speechRequest(samples, { timestamps: 'word' }), () => {});
	assert.equal(found.words?.map(({ word }) => word).join(''), found.text);
	assert.deepEqual(
		found.words?.map(({ word }) => word),
		[' The', ' small', ' fox', ' opens', ' the', ' old', ' door', ' and', ' waits.'],
	);
	let before = 0;
	for (const { start, end, probability } of found.words ?? []) {
		assert.ok(start >= before - 1e-9 && end >= start && end <= 3.02, `${start} ${end}`);
		assert.ok(probability > 0.5 && probability <= 1);
		before = start;
	}
});

test('an export without cross-attention gets it at load, and with it the same words', {
	skip: timed.skip || whisper.skip || moonshine.skip,
}, async () => {
	// The extended graph is written beside the published one, so the folder must be ours.
	const folder = temporaryFolder('words');
	const copies = { whisper: join(folder, 'whisper'), moonshine: join(folder, 'moonshine') };
	for (const [from, to] of [
		[whisper.path, copies.whisper],
		[moonshine.path, copies.moonshine],
	] as const)
		await cp(from, to, { recursive: true, filter: copyWritable });
	const samples = wavSamples(join(whisper.path, 'audio', 'a.wav'));
	const request = speechRequest(samples, { timestamps: 'word' });
	const published = await (await speech(timed.path)).speech.transcribe(request, () => {});
	const extended = await speech(copies.whisper);
	assert.deepEqual(extended.model.attentionLayers, [0, 1]);
	const found = await extended.speech.transcribe(request, () => {});
	assert.deepEqual(
		found.words?.map(({ word, start, end }) => [word, start, end]),
		published.words?.map(({ word, start, end }) => [word, start, end]),
	);
	const other = await (await speech(copies.moonshine)).speech.transcribe(request, () => {});
	assert.equal(
		other.words
			?.map(({ word }) => word)
			.join('')
			.trim(),
		other.text.trim(),
	);
	assert.ok(other.words?.every(({ start, end }) => start >= 0 && end >= start && end <= 3.02));
});

for (const precision of ['fp32', 'q8'] as const) {
	test(`Moonshine in ${precision} gives the reference tokens`, {
		skip: moonshine.skip,
	}, async () => {
		const { speech: model } = await speech(moonshine.path, precision);
		for (const { audio, pytorch_fp32: wanted } of reference(moonshine.path).cases) {
			const samples = wavSamples(join(moonshine.path, 'audio', `${audio}.wav`));
			const found = await model.transcribe(speechRequest(samples), () => {});
			const ids = found.tokens.map((token) => token.id);
			assert.deepEqual(
				ids,
				wanted.greedy_ids.filter((id) => id !== 2),
			);
			assert.equal(found.text.trim(), wanted.greedy_text.trim());
		}
	});
}

test('cancelling ends within a step and leaves the model usable', {
	skip: whisper.skip || !existsSync(whisper.path),
}, async () => {
	const { speech: model } = await speech(whisper.path);
	const samples = wavSamples(join(whisper.path, 'audio', 'a.wav'));
	const stop = new AbortController();
	const first = model.transcribe(speechRequest(samples), () => {}, stop.signal);
	const waiting = model.transcribe(speechRequest(samples), () => {}, stop.signal);
	const next = model.transcribe(speechRequest(samples), () => {});
	stop.abort();
	const [one, two, three] = await Promise.allSettled([first, waiting, next]);
	assert.equal(one?.status === 'rejected' && one.reason.code, 'cancelled');
	assert.equal(two?.status === 'rejected' && two.reason.code, 'cancelled');
	assert.match(
		three?.status === 'fulfilled' ? three.value.text : String(three?.reason),
		/small fox/,
	);
});
