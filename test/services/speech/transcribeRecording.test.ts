/** What a model is asked while a recording is heard, when its answers are believed, and who finds the speech for it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EnergyActivity } from '../../../server/audio/voiceActivity.ts';
import type { EngineModel, SpeechRequest, SpeechResult } from '../../../server/engine/api.ts';
import { AppError } from '../../../server/protocol/index.ts';
import { voiceActivityOf } from '../../../server/services/speech/chooseVoiceActivity.ts';
import { parseSpeechCall } from '../../../server/services/speech/speechRequest.ts';
import {
	type TranscriptionJob,
	transcribeRecording,
} from '../../../server/services/speech/transcribeRecording.ts';
import { tones } from '../../support/toneModel.ts';

const rateHz = 16_000;

interface Heard {
	readonly requests: SpeechRequest[];
	readonly text: string;
	readonly closed: boolean;
}

/** Answers are made of `answer`; a plain one says `text`, in a window of 30 s, and that all is heard. */
async function hear(
	samples: Float32Array,
	fields: Readonly<Record<string, string>>,
	answer: (
		request: SpeechRequest,
		index: number,
	) => Partial<SpeechResult> | Promise<Partial<SpeechResult>>,
	more: Partial<TranscriptionJob> = {},
): Promise<Heard> {
	const requests: SpeechRequest[] = [];
	let closed = false;
	async function* pieces() {
		try {
			for (let at = 0; at < samples.length; at += 16_000) yield samples.slice(at, at + 16_000);
		} finally {
			closed = true;
		}
	}
	const transcribe = async (request: SpeechRequest): Promise<SpeechResult> => {
		const lengthS = request.samples.length / rateHz;
		requests.push(request);
		const made = await answer(request, requests.length - 1);
		const text = made.text ?? ` part ${requests.length}`;
		return {
			language: 'en',
			languageProbability: 0.9,
			noSpeechProb: 0,
			temperature: request.temperature,
			tokens: [],
			windowS: 30,
			consumedS: lengthS,
			segments: text === '' ? [] : [{ start: 0, end: lengthS, text, tokens: [], avgLogprob: -0.1 }],
			...made,
			text,
		};
	};
	const engine = { description: {}, transcribe } as unknown as EngineModel;
	const given = Object.entries({ model: 'x', ...fields }).map(([name, value]) => [name, [value]]);
	const job = {
		call: parseSpeechCall(Object.fromEntries(given), 'transcribe'),
		audio: {
			info: { format: 'wav', codec: '', sampleRateHz: rateHz, channels: 1, durationS: undefined },
			samples: pieces(),
			close: async () => {},
		},
		lease: { info: {}, engine, loadMs: 0, [Symbol.asyncDispose]: async () => {} },
		activity: new EnergyActivity(),
		seed: 3,
		...more,
	} as unknown as TranscriptionJob;
	const result = await transcribeRecording(job, () => {}).catch((error: unknown) => {
		assert.ok(closed, 'the decoder is closed whatever happens');
		throw error;
	});
	return { requests, text: result.text, closed };
}

/** A phrase of 4 s and a long pause, some times over: one stretch for each. */
const phrases = (count: number) =>
	tones(
		Array.from({ length: count }, () => ({
			words: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
			gapS: 0.05,
			pauseS: 6,
		})),
	);

test('subtitles ask for word times, plain text does not', async () => {
	for (const [fields, timestamps] of [
		[{ response_format: 'srt' }, 'word'],
		[{ response_format: 'vtt' }, 'word'],
		[{ response_format: 'verbose_json', timestamp_granularities: 'word' }, 'word'],
		[{ response_format: 'verbose_json' }, 'segment'],
		[{ response_format: 'text' }, 'segment'],
	] as const) {
		const { requests } = await hear(phrases(1), fields, () => ({}));
		assert.deepEqual(
			requests.map((request) => request.timestamps),
			[timestamps],
		);
	}
});

test('the first stretch goes before batch work, so does everything that is said live', async () => {
	const recorded = await hear(phrases(3), {}, () => ({}));
	assert.deepEqual(
		recorded.requests.map(({ priority }) => priority),
		['interactive', 'batch', 'batch'],
	);
	const live = await hear(phrases(3), {}, () => ({}), { pauseS: 0.8 });
	assert.ok(
		live.requests.length === 3 && live.requests.every(({ priority }) => priority === 'interactive'),
	);
});

test('live stretches are heard one by one also without the text before them', async () => {
	let inFlight = 0;
	let most = 0;
	const { requests } = await hear(
		phrases(6),
		{ condition_on_previous_text: 'false' },
		async () => {
			most = Math.max(most, ++inFlight);
			await new Promise((resolve) => setTimeout(resolve, 2));
			inFlight--;
			return {};
		},
		{ pauseS: 0.8 },
	);
	assert.equal(requests.length, 6);
	assert.equal(most, 1);
});

test('at most eight stretches are heard together', async () => {
	let inFlight = 0;
	let most = 0;
	await hear(phrases(22), { condition_on_previous_text: 'false' }, async () => {
		most = Math.max(most, ++inFlight);
		await new Promise((resolve) => setTimeout(resolve, 2));
		inFlight--;
		return {};
	});
	assert.equal(most, 8);
});

