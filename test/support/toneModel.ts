/**
 * A speech model for tests of everything around one: hears words that are tones. Word n is a tone of
 * 400 + 40 n Hz. A tone that a stretch cuts into is heard wrong, so lost and doubled words show.
 */

import type {
	EngineModel,
	SpeechRequest,
	SpeechResult,
	TextModel,
} from '../../server/engine/api.ts';
import { inProcessTextService } from '../../server/engine/text/textJobs.ts';
import { AppError, type ModelInfo } from '../../server/protocol/index.ts';
import type { ModelHost } from '../../server/services/host.ts';

const rateHz = 16_000;
const wordS = 0.35;
const frame = 160;

export interface TonePhrase {
	/** Numbers of the words, 0 to 99. */
	readonly words: readonly number[];
	/** Silence between its words and after it, in seconds. */
	readonly gapS: number;
	readonly pauseS: number;
}

/** Samples of phrases. */
export function tones(phrases: readonly TonePhrase[]): Float32Array {
	const parts: Float32Array[] = [];
	for (const { words, gapS, pauseS } of phrases) {
		for (const [index, word] of words.entries()) {
			parts.push(
				tone(word),
				new Float32Array(Math.round(rateHz * (index + 1 < words.length ? gapS : pauseS))),
			);
		}
	}
	const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

const known = new Map<number, Float32Array>();

function tone(word: number): Float32Array {
	const hertz = 400 + 40 * word;
	const samples =
		known.get(word) ??
		Float32Array.from(
			{ length: Math.round(wordS * rateHz) },
			(_, i) => 0.4 * Math.sin((2 * Math.PI * hertz * i) / rateHz),
		);
	known.set(word, samples);
	return samples;
}

export const wordName = (word: number) => `w${word}`;

/** What the model was asked, for assertions. */
export interface ToneModel {
	readonly engine: EngineModel;
	readonly requests: SpeechRequest[];
	/** Seconds heard at once. */
	windowS: number;
	/** Milliseconds of waiting per stretch, cancellable. */
	delayMs: number;
	cancelled: number;
	/** Most calls that were in flight at the same time. */
	maxAtOnce: number;
	/** Leaves every last word of a stretch with several for the next one. */
	shy: boolean;
	/** Leaves out what comes after a pause of half a second, and says that all is heard. */
	lazy: boolean;
	/** Says that its text ends this many seconds before it does. */
	hastyS: number;
}

export function toneModel(): ToneModel {
	const refuse = () => Promise.reject(new AppError('unsupported_model'));
	let inFlight = 0;
	const model: ToneModel = {
		requests: [],
		windowS: 30,
		delayMs: 0,
		cancelled: 0,
		maxAtOnce: 0,
		shy: false,
		lazy: false,
		hastyS: 0,
		engine: {
			description: {} as EngineModel['description'],
			generate: refuse,
			seq2seq: refuse,
			rerank: refuse,
			embed: refuse,
			stats: refuse,
			close: async () => {},
			transcribe: async (request, onText, signal) => {
				model.requests.push(request);
				model.maxAtOnce = Math.max(model.maxAtOnce, ++inFlight);
				try {
					await wait(model.delayMs, signal);
				} catch (error) {
					model.cancelled++;
					throw error;
				} finally {
					inFlight--;
				}
				const result = hear(request, model);
				onText(result.text);
				return result;
			},
		},
	};
	return model;
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
	if (signal?.aborted) throw new AppError('cancelled');
	if (ms === 0) return;
	await new Promise<void>((resolve, reject) => {
		const timer = setTimeout(resolve, ms);
		signal?.addEventListener('abort', () => {
			clearTimeout(timer);
			reject(new AppError('cancelled'));
		});
	});
}

function hear(request: SpeechRequest, { windowS, shy, lazy, hastyS }: ToneModel): SpeechResult {
	const samples = request.samples.subarray(0, windowS * rateHz);
	const lengthS = samples.length / rateHz;
	const all = loudRuns(samples);
	const stop = all.findIndex(({ to }, index) => (all[index + 1]?.from ?? 0) - to >= rateHz / 2);
	const runs = lazy && stop !== -1 ? all.slice(0, stop + 1) : all;
	const last = runs.at(-1);
	// Like Whisper: what the end may have cut into is left for the next stretch.
	const cut = last !== undefined && last.to >= samples.length - frame;
	const open = (cut || shy) && runs.length > 1;
	const heard = open ? runs.slice(0, -1) : runs;
	const words = heard.map(({ from, to }) => ({
		word: ` ${nameOf(samples.subarray(from, to))}`,
		start: from / rateHz,
		end: to / rateHz,
		probability: 1,
	}));
	const text = words.map(({ word }) => word).join('');
	const start = words[0]?.start ?? 0;
	const end = Math.max(start, (words.at(-1)?.end ?? 0) - hastyS);
	return {
		language: request.language ?? 'en',
		languageProbability: 0.9,
		noSpeechProb: 0.01,
		temperature: request.temperature,
		tokens: words.map((_, id) => ({ id, logprob: -0.1 })),
		text,
		windowS,
		consumedS: open ? (heard.at(-1)?.to ?? 0) / rateHz : lengthS,
		segments: text === '' ? [] : [{ start, end, text, tokens: [1, 2, 3], avgLogprob: -0.1 }],
		...(request.timestamps === 'word' ? { words } : {}),
	};
}

function loudRuns(samples: Float32Array): { from: number; to: number }[] {
	const runs: { from: number; to: number }[] = [];
	for (let at = 0; at < samples.length; at += frame) {
		let peak = 0;
		for (let i = at; i < Math.min(samples.length, at + frame); i++)
			peak = Math.max(peak, Math.abs(samples[i] as number));
		if (peak < 0.1) continue;
		const last = runs.at(-1);
		if (last?.to === at) last.to = Math.min(samples.length, at + frame);
		else runs.push({ from: at, to: Math.min(samples.length, at + frame) });
	}
	return runs;
}

/** The word of a whole tone; a piece of one is `?`. */
function nameOf(run: Float32Array): string {
	if (run.length < 0.9 * wordS * rateHz || run.length > 1.15 * wordS * rateHz) return '?';
	const middle = run.subarray(run.length >> 2, (3 * run.length) >> 2);
	let crossings = 0;
	for (let i = 1; i < middle.length; i++)
		if ((middle[i - 1] as number) < 0 !== (middle[i] as number) < 0) crossings++;
	return wordName(Math.round(((crossings * rateHz) / (2 * middle.length) - 400) / 40));
}

/** A host with this one model. */
export function toneHost(model: ToneModel, name = 'tones'): ModelHost {
	const info: ModelInfo = {
		id: `${name}:1`,
		name,
		version: '1',
		alias: name,
		displayName: name,
		task: 'automatic-speech-recognition',
		state: 'loaded',
		origin: 'local',
		publisher: '',
		license: '',
		folder: '.',
		supportsToolCalling: false,
	};
	const text = {
		specialIds: new Set<number>(),
		tokenBytes: (id: number) => new TextEncoder().encode(` t${id}`),
	} as unknown as TextModel;
	return {
		list: async () => [info],
		resolve: async (asked) => {
			if ([name, info.id].includes(asked)) return info;
			throw new AppError('model_not_found', `There is no model '${asked}'. Known: ${info.id}.`, {
				param: 'model',
			});
		},
		acquire: async () => ({
			info,
			engine: model.engine,
			loadMs: 0,
			[Symbol.asyncDispose]: async () => {},
		}),
		textModel: async () => inProcessTextService(text),
	};
}
