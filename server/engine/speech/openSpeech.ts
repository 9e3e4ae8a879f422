/** Chooses the rules of a speech model by its `model_type`, and which calls are decoded together. */

import { AppError } from '../../protocol/index.ts';
import type { TextModel } from '../api.ts';
import { asNumber, asNumbers, readJsonFile } from '../modelFiles/json.ts';
import { Admission, type AdmissionQueue } from '../queue/admission.ts';
import { RequestQueue } from '../queue/requestQueue.ts';
import type { EncoderDecoder } from '../seq2seq/encoderDecoder.ts';
import { LockstepBatcher } from '../seq2seq/lockstepBatcher.ts';
import { inProcessTextReader, type TextReader } from '../text/textReader.ts';
import { MoonshineModel } from './moonshine/moonshine.ts';
import type { SpeechModel } from './speechModel.ts';
import { WhisperModel } from './whisper/whisper.ts';
import { readWhisperConfig } from './whisper/whisperConfig.ts';

/** Windows decoded together at most. */
const maxWindows = 8;
/** Windows that wait take two megabytes each. */
export const usualSpeechLimits = { maxWaiting: 256, maxWaitingWork: 3600, unit: 'seconds' };
const rateHz = 16_000;
/** Positions of the longest window, for the estimate of memory. */
const maxPositions = 1500;

export interface OpenSpeech extends SpeechModel {
	/** Requests that have their turn. */
	readonly running: number;
	/** Somebody's recording is about to come: background work makes room for it. */
	expect(): Disposable;
	/** Resolves when no run is in flight. */
	close(): Promise<void>;
}

/**
 * Makes a speech model of a loaded encoder-decoder. Calls in flight share its runs.
 * `memoryBytes`: what the cross-attention caches of all windows may take together; `queue`: where they wait, counted
 * in seconds of sound.
 * @throws AppError `unsupported_model` for families without rules here
 */
export async function openSpeech(
	folder: string,
	family: string,
	model: EncoderDecoder,
	text: TextModel,
	memoryBytes = 1 << 30,
	reader: Pick<TextReader, 'encode'> = inProcessTextReader(text),
	queue: AdmissionQueue = new RequestQueue(usualSpeechLimits),
): Promise<OpenSpeech> {
	const make = await openFamily(folder, family, text, reader, model);
	const fitting = Math.floor(memoryBytes / (maxPositions * (model.crossBytesPerPosition ?? 0)));
	const maxConcurrent = model.batchInvariant ? Math.max(1, Math.min(maxWindows, fitting)) : 1;
	const batcher = new LockstepBatcher(model, maxConcurrent);
	const members = {
		interactive: make(batcher.member('interactive')),
		batch: make(batcher.member('batch')),
	};
	const admission = new Admission(queue, ({ priority }, running) => {
		if (running === 0) return true;
		if (maxConcurrent === 1) return false;
		return priority === 'interactive'
			? running <= maxConcurrent
			: // What starts later could not share the runs of what is under way.
				running < maxConcurrent && !batcher.isDecoding;
	});
	return {
		get running() {
			return admission.running;
		},
		expect: () => batcher.expect(),
		close: () => batcher.idle(),
		transcribe: ({ owner, isPart, ...request }, onText, signal) => {
			const { priority, samples } = request;
			return admission.run(
				{ priority, owner, isPart: isPart === true, work: samples.length / rateHz },
				() => members[priority].transcribe(request, onText, signal),
				signal,
			);
		},
	};
}

async function openFamily(
	folder: string,
	family: string,
	text: TextModel,
	reader: Pick<TextReader, 'encode'>,
	{ encoderInputs }: EncoderDecoder,
): Promise<(model: EncoderDecoder) => SpeechModel> {
	if (family === 'whisper') {
		const config = await readWhisperConfig(folder, text, encoderInputs.get('input_features'));
		return (model) => new WhisperModel(model, text, reader, config);
	}
	if (family === 'moonshine') {
		const config = (await readJsonFile(folder, 'config.json')) ?? {};
		const generation = (await readJsonFile(folder, 'generation_config.json')) ?? {};
		const moonshine = {
			startToken: asNumber(config.decoder_start_token_id) ?? 1,
			endToken: asNumbers(generation.eos_token_id ?? config.eos_token_id)[0] ?? 2,
			maxTokens: asNumber(config.max_position_embeddings) ?? 194,
			language: /moonshine-\w+-([a-z]{2})$/.exec(folder.replace(/[\\/]+$/, ''))?.[1] ?? 'en',
		};
		return (model) => new MoonshineModel(model, text, moonshine);
	}
	throw new AppError('unsupported_model', `Speech models of type '${family}' are not known here.`);
}
