/** Long recordings: every word once, in order, with the right times, in bounded memory, cancellable. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { EnergyActivity } from '../../../server/audio/voiceActivity.ts';
import { AppError, type ModelInfo } from '../../../server/protocol/index.ts';
import type { SpeechEvent } from '../../../server/services/speech/speechEvent.ts';
import { parseSpeechCall, type SpeechCall } from '../../../server/services/speech/speechRequest.ts';
import { createSpeechService } from '../../../server/services/speech/speechService.ts';
import {
	type ToneModel,
	type TonePhrase,
	toneHost,
	toneModel,
	tones,
	wordName,
} from '../../support/toneModel.ts';
import { until } from '../../support/until.ts';

function serviceFor(model: ToneModel, samples: Float32Array, durationS?: number) {
	async function* pieces() {
		for (let at = 0; at < samples.length; at += 10_007) yield samples.slice(at, at + 10_007);
	}
	return createSpeechService({
		checkRoom: () => {},
		host: toneHost(model),
		limits: { maximumBytes: 1e9, maximumS: 1e5 },
		decode: async () => ({
			info: { format: 'wav', codec: 'pcm-s16', sampleRateHz: 16_000, channels: 1, durationS },
			samples: pieces(),
			close: async () => {},
		}),
		activity: () => new EnergyActivity(),
		randomSeed: () => 7,
	});
}

function call(more: Readonly<Record<string, string>> = {}): SpeechCall {
	const fields = Object.entries({ model: 'tones', ...more }).map(([name, value]) => [
		name,
		[value],
	]);
	return parseSpeechCall(Object.fromEntries(fields), 'transcribe');
}

/** Phrases like talk: 3 to 25 words, small gaps, pauses of 0.2 to 4 s. */
function talk(phraseCount: number, seed = 1): TonePhrase[] {
	let state = seed;
	const random = (below: number) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
	return Array.from({ length: phraseCount }, () => ({
		words: Array.from({ length: 3 + random(22) }, () => random(100)),
		gapS: 0.05,
		pauseS: [0.2, 0.3, 0.5, 1, 4][random(5)] ?? 0.3,
	}));
}

const spoken = (phrases: readonly TonePhrase[]) =>
	phrases.flatMap(({ words }) => words.map(wordName));

for (const seed of [1, 2, 3]) {
	test(`ten minutes of phrases come out word for word (seed ${seed})`, async () => {
		const phrases = talk(80, seed);
		const samples = tones(phrases);
		const model = toneModel();
		const events: SpeechEvent[] = [];
		const transcript = await serviceFor(model, samples).run(call(), 'x', (event) =>
			events.push(event),
		);
		assert.deepEqual(transcript.text.split(' '), spoken(phrases));
		assert.ok(model.requests.length > 10, `${model.requests.length} stretches`);
		for (const { samples: heard } of model.requests) assert.ok(heard.length <= 30 * 16_000);
		const joined = events.map((event) => (event.type === 'added' ? event.delta : '')).join('');
		assert.equal(joined, transcript.text);
		assert.ok(Math.abs(transcript.duration - samples.length / 16_000) < 0.01);
		transcript.segments.forEach((segment, index) => {
			assert.equal(segment.id, index);
			assert.ok(segment.start >= (transcript.segments[index - 1]?.end ?? 0) - 1e-6);
		});
	});
}

test('without a seed chance has a part above the temperature 0 only', async () => {
	const seedsOf = async (more: Readonly<Record<string, string>>) => {
		const model = toneModel();
		await serviceFor(model, tones(talk(3))).run(call(more), 'x', () => {});
		return [...new Set(model.requests.map(({ seed }) => seed))];
	};
	assert.deepEqual(await seedsOf({}), [0]);
	assert.deepEqual(await seedsOf({ temperature: '0.4' }), [7]);
	assert.deepEqual(await seedsOf({ seed: '5' }), [5]);
});

test('speech without any pause is heard on from the last whole word', async () => {
	const phrases: TonePhrase[] = [
		{ words: Array.from({ length: 300 }, (_, i) => i % 100), gapS: 0.03, pauseS: 0 },
	];
	const model = toneModel();
	const transcript = await serviceFor(model, tones(phrases)).run(call(), 'x', () => {});
	assert.deepEqual(transcript.text.split(' '), spoken(phrases));
});

test('a model with a shorter window gets shorter stretches, and no word is lost', async () => {
	const phrases = talk(30);
	const model = toneModel();
	model.windowS = 8;
	const transcript = await serviceFor(model, tones(phrases)).run(call(), 'x', () => {});
	assert.deepEqual(transcript.text.split(' '), spoken(phrases));
	const heard = model.requests.slice(1).map(({ samples }) => samples.length / 16_000);
	assert.ok(Math.max(...heard) <= 8, `${Math.max(...heard)} s`);
});

