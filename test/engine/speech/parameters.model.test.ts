/** Every parameter of a request changes what is heard: on a tiny model, and on a decoder with a script. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { SpeechRequest, SpeechResult, TextModel } from '../../../server/engine/api.ts';
import type { EncoderDecoder } from '../../../server/engine/seq2seq/encoderDecoder.ts';
import { decodeHypothesis } from '../../../server/engine/speech/decodeHypothesis.ts';
import { openSpeech } from '../../../server/engine/speech/openSpeech.ts';
import { wavSamples } from '../../support/madeAudio.ts';
import { sharedFolder } from '../../support/sharedData.ts';
import { openGraphs, speechRequest } from '../../support/speechModels.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const whisper = sharedFolder('models-tiny', 'whisper-tjs');

test('language, task, prompt and times each change what the tiny Whisper gives', {
	skip: whisper.skip,
}, async (t) => {
	const { model, description, text } = await openGraphs(whisper.path);
	t.after(() => model.close());
	const speech = await openSpeech(whisper.path, description.family, model, text);
	const samples = (name: string) => wavSamples(join(whisper.path, 'audio', `${name}.wav`));
	const hear = (name: string, more: Partial<SpeechRequest> = {}) =>
		speech.transcribe(speechRequest(samples(name), more), () => {});
	const german = await hear('b');
	assert.equal(german.language, 'de');
	assert.match(german.text, /Guten Morgen/);
	assert.match((await hear('b', { task: 'translate' })).text, /Good morning/);
	const forced = await hear('b', { language: 'en' });
	assert.deepEqual([forced.language, forced.languageProbability], ['en', 1]);
	assert.notEqual(forced.text, german.text);
	const english = await hear('a');
	assert.notEqual((await hear('a', { prompt: 'Dieser Satz steht davor.' })).text, english.text);
	assert.equal((await hear('a', { timestamps: 'none' })).segments.length, 1);
	assert.equal(english.segments.length, 2);
	assert.equal((await hear('a', { timestamps: 'word' })).words?.length, 9);
	await assert.rejects(() => hear('a', { language: 'Elvish' }), /no language of speech models/);
});

/** Ids of the script's vocabulary: letters, then what controls. */
const letters = 8;
const token = { end: 8, start: 9, noSpeech: 10, previous: 11, noTimes: 12, firstTime: 13 } as const;
const vocabulary = 1600;
const folder = temporaryFolder('script');
before(async () => {
	const config = {
		model_type: 'whisper',
		num_mel_bins: 80,
		max_source_positions: 1500,
		max_target_positions: 100,
		decoder_start_token_id: token.start,
		eos_token_id: token.end,
	};
	const generation = {
		is_multilingual: false,
		no_timestamps_token_id: token.noTimes,
		prev_sot_token_id: token.previous,
	};
	await writeFile(join(folder, 'config.json'), JSON.stringify(config));
	await writeFile(join(folder, 'generation_config.json'), JSON.stringify(generation));
});

const controlIds: Readonly<Record<string, number>> = {
	'<|nospeech|>': token.noSpeech,
	'<|startoftranscript|>': token.start,
	'<|0.00|>': token.firstTime,
};
const text = {
	decode: (ids: readonly number[]) =>
		ids.map((id) => (id < letters ? String.fromCharCode(97 + id) : '')).join(''),
	encode: (value: string) => [...value.trim()].map((letter) => letter.charCodeAt(0) - 97),
	tokenToId: (name: string) =>
		({ '<|nospeech|>': token.noSpeech, '<|0.00|>': token.firstTime })[name],
	tokenBytes: (id: number) => new TextEncoder().encode(String.fromCharCode(97 + id)),
} as unknown as TextModel;

/** Likelihoods (natural logarithms, any scale) of the tokens after those fed so far. */
type Script = (fed: readonly number[]) => Readonly<Record<number, number>>;

