/** Transcribing: chooses the model and decodes the recording. */

import type { DecodedAudio } from '../../audio/decodeAudio.ts';
import type { VoiceActivity } from '../../audio/voiceActivity.ts';
import { defined } from '../../protocol/defined.ts';
import type { ModelInfo, Transcript } from '../../protocol/index.ts';
import { AppError, comparableName, findModel } from '../../protocol/index.ts';
import type { ModelClient, ModelHost } from '../host.ts';
import { openBill } from '../limits/account.ts';
import { chargedAudio, firstSeconds } from './chargedAudio.ts';
import { findSpeakerModels, recordingSpeakers } from './speakers/recordingSpeakers.ts';
import type { SpeechEvent } from './speechEvent.ts';
import type { SpeechCall } from './speechRequest.ts';
import { type TranscriptionJob, transcribeRecording } from './transcribeRecording.ts';

export interface SpeechLimits {
	readonly maximumBytes: number;
	readonly maximumS: number;
}

export interface SpeechDeps {
	readonly host: ModelHost;
	readonly limits: SpeechLimits;
	/** Throws `overloaded` while no further recording can be opened. */
	readonly checkRoom: () => void;
	/** Opens a file as 16 kHz mono. */
	readonly decode: (path: string, maximumS: number, signal?: AbortSignal) => Promise<DecodedAudio>;
	/** A detector of speech for one recording. */
	readonly activity: (engine: ModelClient) => VoiceActivity;
	readonly randomSeed: () => number;
}

/** Judges sound for as long as it is held; its model stays loaded. */
export interface SpeechListener extends VoiceActivity, AsyncDisposable {}

export interface SpeechService {
	readonly limits: SpeechLimits;
	/** Throws `overloaded` while no further recording is taken: asked before one is received. */
	checkRoom(): void;
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
	/**
	 * As {@link run} for sound that is recorded at this moment: text comes in every pause. Closes `audio`.
	 */
	transcribeLive(
		call: SpeechCall,
		audio: DecodedAudio,
		onEvent: (event: SpeechEvent) => void,
		signal?: AbortSignal,
	): Promise<Transcript>;
	/**
	 * A detector of speech for sound that `model` will transcribe, which is loaded by then.
	 * @throws AppError as {@link model}, and what loading it throws
	 */
	listener(model: string, signal?: AbortSignal): Promise<SpeechListener>;
	/** Throws `model_not_found` when `name` is no speech model of this machine. */
	model(name: string): Promise<ModelInfo>;
}

const task = 'automatic-speech-recognition';
/** Names clients send when they mean whatever is there. */
const anyModel = new Set([
	'whisper-1',
	'default',
	'gpt-4o-transcribe',
	'gpt-4o-mini-transcribe',
	'gpt-realtime-whisper',
]);
/** A speaker who says nothing for this long has finished a thought. */
const livePauseS = 0.8;

/** Seed of transcriptions that leave nothing to chance. */
const fixedSeed = 0;

export function createSpeechService(deps: SpeechDeps): SpeechService {
	const transcribe = async (
		call: SpeechCall,
		audio: DecodedAudio,
		more: Pick<TranscriptionJob, 'pauseS' | 'turns'>,
		onEvent: (event: SpeechEvent) => void,
		signal?: AbortSignal,
	) => {
		try {
			const { id } = await chosenModel(deps.host, call.model);
			await using bill = await openBill(call.account, {
				kind: 'speech',
				model: id,
				...firstSeconds(audio.info.durationS),
			});
			await using lease = await deps.host.acquire(id, {}, signal);
			onEvent({ type: 'model', model: lease.info });
			const transcript = await transcribeRecording(
				{
					...{ call, lease, ...more },
					audio: chargedAudio(audio, bill),
					activity: deps.activity(lease.engine),
					// At 0 a recording has one text, also where parts of it are tried again at higher temperatures.
					seed: call.seed ?? (call.temperature > 0 ? deps.randomSeed() : fixedSeed),
					...(call.logprobs ? { tokens: await deps.host.textModel(lease.info.id) } : {}),
				},
				(event) => {
					if (event.type === 'progress') bill.total({ seconds: event.done });
					onEvent(event);
				},
				signal,
			);
			bill.total({ seconds: transcript.duration });
			return transcript;
		} finally {
			await audio.close();
		}
	};
	return {
		limits: deps.limits,
		checkRoom: deps.checkRoom,
		model: (name) => chosenModel(deps.host, name),
		listener: async (name, signal) => {
			const { id } = await chosenModel(deps.host, name);
			const lease = await deps.host.acquire(id, {}, signal);
			const activity = deps.activity(lease.engine);
			return {
				probabilities: (samples, until) => activity.probabilities(samples, until),
				[Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
			};
		},
		run: async (call, path, onEvent, signal) => {
			await chosenModel(deps.host, call.model);
			const speakers = call.speakers ? await findSpeakerModels(deps.host) : undefined;
			// The recording is opened before the model: a bad file must not wait for a load.
			const open = () => deps.decode(path, deps.limits.maximumS, signal);
			// Whoever reads the text as it comes wants to know who speaks, so that is found first.
			const turns =
				speakers && (await recordingSpeakers(deps.host, speakers, await open(), signal));
			return transcribe(call, await open(), defined({ turns }), onEvent, signal);
		},
		transcribeLive: async (call, audio, onEvent, signal) => {
			// A wait for the next sound does not see the signal.
			const onAbort = () => void audio.close();
			signal?.addEventListener('abort', onAbort, { once: true });
			try {
				const transcript = await transcribe(call, audio, { pauseS: livePauseS }, onEvent, signal);
				signal?.throwIfAborted();
				return transcript;
			} finally {
				signal?.removeEventListener('abort', onAbort);
			}
		},
	};
}

async function chosenModel(host: ModelHost, name: string): Promise<ModelInfo> {
	if (!anyModel.has(comparableName(name))) return host.resolve(name, task);
	const known = await host.list(task);
	const exact = findModel(known, name);
	// What is built in must not stand in the way of what a person downloaded, even when it is loaded.
	const ready =
		exact ??
		known.find((model) => model.state === 'loaded' && model.origin !== 'built-in') ??
		best(known);
	if (ready !== undefined) return ready;
	throw new AppError(
		'model_not_found',
		'There is no speech model on this machine. Download one: nearglot models search whisper.',
		{ param: 'model' },
	);
}

/** The largest model on disk of those a person chose to download, else what is built in. */
function best(models: readonly ModelInfo[]): ModelInfo | undefined {
	const rank = ({ origin, sizeBytes }: ModelInfo) =>
		origin === 'built-in' ? -1 : (sizeBytes ?? 0);
	return models.filter((model) => model.folder !== undefined).sort((a, b) => rank(b) - rank(a))[0];
}