test('a pause at the very end of the window makes no stretch longer than the window', async () => {
	for (let at = 0; at < 12; at++) {
		// 29.6 s of words with tiny gaps, then the longest pause of all, moved frame by frame.
		const lead = { words: [], gapS: 0, pauseS: 0 };
		const phrase = { words: Array.from({ length: 78 }, (_, i) => i), gapS: 0.03, pauseS: 1.9 };
		const speech = tones([lead, phrase, { words: [1, 2, 3], gapS: 0.03, pauseS: 0.5 }]);
		const samples = new Float32Array(speech.length + at * 512);
		samples.fill(0.2, 0, at * 512);
		samples.set(speech, at * 512);
		const model = toneModel();
		await serviceFor(model, samples).run(call(), 'x', () => {});
		assert.ok(model.requests.length < 6, `${model.requests.length} requests at ${at}`);
		for (const { samples: heard } of model.requests) assert.ok(heard.length <= 30 * 16_000);
	}
});

test('the same sentence ten times comes out ten times', async () => {
	const phrases = Array.from({ length: 10 }, () => ({
		words: [1, 2, 3, 4, 5, 6, 7, 8],
		gapS: 0.05,
		pauseS: 0.6,
	}));
	const transcript = await serviceFor(toneModel(), tones(phrases)).run(call(), 'x', () => {});
	assert.deepEqual(transcript.text.split(' '), spoken(phrases));
});

test('word times are those of the recording, to a few hundredths', async () => {
	const phrases = talk(30);
	const transcript = await serviceFor(toneModel(), tones(phrases)).run(
		call({ response_format: 'verbose_json', timestamp_granularities: 'word' }),
		'x',
		() => {},
	);
	let at = 0;
	let next = 0;
	for (const { words, gapS, pauseS } of phrases) {
		for (const [index, word] of words.entries()) {
			const found = transcript.words?.[next++];
			assert.equal(found?.word, wordName(word));
			assert.ok(Math.abs((found?.start ?? 0) - at) < 0.03, `${word}: ${found?.start} for ${at}`);
			at += 0.35 + (index + 1 < words.length ? gapS : pauseS);
		}
	}
	assert.equal(next, transcript.words?.length);
});

test('minutes of silence between phrases are not given to the model', async () => {
	const phrases = [
		{ words: [1, 2, 3], gapS: 0.05, pauseS: 200 },
		{ words: [4, 5, 6], gapS: 0.05, pauseS: 100 },
	];
	const model = toneModel();
	const transcript = await serviceFor(model, tones(phrases)).run(call(), 'x', () => {});
	assert.deepEqual(transcript.text, 'w1 w2 w3 w4 w5 w6');
	const heardS = model.requests.reduce((sum, { samples }) => sum + samples.length, 0) / 16_000;
	assert.ok(heardS < 10, `${heardS} s were heard`);
	assert.ok(Math.abs((transcript.segments[1]?.start ?? 0) - 201.15) < 0.05);
});

test('every stretch but the first is told the text before it, unless that is switched off', async () => {
	const samples = tones(talk(20));
	const model = toneModel();
	await serviceFor(model, samples).run(call({ prompt: 'Names: Kyoto.' }), 'x', () => {});
	assert.equal(model.requests[0]?.prompt, 'Names: Kyoto.');
	assert.match(model.requests[1]?.prompt ?? '', /^Names: Kyoto\. w\d+ .*w\d+$/);
	assert.ok((model.requests.at(-1)?.prompt?.length ?? 0) < 420);
	const plain = toneModel();
	await serviceFor(plain, samples).run(
		call({ condition_on_previous_text: 'false' }),
		'x',
		() => {},
	);
	assert.ok(plain.requests.every(({ prompt }) => prompt === undefined));
	const loner = toneModel();
	const published = { ...loner.engine.description, conditionOnPrevious: false };
	const alone: ToneModel = { ...loner, engine: { ...loner.engine, description: published } };
	await serviceFor(alone, samples).run(call(), 'x', () => {});
	assert.ok(
		alone.requests.every(({ prompt }) => prompt === undefined),
		"the publisher's wish",
	);
	const asked = call({ condition_on_previous_text: 'true' });
	await serviceFor(alone, samples).run(asked, 'x', () => {});
	assert.ok(alone.requests.some(({ prompt }) => prompt !== undefined));
	const hot = toneModel();
	await serviceFor(hot, samples).run(call({ temperature: '0.8' }), 'x', () => {});
	assert.ok(
		hot.requests.every(({ prompt }) => prompt === undefined),
		'doubtful text was passed on',
	);
});

