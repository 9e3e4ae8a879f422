/** Chooses the rules of a speech model by its `model_type`, and which calls are decoded together. */

import { AppError } from '../../protocol/index.ts';
import type { TextModel } from '../api.ts';
import { asNumber, asNumbers, readJsonFile } from '../folder/json.ts';
import type { EncoderDecoder } from '../seq2seq/encoderDecoder.ts';
import { JoinedModel } from '../seq2seq/joinedModel.ts';
import { type TextReader, textReaderHere } from '../text/textReader.ts';
import { MoonshineModel } from './moonshine.ts';
import type { SpeechModel } from './speechModel.ts';
import { Turns } from './turns.ts';
import { WhisperModel } from './whisper.ts';
import { readWhisperConfig } from './whisperConfig.ts';

/** Windows decoded together at most. */
const mostWindows = 8;
/** Positions of the longest window, for the estimate of memory. */
const longestWindow = 1500;

/**
 * Makes a speech model of a loaded encoder-decoder. Calls in flight share its runs.
 * `memoryBytes`: what the cross-attention caches of all windows may take together.
 * @throws AppError `unsupported_model` for families without rules here
 */
export async function openSpeech(
	folder: string,
	family: string,
	model: EncoderDecoder,
	text: TextModel,
	memoryBytes = 1 << 30,
	reader: Pick<TextReader, 'encode'> = textReaderHere(text),
): Promise<SpeechModel> {
	const make = await openFamily(folder, family, text, reader, model);
	const fitting = Math.floor(memoryBytes / (longestWindow * (model.crossBytesPerPosition ?? 0)));
	const atOnce = model.batchInvariant ? Math.max(1, Math.min(mostWindows, fitting)) : 1;
	const joined = new JoinedModel(model, atOnce);
	const members = {
		interactive: make(joined.member('interactive')),
		batch: make(joined.member('batch')),
	};
	const turns = new Turns({ atOnce, mayJoin: () => !joined.isDecoding });
	return {
		transcribe: (request, onText, signal) =>
			turns.take(
				request.priority,
				() => members[request.priority].transcribe(request, onText, signal),
				signal,
			),
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
