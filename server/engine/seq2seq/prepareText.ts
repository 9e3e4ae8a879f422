/** A text of a request as the search needs it: its tokens, its rules, checked against what the model can do. */

import { AppError } from '../../protocol/index.ts';
import type { Seq2SeqRequest, TextModel } from '../api.ts';
import type { GenerationSettings } from '../modelFiles/generationSettings.ts';
import type { AlignmentSource } from './alignment.ts';
import { ownTokens } from './batchShortlist.ts';
import type { EncoderDecoder } from './encoderDecoder.ts';
import { encodeItem } from './languageTokens.ts';
import type { SearchOptions } from './searchOptions.ts';
import type { PreparedText } from './translationBatch.ts';

export interface PrepareOptions {
	readonly model: EncoderDecoder;
	readonly text: TextModel;
	readonly settings: GenerationSettings;
	/** Maximum source ids, and most decoder ids. */
	readonly contextLength: number;
	readonly alignment: AlignmentSource | undefined;
}

/** @throws AppError for what the model cannot read or do; `index` is the text's in the request */
export function prepareText(
	options: PrepareOptions,
	request: Seq2SeqRequest,
	index: number,
	read: ReturnType<TextModel['encodeWithOffsets']>,
): PreparedText {
	const item = request.items[index] as Seq2SeqRequest['items'][number];
	const { text, settings, contextLength, model, alignment } = options;
	const startToken =
		settings.decoderStartTokenId ??
		settings.bosTokenId ??
		settings.padTokenId ??
		settings.eosTokenIds[0];
	if (startToken === undefined) {
		throw new AppError('unsupported_model', 'The model names no decoder_start_token_id.');
	}
	const encoded = encodeItem(text, item, startToken, read);
	if (encoded.source.length > contextLength) {
		throw new AppError(
			'context_length_exceeded',
			`Text ${index + 1} has ${encoded.source.length} tokens; this model reads ${contextLength}. Split it into sentences.`,
			{ param: `items[${index}]`, data: { tokens: encoded.source.length, contextLength } },
		);
	}
	if (request.alignment === true && alignment === undefined) {
		throw new AppError('unsupported_parameter', 'This model gives no word alignment.', {
			param: 'alignment',
		});
	}
	const beams = request.beams ?? settings.numBeams;
	if (!Number.isInteger(beams) || beams < 1 || beams > 16) {
		throw new AppError(
			'invalid_request',
			`beams must be a whole number from 1 to 16, not ${beams}.`,
			{
				param: 'beams',
			},
		);
	}
	const start = encoded.start.length;
	const own = Math.min(
		settings.maxNewTokens === undefined ? Infinity : start + settings.maxNewTokens,
		settings.maxLength ?? contextLength,
		contextLength,
	);
	const maxLength = Math.max(
		start + 1,
		Math.min(own, start + (item.maxTokens ?? request.maxTokens ?? Infinity)),
	);
	const rules: SearchOptions = {
		beams,
		maxLength,
		minLength: settings.minLength,
		lengthPenalty: request.lengthPenalty ?? settings.lengthPenalty,
		earlyStopping: request.earlyStopping ?? settings.earlyStopping,
		endTokens: settings.eosTokenIds,
		forcedBegin: start > 1 ? undefined : settings.forcedBosTokenId,
		forcedEnd: settings.forcedEosTokenId,
		badSequences: settings.badWords,
		suppressTokens: settings.suppressTokens.filter((id) => id < model.vocabularySize),
		beginSuppressTokens: settings.beginSuppressTokens,
		repetitionPenalty: settings.repetitionPenalty,
		noRepeatNgram: request.noRepeatNgram ?? settings.noRepeatNgramSize,
		renormalise: settings.renormalizeLogits,
	};
	return {
		item,
		encoded,
		wantsAttention: request.alignment === true,
		alternatives: Math.min(request.alternatives ?? 0, beams - 1),
		priority: request.priority,
		search: rules,
		ownTokens: ownTokens(model, { ...encoded, rules }),
	};
}