test('a detected language holds for the rest; a given one is used from the start', async () => {
	const samples = tones(talk(12));
	const detected = toneModel();
	await serviceFor(detected, samples).run(call(), 'x', () => {});
	assert.equal(detected.requests[0]?.language, undefined);
	assert.equal(detected.requests[1]?.language, 'en');
	const given = toneModel();
	const transcript = await serviceFor(given, samples).run(
		call({ language: 'German' }),
		'x',
		() => {},
	);
	assert.ok(given.requests.every(({ language }) => language === 'de'));
	assert.equal(transcript.language, 'german');
	assert.equal(transcript.language_code, 'de');
});

test('progress only grows and ends at the length', async () => {
	const samples = tones(talk(20));
	const seen: number[] = [];
	await serviceFor(toneModel(), samples, samples.length / 16_000).run(call(), 'x', (event) => {
		if (event.type !== 'progress') return;
		assert.equal(event.total, samples.length / 16_000);
		seen.push(event.done);
	});
	assert.deepEqual(
		seen,
		[...seen].sort((a, b) => a - b),
	);
	assert.ok((seen.at(-1) ?? 0) > samples.length / 16_000 - 5);
});

test('cancelling ends the stretch that is being heard and reads no further', async () => {
	const model = toneModel();
	model.delayMs = 60_000;
	const stop = new AbortController();
	const running = serviceFor(model, tones(talk(20))).run(call(), 'x', () => {}, stop.signal);
	await until('the model is asked', () => model.requests.length > 0);
	stop.abort();
	await assert.rejects(running, { code: 'cancelled' });
	assert.equal(model.requests.length, 1);
	assert.equal(model.cancelled, 1);
});

