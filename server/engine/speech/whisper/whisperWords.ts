/** Words of a Whisper result with their times, from cross-attention or, without it, from the segments. */

import type { SpeechResult, TextModel } from '../../api.ts';
import type { EncodedBatch, EncoderDecoder } from '../../seq2seq/encoderDecoder.ts';
import { frameS } from '../timeWarp.ts';
import { tokenStarts } from '../tokenStarts.ts';
import { evenStarts, type SpeechWord, splitWords, timeWords } from '../words.ts';
import type { WhisperConfig } from './whisperConfig.ts';

export interface WordModel {
	readonly model: EncoderDecoder;
	readonly text: TextModel;
	readonly config: WhisperConfig;
}

export interface WordInput {
	readonly encoded: EncodedBatch;
	/** Start, language and task token. */
	readonly start: readonly number[];
	readonly result: SpeechResult;
	readonly durationS: number;
}

/**
 * Words of a result with seconds from the start of the stretch. A graph that gives no cross-attention
 * and cannot be extended gets times spread over each segment by the length of the words.
 */
export async function whisperWords(
	{ model, text, config }: WordModel,
	{ encoded, start, result, durationS }: WordInput,
	signal?: AbortSignal,
): Promise<SpeechWord[]> {
	const isText = (id: number) => id < config.endToken;
	const plain = config.noTimestampsToken === undefined ? [] : [config.noTimestampsToken];
	const before = [...start, ...plain];
	const tokens = result.tokens.filter((token) => isText(token.id));
	const ids = tokens.map((token) => token.id).slice(0, config.maxTokens - before.length - 1);
	if (ids.length === 0) return [];
	const starts = await tokenStarts(
		model,
		encoded,
		{ before, ids, endToken: config.endToken },
		{
			heads: config.alignmentHeads,
			medianWidth: config.medianWidth,
			frames: Math.ceil(durationS / frameS),
			frameS,
		},
		signal,
	);
	if (starts !== undefined)
		return timeWords(splitWords(ids, text, result.language), starts, tokens);
	let at = 0;
	return result.segments.flatMap((segment) => {
		const own = segment.tokens.filter(isText);
		const spread = evenStarts(own, text, segment.start, segment.end);
		const said = own.map((id) => {
			while (at < tokens.length && tokens[at]?.id !== id) at++;
			return tokens[at++] ?? { id, logprob: segment.avgLogprob };
		});
		return timeWords(splitWords(own, text, result.language), spread, said);
	});
}
