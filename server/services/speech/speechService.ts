/** Transcribing: chooses the model and decodes the recording. */

import type { DecodedAudio } from '../../audio/decodeAudio.ts';
import type { VoiceActivity } from '../../audio/voiceActivity.ts';
import type { ModelInfo, Transcript } from '../../protocol/index.ts';
import { AppError, comparableName, findModel } from '../../protocol/index.ts';
import type { ModelClient, ModelHost } from '../host.ts';
import type { SpeechEvent } from './speechEvent.ts';
import type { SpeechCall } from './speechRequest.ts';
import { transcribeRecording } from './transcribeRecording.ts';

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
	/** Throws `model_not_found` when `name` is no speech model of this machine. */
	model(name: string): Promise<ModelInfo>;
}

const task = 'automatic-speech-recognition';
/** Names clients send when they mean whatever is there. */
const anyModel = new Set(['whisper-1', 'default', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe']);
/** A speaker who says nothing for this long has finished a thought. */
const livePauseS = 0.8;

export function createSpeechService(deps: SpeechDeps): SpeechService {
	const transcribe = async (
		call: SpeechCall,
		audio: DecodedAudio,
		pause: { readonly pauseS?: number },
		onEvent: (event: SpeechEvent) => void,
		signal?: AbortSignal,
	) => {
		try {
			const { id } = await chosenModel(deps.host, call.model);
			await using lease = await deps.host.acquire(id, {}, signal);
			onEvent({ type: 'model', model: lease.info });
			return await transcribeRecording(
				{
					...{ call, audio, lease, ...pause },
					activity: deps.activity(lease.engine),
					seed: call.seed ?? deps.randomSeed(),
					...(call.logprobs ? { tokens: await deps.host.textModel(lease.info.id) } : {}),
				},
				onEvent,
				signal,
			);
		} finally {
			await audio.close();
		}
	};
	return {
		limits: deps.limits,
		checkRoom: deps.checkRoom,
		model: (name) => chosenModel(deps.host, name),
		run: async (call, path, onEvent, signal) => {
			await chosenModel(deps.host, call.model);
			// The recording is opened before the model: a bad file must not wait for a load.
			const audio = await deps.decode(path, deps.limits.maximumS, signal);
			return transcribe(call, audio, {}, onEvent, signal);
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
