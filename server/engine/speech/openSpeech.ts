/** Chooses the rules of a speech model by its `model_type` and makes calls take turns. */

import { AppError } from '../../protocol/index.ts';
import type { TextModel } from '../api.ts';
import { asNumber, asNumbers, readJsonFile } from '../folder/json.ts';
import type { EncoderDecoder } from '../seq2seq/encoderDecoder.ts';
import { MoonshineModel } from './moonshine.ts';
import type { SpeechModel } from './speechModel.ts';
import { Turns } from './turns.ts';
import { WhisperModel } from './whisper.ts';
import { readWhisperConfig } from './whisperConfig.ts';

/**
 * Makes a speech model of a loaded encoder-decoder.
 * @throws AppError `unsupported_model` for families without rules here
 */
export async function openSpeech(
	folder: string,
	family: string,
	model: EncoderDecoder,
	text: TextModel,
): Promise<SpeechModel> {
	return inTurns(await openFamily(folder, family, model, text));
}

async function openFamily(
	folder: string,
	family: string,
	model: EncoderDecoder,
	text: TextModel,
): Promise<SpeechModel> {
	if (family === 'whisper')
		return new WhisperModel(model, text, await readWhisperConfig(folder, text));
	if (family === 'moonshine') {
		const config = (await readJsonFile(folder, 'config.json')) ?? {};
		const generation = (await readJsonFile(folder, 'generation_config.json')) ?? {};
		return new MoonshineModel(model, text, {
			startToken: asNumber(config.decoder_start_token_id) ?? 1,
			endToken: asNumbers(generation.eos_token_id ?? config.eos_token_id)[0] ?? 2,
			maxTokens: asNumber(config.max_position_embeddings) ?? 194,
			language: /moonshine-\w+-([a-z]{2})$/.exec(folder.replace(/[\\/]+$/, ''))?.[1] ?? 'en',
		});
	}
	throw new AppError('unsupported_model', `Speech models of type '${family}' are not known here.`);
}

/** The decoder's caches serve one stretch at a time; dictation goes before files. */
function inTurns(model: SpeechModel): SpeechModel {
	const turns = new Turns();
	return {
		transcribe: (request, onText, signal) =>
			turns.take(request.priority, () => model.transcribe(request, onText, signal), signal),
	};
}