/** A decoder that follows a script; remembers the prompts it was given. */
function scripted(script: Script, prompts: number[][] = []): EncoderDecoder {
	const logitsOf = (fed: readonly number[]) => {
		const logits = new Float32Array(vocabulary).fill(-50);
		for (const [id, value] of Object.entries(script(fed))) logits[Number(id)] = value;
		return logits;
	};
	return {
		encoderInputs: new Map(),
		vocabularySize: vocabulary,
		attentionLayers: [],
		batchInvariant: true,
		encode: async () => ({
			items: 1,
			positions: 1500,
			hidden: { type: 'float32', dims: [1, 1500, 1], data: new Float32Array(1500) },
			mask: { type: 'int64', dims: [1, 1500], data: new BigInt64Array(1500).fill(1n) },
		}),
		start: (_encoded, options) => {
			let rows: number[][] = Array.from({ length: options?.sequencesPerItem ?? 1 }, () => []);
			return {
				get batchSize() {
					return rows.length;
				},
				get length() {
					return rows[0]?.length ?? 0;
				},
				get itemOfSequence() {
					return rows.map(() => 0);
				},
				feed: async (tokens: readonly (readonly number[])[]) => {
					if (rows[0]?.length === 0) prompts.push([...(tokens[0] ?? [])]);
					const before = rows.map((row) => row.length);
					rows = rows.map((row, index) => [...row, ...(tokens[index] ?? [])]);
					const count = tokens[0]?.length ?? 1;
					return {
						tokens: count,
						logits: (row: number, position = count - 1) =>
							logitsOf(rows[row]?.slice(0, (before[row] ?? 0) + position + 1) ?? []),
					};
				},
				select: (parents: readonly number[]) => {
					rows = parents.map((parent) => rows[parent] ?? []);
				},
				release: () => {},
			};
		},
		close: () => {},
	} as EncoderDecoder;
}

async function hear(script: Script, more: Partial<SpeechRequest> = {}): Promise<SpeechResult> {
	const speech = await openSpeech(folder, 'whisper', scripted(script), text);
	const request = { timestamps: 'none', ...more } as const;
	return speech.transcribe(speechRequest(new Float32Array(16_000), request), () => {});
}

/** A loop for whoever takes the likeliest, a short text for whoever draws. */
const loop: Script = (fed) =>
	fed.at(-1) === token.start || fed.at(-1) === token.noTimes
		? { 0: 1, 1: 0.98 }
		: { 0: 1, [token.end]: 0.99 };

test('a text that repeats itself is heard again at the next temperature', async () => {
	const found = await hear(loop);
	assert.ok(found.temperature >= 0.2, String(found.temperature));
	assert.ok(found.text.length < 40, found.text);
});

test('the ladder begins at the temperature that was asked for', async () => {
	assert.equal((await hear(loop, { temperature: 0.6 })).temperature, 0.6);
	assert.equal((await hear(loop, { temperature: 1 })).temperature, 1);
});

test('equal seeds draw equal texts, other seeds others', async () => {
	const dice: Script = (fed) =>
		fed.length > 12
			? { [token.end]: 0 }
			: Object.fromEntries(Array.from({ length: letters }, (_, id) => [id, id % 3 === 0 ? 0 : -1]));
	const texts = await Promise.all(
		[1, 1, 2, 3].map(async (seed) => (await hear(dice, { seed, temperature: 1 })).text),
	);
	assert.equal(texts[0], texts[1]);
	assert.equal(new Set(texts).size, 3, texts.join(' '));
});