test('the next stretch is told 400 characters of whole words, and nothing that was guessed', async () => {
	const long = Array.from({ length: 70 }, (_, i) => ` word${i}`).join('');
	const { requests } = await hear(phrases(4), {}, (_, index) => ({
		text: long,
		temperature: index === 2 ? 0.6 : 0.5,
	}));
	const told = requests.map(({ prompt }) => prompt);
	assert.equal(told[0], undefined);
	assert.match(told[1] ?? '', /^word\d+( word\d+)+$/);
	assert.ok((told[1]?.length ?? 0) <= 400 && (told[1]?.length ?? 0) > 380, `${told[1]?.length}`);
	assert.ok(told[2] !== undefined, '0.5 is still believed');
	assert.equal(told[3], undefined, 'a text from 0.6 is not passed on');
});

test('a language is kept once it was heard clearly', async () => {
	const { requests } = await hear(phrases(4), {}, (_, index) => ({
		language: ['fr', 'es', 'de', 'en'][index] as string,
		languageProbability: [0.9, 0.5, 0.51, 1][index] as number,
		...(index === 0 ? { text: '' } : {}),
	}));
	assert.deepEqual(
		requests.map((request) => request.language),
		[undefined, undefined, undefined, 'de'],
	);
});

test('a model that says it has dealt with nothing is believed to have dealt with all', async () => {
	const { requests } = await hear(phrases(2), {}, () => ({ consumedS: 0.1 }));
	assert.equal(requests.length, 2);
});

test('what a cut leaves over is heard again only when somebody speaks in it', async () => {
	for (const told of ['true', 'false']) {
		const { requests } = await hear(
			phrases(3),
			{ condition_on_previous_text: told },
			({ samples }) => ({
				consumedS: samples.length / rateHz - 0.1,
			}),
		);
		assert.equal(requests.length, 3, `told: ${told}`);
	}
});

test('silence at the very end is not heard for itself, whatever the model leaves over', async () => {
	const samples = tones([
		...Array.from({ length: 3 }, () => ({
			words: [1, 2, 3, 4, 5, 6, 7, 8],
			gapS: 0.05,
			pauseS: 6,
		})),
		{ words: [1, 2, 3, 4, 5, 6, 7, 8], gapS: 0.05, pauseS: 1.5 },
	]);
	for (const told of ['true', 'false']) {
		const { requests } = await hear(
			samples,
			{ condition_on_previous_text: told },
			({ samples: heard }, index) => ({ consumedS: heard.length / rateHz - (index === 3 ? 1 : 0) }),
		);
		assert.equal(requests.length, 4, `told: ${told}`);
	}
});

test('a short first stretch tells how much the model hears at once', async () => {
	const samples = tones([
		{ words: [1, 2, 3], gapS: 0.05, pauseS: 6 },
		{ words: Array.from({ length: 100 }, (_, i) => i), gapS: 0.05, pauseS: 1 },
	]);
	const { requests } = await hear(samples, { condition_on_previous_text: 'false' }, () => ({
		windowS: 8,
	}));
	assert.ok(requests.length >= 6, `${requests.length}`);
	for (const { samples: heard } of requests) assert.ok(heard.length <= 8 * rateHz);
});

test('an error of the model closes the decoder', async () => {
	for (const told of ['true', 'false'])
		await assert.rejects(
			hear(phrases(9), { condition_on_previous_text: told }, async (_, index) => {
				if (index === 3) throw new AppError('runner_crashed');
				return {};
			}),
			{ code: 'runner_crashed' },
		);
});

/** A model with a detector beside it. */
const withDetector = (voiceActivity: EngineModel['voiceActivity']) =>
	({ voiceActivity }) as unknown as EngineModel;
const sound = tones([{ words: [1, 2, 3], gapS: 0.05, pauseS: 1 }]);

test('a detector is handed its own state from one piece to the next', async () => {
	const states: (Float32Array | undefined)[] = [];
	const activity = voiceActivityOf(
		withDetector(async ({ samples, state }) => {
			states.push(state);
			return {
				probabilities: new Float32Array(samples.length / 512).fill(0.3),
				state: Float32Array.of(states.length),
			};
		}),
	);
	for (let piece = 0; piece < 3; piece++)
		assert.deepEqual(
			[...(await activity.probabilities(sound.slice(0, 1024)))].map((x) => x.toFixed(1)),
			['0.3', '0.3'],
		);
	assert.deepEqual(states, [undefined, Float32Array.of(1), Float32Array.of(2)]);
});

test('when the detector fails, loudness decides from then on, with what it has learnt', async () => {
	let asked = 0;
	const activity = voiceActivityOf(
		withDetector(async ({ samples }) => {
			if (++asked > 1) throw new AppError('runner_crashed');
			return { probabilities: new Float32Array(samples.length / 512), state: new Float32Array(1) };
		}),
	);
	const energy = new EnergyActivity();
	const half = Math.floor(sound.length / 1024) * 512;
	await activity.probabilities(sound.slice(0, half));
	await energy.probabilities(sound.slice(0, half));
	for (const piece of [sound.slice(half, 2 * half), sound.slice(0, half)])
		assert.deepEqual(await activity.probabilities(piece), await energy.probabilities(piece));
	assert.equal(asked, 2);
});

test('a detector that is cancelled is no broken one', async () => {
	const activity = voiceActivityOf(
		withDetector(async () => {
			throw new AppError('cancelled');
		}),
	);
	await assert.rejects(activity.probabilities(sound), { code: 'cancelled' });
});
