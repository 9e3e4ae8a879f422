/** Times of words: feeds the finished text once more and reads the cross-attention of every token. */

import type { SpeechResult, TextModel } from '../api.ts';
import type { EncodedBatch, EncoderDecoder } from '../seq2seq/encoderDecoder.ts';
import { alignRows, frameS } from './timeWarp.ts';
import type { WhisperConfig } from './whisperConfig.ts';
import { evenStarts, type SpeechWord, splitWords, timeWords } from './words.ts';

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
 * Words of a result with seconds from the start of the stretch. A model whose graph gives no
 * cross-attention gets times spread over each segment by the length of the words.
 */
export async function whisperWords(
	{ model, text, config }: WordModel,
	{ encoded, start, result, durationS }: WordInput,
	signal?: AbortSignal,
): Promise<SpeechWord[]> {
	const isText = (id: number) => id < config.endToken;
	if (model.attentionLayers.length === 0)
		return result.segments.flatMap((segment) => spreadWords(segment, result, text, isText));
	const tokens = result.tokens.filter((token) => isText(token.id));
	const ids = tokens.map((token) => token.id);
	if (ids.length === 0) return [];
	const before = [
		...start,
		...(config.noTimestampsToken === undefined ? [] : [config.noTimestampsToken]),
	];
	// The row of a token attends to the sound of the token after it.
	const first = before.length - 1;
	const room = config.maxTokens - before.length - 1;
	const fed = ids.slice(0, room);
	const run = model.start(encoded, { attentions: true });
	try {
		const output = await run.feed([[...before, ...fed, config.endToken]], signal);
		if (output.attentions === undefined) return [];
		const frames = Math.min(encoded.positions, Math.max(1, Math.ceil(durationS / frameS)));
		const heads = config.alignmentHeads ?? laterHeads(output.attentions);
		const rows = alignRows(
			output.attentions,
			heads,
			first,
			first + fed.length + 1,
			frames,
			config.medianWidth,
		);
		const starts = rows.map((frame) => frame * frameS);
		return timeWords(splitWords(fed, text, result.language), starts, tokens);
	} finally {
		run.release();
	}
}

/** Without published heads, all heads of the later half of the layers. */
function laterHeads(
	attentions: ReadonlyMap<number, { readonly dims: readonly number[] }>,
): [number, number][] {
	const layers = [...attentions.keys()].sort((a, b) => a - b);
	return layers
		.slice(Math.floor(layers.length / 2))
		.flatMap((layer) =>
			Array.from({ length: attentions.get(layer)?.dims[1] ?? 0 }, (_, head): [number, number] => [
				layer,
				head,
			]),
		);
}

function spreadWords(
	segment: SpeechResult['segments'][number],
	result: SpeechResult,
	text: TextModel,
	isText: (id: number) => boolean,
): SpeechWord[] {
	const ids = segment.tokens.filter(isText);
	const starts = evenStarts(ids, text, segment.start, segment.end);
	const tokens = ids.map((id) => ({ id, logprob: segment.avgLogprob }));
	return timeWords(splitWords(ids, text, result.language), starts, tokens);
}