test('above temperature 0 the likeliest of five samples is kept', async () => {
	const dice: Script = (fed) =>
		Object.fromEntries(
			Array.from({ length: letters }, (_, id) => [id, -0.3 * id]).concat([
				[token.end, fed.length > 10 ? 3 : -9],
			]),
		);
	const encoded = await scripted(dice).encode({});
	const score = async (samples: number, seed: number) => {
		const { avgLogprob } = await decodeHypothesis(scripted(dice), encoded, {
			prompt: [token.start],
			endToken: token.end,
			maxTokens: 20,
			temperature: 1,
			seed,
			samples,
			processors: [],
		});
		return avgLogprob;
	};
	let grew = 0;
	for (const seed of [1, 2, 3, 4, 5, 6]) {
		const [one, three, five] = [await score(1, seed), await score(3, seed), await score(5, seed)];
		assert.ok(one <= three && three <= five, `${one} ${three} ${five}`);
		if (five > one) grew++;
	}
	assert.ok(grew >= 2, 'more samples find better ones');
	const rows: number[] = [];
	const counting = scripted(dice);
	const speech = await openSpeech(
		folder,
		'whisper',
		{
			...counting,
			start: (given, options) => {
				rows.push(options?.sequencesPerItem ?? 1);
				return counting.start(given, options);
			},
		},
		text,
	);
	const samples = new Float32Array(16_000);
	for (const temperature of [0, 1])
		await speech.transcribe(speechRequest(samples, { temperature, timestamps: 'none' }), () => {});
	assert.equal(rows[0], 1, 'the likeliest needs no second sample');
	assert.equal(rows.at(-1), 5);
});

test('control tokens are never part of a transcript, however likely', async () => {
	const noise: Script = (fed) =>
		fed.length < 6 ? { [token.noSpeech]: 5, [token.start]: 4, 3: 0 } : { [token.end]: 0 };
	const controls = { ...text, tokenToId: (name: string) => controlIds[name] } as TextModel;
	const speech = await openSpeech(folder, 'whisper', scripted(noise), controls);
	const request = speechRequest(new Float32Array(16_000), { timestamps: 'none' });
	const { tokens, text: heard } = await speech.transcribe(request, () => {});
	assert.deepEqual([...new Set(tokens.map(({ id }) => id))], [3]);
	assert.match(heard, /^d+$/);
});

test('a confident text stays at temperature 0, a guessed one is tried up to 1', async () => {
	const sure: Script = (fed) => ({ [fed.length < 6 ? fed.length : token.end]: 0 });
	const confident = await hear(sure);
	assert.equal(confident.temperature, 0);
	const guess: Script = (fed) => ({
		...Object.fromEntries(Array.from({ length: letters }, (_, id) => [id, -0.01 * id])),
		...(fed.length > 8 ? { [token.end]: 3 } : {}),
	});
	assert.equal((await hear(guess)).temperature, 1);
});

/** Nobody speaks, as the model sees it, and what it would write is guessed. */
const nobody =
	(certainty: number): Script =>
	(fed) => ({
		...Object.fromEntries(Array.from({ length: letters }, (_, id) => [id, -0.01 * id])),
		...(fed.at(-1) === token.start ? { [token.noSpeech]: certainty } : {}),
		...(fed.length > 8 ? { [token.end]: 1 } : {}),
	});

test('a stretch without speech gives no text, and a doubtful one does', async () => {
	const silent = await hear(nobody(6));
	assert.ok(silent.noSpeechProb > 0.6, String(silent.noSpeechProb));
	assert.deepEqual([silent.text, silent.segments.length, silent.consumedS], ['', 0, 1]);
	const spoken = await hear(nobody(0));
	assert.ok(spoken.noSpeechProb < 0.6);
	assert.notEqual(spoken.text, '');
});

test('the prompt stands before the start, at most half of what the model can read', async () => {
	const prompts: number[][] = [];
	const sure: Script = () => ({ [token.end]: 0 });
	const speech = await openSpeech(folder, 'whisper', scripted(sure, prompts), text);
	for (const prompt of ['abc', 'abcdefgh'.repeat(30)])
		await speech.transcribe(
			speechRequest(new Float32Array(16_000), { prompt, timestamps: 'none' }),
			() => {},
		);
	assert.deepEqual(prompts[0], [token.previous, 0, 1, 2, token.start, token.noTimes]);
	assert.equal(prompts[1]?.indexOf(token.start), 50);
});