test('damage found in the middle of a recording is its error', async () => {
	async function* broken() {
		yield tones(talk(10));
		throw new AppError('invalid_audio', 'cut off');
	}
	const service = createSpeechService({
		checkRoom: () => {},
		host: toneHost(toneModel()),
		limits: { maximumBytes: 1, maximumS: 1 },
		decode: async () => ({
			info: {
				format: 'mp3',
				codec: 'mp3',
				sampleRateHz: 16_000,
				channels: 1,
				durationS: undefined,
			},
			samples: broken(),
			close: async () => {},
		}),
		activity: () => new EnergyActivity(),
		randomSeed: () => 7,
	});
	await assert.rejects(
		service.run(call(), 'x', () => {}),
		{ code: 'invalid_audio' },
	);
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of arrays that are still held, without what only waits to be collected. */
function heldBytes(): number {
	collect();
	return process.memoryUsage().arrayBuffers;
}

test('an hour is transcribed within a window of memory', async () => {
	const phrase = tones(talk(40));
	const hours = 3600 * 16_000;
	let given = 0;
	async function* hour() {
		while (given < hours) {
			given += phrase.length;
			yield phrase.slice();
		}
	}
	const before = heldBytes();
	let largest = 0;
	let heard = 0;
	const model = toneModel();
	const hear = model.engine.transcribe;
	Object.assign(model.engine, {
		transcribe: (...args: Parameters<typeof hear>) => {
			model.requests.length = 0;
			// Collecting takes longer than hearing.
			if (heard++ % 16 === 0) largest = Math.max(largest, heldBytes() - before);
			return hear(...args);
		},
	});
	const service = createSpeechService({
		checkRoom: () => {},
		host: toneHost(model),
		limits: { maximumBytes: 1, maximumS: 1 },
		decode: async () => ({
			info: {
				format: 'mp3',
				codec: 'mp3',
				sampleRateHz: 16_000,
				channels: 1,
				durationS: undefined,
			},
			samples: hour(),
			close: async () => {},
		}),
		activity: () => new EnergyActivity(),
		randomSeed: () => 7,
	});
	const transcript = await service.run(call(), 'x', () => {});
	assert.ok(transcript.duration >= 3600);
	assert.ok(!transcript.text.includes('?'));
	assert.ok(largest < 200e6, `${Math.round(largest / 1e6)} MB of samples were held`);
});

const apart = call({ condition_on_previous_text: 'false' });

for (const seed of [1, 2, 3, 4]) {
	test(`without the text before them stretches are heard together, word for word (seed ${seed})`, async () => {
		const phrases = talk(80, seed);
		const model = toneModel();
		model.delayMs = 2;
		model.windowS = seed === 4 ? 8 : 30;
		// A model that stops before the end of a stretch loses nothing and says nothing twice.
		model.shy = seed === 3;
		const events: SpeechEvent[] = [];
		const transcript = await serviceFor(model, tones(phrases)).run(apart, 'x', (event) =>
			events.push(event),
		);
		assert.deepEqual(transcript.text.split(' '), spoken(phrases));
		assert.ok(model.maxAtOnce > 2 && model.maxAtOnce <= 8, `${model.maxAtOnce} at once`);
		assert.ok(model.requests.every(({ prompt }) => prompt === undefined));
		const done = events.flatMap((event) => (event.type === 'progress' ? [event.done] : []));
		assert.deepEqual(
			done,
			[...done].sort((a, b) => a - b),
		);
	});
}

for (const [name, how] of [
	['with the text before them', call()],
	['heard together', apart],
] as const) {
	test(`what a model leaves out after a pause is heard by itself (${name})`, async () => {
		const phrases = talk(60, 5);
		const model = toneModel();
		model.lazy = true;
		const transcript = await serviceFor(model, tones(phrases)).run(how, 'x', () => {});
		assert.deepEqual(transcript.text.split(' '), spoken(phrases));
	});

	test(`a text that ends later than the model says is not heard twice (${name})`, async () => {
		const phrases = talk(60, 6);
		const model = toneModel();
		model.hastyS = 0.6;
		const transcript = await serviceFor(model, tones(phrases)).run(how, 'x', () => {});
		assert.deepEqual(transcript.text.split(' '), spoken(phrases));
	});
}

test('with the text before them they are heard one by one', async () => {
	const model = toneModel();
	model.delayMs = 1;
	await serviceFor(model, tones(talk(40))).run(call(), 'x', () => {});
	assert.equal(model.maxAtOnce, 1);
});

test('speech without any pause is heard on from the last whole word also when heard together', async () => {
	const phrases: TonePhrase[] = [
		{ words: Array.from({ length: 300 }, (_, i) => i % 100), gapS: 0.03, pauseS: 0.3 },
		...talk(20),
	];
	const transcript = await serviceFor(toneModel(), tones(phrases)).run(apart, 'x', () => {});
	assert.deepEqual(transcript.text.split(' '), spoken(phrases));
});

test('one language holds for stretches that are heard together', async () => {
	const model = toneModel();
	await serviceFor(model, tones(talk(60))).run(apart, 'x', () => {});
	assert.deepEqual([...new Set(model.requests.slice(1).map(({ language }) => language))], ['en']);
});

test('cancelling ends all that are heard together', async () => {
	const model = toneModel();
	const stop = new AbortController();
	const running = serviceFor(model, tones(talk(80))).run(
		apart,
		'x',
		(event) => {
			if (event.type === 'added') model.delayMs = 60_000;
		},
		stop.signal,
	);
	await until('eight run at once', () => model.maxAtOnce >= 8);
	stop.abort();
	await assert.rejects(running, (error) => error instanceof AppError && error.code === 'cancelled');
	assert.equal(model.cancelled, 8);
});

test('an error of one ends the others and is the error of the recording', {
	timeout: 60_000,
}, async () => {
	const model = toneModel();
	const hear = model.engine.transcribe;
	const engine = model.engine as { transcribe: typeof hear };
	engine.transcribe = async (request, onText, signal) => {
		if (model.requests.length === 4) throw new AppError('runner_crashed');
		if (model.requests.length > 1) model.delayMs = 2 ** 31 - 1;
		return hear(request, onText, signal);
	};
	await assert.rejects(
		serviceFor(model, tones(talk(80))).run(apart, 'x', () => {}),
		(error) => error instanceof AppError && error.code === 'runner_crashed',
	);
});

test('a downloaded model goes before the built-in one, even when only that is loaded', async () => {
	const host = toneHost(toneModel());
	const [info] = await host.list();
	assert.ok(info);
	const builtIn = {
		...info,
		id: 'small:1',
		name: 'small',
		origin: 'built-in',
		sizeBytes: 9,
	} as const;
	const chosen = { ...info, state: 'cached', sizeBytes: 5 } as const;
	const model = async (models: readonly ModelInfo[]) => {
		const listed = { ...host, list: async () => models };
		const unused = () => assert.fail('Nothing is transcribed here.');
		const service = createSpeechService({
			checkRoom: () => {},
			host: listed,
			limits: { maximumBytes: 1, maximumS: 1 },
			decode: unused,
			activity: unused,
			randomSeed: unused,
		});
		return (await service.model('whisper-1')).name;
	};
	assert.equal(await model([builtIn]), 'small');
	assert.equal(await model([builtIn, chosen]), 'tones');
});

test('a stretch that the text before it silences is heard again without that text', async () => {
	const model = toneModel();
	const hear = model.engine.transcribe;
	const engine = model.engine as { transcribe: typeof hear };
	engine.transcribe = async (request, onText, signal) => {
		const result = await hear(request, onText, signal);
		return request.prompt?.includes('w')
			? { ...result, text: '', segments: [], words: [] }
			: result;
	};
	const phrases = talk(40);
	const transcript = await serviceFor(model, tones(phrases)).run(call(), 'x', () => {});
	assert.deepEqual(transcript.text.split(' '), spoken(phrases));
	assert.ok(model.requests.some(({ prompt }) => prompt !== undefined));
});
