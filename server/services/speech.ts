/** Transcribing a recording: decode, find speech, hear stretch by stretch, put the text together. */

import type { DecodedAudio } from '../audio/decodeAudio.ts';
import type { VoiceActivity } from '../audio/voiceActivity.ts';
import type { EngineModel, SpeechResult } from '../engine/api.ts';
import type { ModelInfo, Transcript, TranscriptProgress } from '../protocol/index.ts';
import { AppError } from '../protocol/index.ts';
import type { ModelHost, ModelLease } from './host.ts';
import type { SpeechCall } from './speechRequest.ts';
import { type Stretch, StretchCutter } from './speechStretches.ts';
import { type Added, TranscriptBuilder } from './transcriptBuilder.ts';

export interface SpeechLimits {
	readonly maximumBytes: number;
	readonly maximumS: number;
}

export interface SpeechDeps {
	readonly host: ModelHost;
	readonly limits: SpeechLimits;
	/** Opens a file as 16 kHz mono. */
	readonly decode: (path: string, maximumS: number, signal?: AbortSignal) => Promise<DecodedAudio>;
	/** A detector of speech for one recording. */
	readonly activity: (engine: EngineModel) => VoiceActivity;
	readonly randomSeed: () => number;
}

export type SpeechEvent =
	| { readonly type: 'model'; readonly model: ModelInfo }
	| ({ readonly type: 'added' } & Added)
	| ({ readonly type: 'progress' } & TranscriptProgress);

export interface SpeechService {
	readonly limits: SpeechLimits;
	/**
	 * Transcribes or translates the file at `path`.
	 * @throws AppError `invalid_audio`, `payload_too_large`, `model_not_found`, `cancelled`, …
	 */
	run(
		call: SpeechCall,
		path: string,
		onEvent: (event: SpeechEvent) => void,
		signal?: AbortSignal,
	): Promise<Transcript>;
}

const task = 'automatic-speech-recognition';
/** Names clients send when they mean whatever is there. */
const anyModel = new Set(['whisper-1', 'default', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe']);
/** Text of the recording so far that the next stretch is told. */
const contextCharacters = 400;
/** A text from a higher temperature than this is not passed on. */
const trustedTemperature = 0.5;
const rateHz = 16_000;
const windowSlackS = 0.02;
/** A stretch of which less is dealt with would be heard for ever. */
const leastProgressS = 0.5;

export function createSpeechService(deps: SpeechDeps): SpeechService {
	return {
		limits: deps.limits,
		run: async (call, path, onEvent, signal) => {
			const model = await chosenModel(deps.host, call.model);
			// The recording is opened before the model: a bad file must not wait for a load.
			const audio = await deps.decode(path, deps.limits.maximumS, signal);
			try {
				await using lease = await deps.host.acquire(model.id, {}, signal);
				onEvent({ type: 'model', model: lease.info });
				return await transcribe(deps, { call, audio, lease }, onEvent, signal);
			} finally {
				await audio.close();
			}
		},
	};
}

async function chosenModel(host: ModelHost, name: string): Promise<ModelInfo> {
	if (!anyModel.has(name)) return host.resolve(name, task);
	const known = await host.list(task);
	const exact = known.find((model) => model.alias === name || model.name === name);
	const ready = exact ?? known.find((model) => model.state === 'loaded') ?? best(known);
	if (ready !== undefined) return ready;
	throw new AppError(
		'model_not_found',
		'There is no speech model on this machine. Download one: nearglot models search whisper.',
		{ param: 'model' },
	);
}

/** The largest downloaded model: what a person chose to download is better than what is built in. */
function best(models: readonly ModelInfo[]): ModelInfo | undefined {
	return models
		.filter((model) => model.folder !== undefined)
		.sort((a, b) => (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0))[0];
}

interface Job {
	readonly call: SpeechCall;
	readonly audio: DecodedAudio;
	readonly lease: ModelLease;
}

async function transcribe(
	deps: SpeechDeps,
	{ call, audio, lease }: Job,
	onEvent: (event: SpeechEvent) => void,
	signal?: AbortSignal,
): Promise<Transcript> {
	const tokens = call.logprobs ? await deps.host.textModel(lease.info.id) : undefined;
	const builder = new TranscriptBuilder(tokens);
	const seed = call.seed ?? deps.randomSeed();
	const words = call.words || call.format === 'srt' || call.format === 'vtt';
	const cutter = new StretchCutter(audio.samples, deps.activity(lease.engine));
	let language = call.language;
	let before: Before = { text: '', trusted: true };
	try {
		for (;;) {
			const stretch = await cutter.next(signal);
			if (stretch === undefined) break;
			const prompt = promptOf(call, before);
			const result = await lease.engine.transcribe(
				{
					samples: stretch.samples,
					task: call.task,
					temperature: call.temperature,
					seed,
					timestamps: words ? 'word' : 'segment',
					priority: stretch.startS === 0 ? 'interactive' : 'batch',
					...(language === undefined ? {} : { language }),
					...(prompt === '' ? {} : { prompt }),
				},
				() => {},
				signal,
			);
			if (stretch.samples.length > (result.windowS + windowSlackS) * rateHz) {
				// The model hears less at once than was cut: cut again, in a pause within its window.
				cutter.narrow(result.windowS);
				continue;
			}
			const taken = progressOf(result, stretch);
			cutter.consume(taken);
			// One language per recording: short stretches guess badly.
			if (result.text.trim() !== '' && result.languageProbability > 0.5)
				language ??= result.language;
			const added = builder.add(result, stretch.startS);
			before = { text: builder.text, trusted: result.temperature <= trustedTemperature };
			if (added.delta !== '') onEvent({ type: 'added', ...added });
			const total = audio.info.durationS;
			onEvent({
				type: 'progress',
				done: stretch.startS + taken,
				...(total === undefined ? {} : { total }),
			});
		}
	} finally {
		await cutter.close();
	}
	return builder.build(call.task, cutter.receivedS, { words });
}

interface Before {
	readonly text: string;
	readonly trusted: boolean;
}

function promptOf(call: SpeechCall, before: Before): string {
	const context =
		call.conditionOnPrevious && before.trusted ? before.text.slice(-contextCharacters) : '';
	// A word cut in half would teach the model to write halves.
	const whole =
		context.length === contextCharacters ? context.slice(context.indexOf(' ') + 1) : context;
	return [call.prompt ?? '', whole].filter((part) => part !== '').join(' ');
}

/** Seconds to move on by. */
function progressOf(result: SpeechResult, stretch: Stretch): number {
	const lengthS = stretch.samples.length / rateHz;
	return result.consumedS >= Math.min(leastProgressS, lengthS)
		? Math.min(result.consumedS, lengthS)
		: lengthS;
}
