/** When each token is spoken: feeds the finished text once more and reads the cross-attention. */

import type { EncodedBatch, EncoderDecoder } from '../seq2seq/encoderDecoder.ts';
import { alignTokens } from './timeWarp.ts';

export interface SpokenTokens {
	/** Tokens the decoder begins with. */
	readonly before: readonly number[];
	readonly ids: readonly number[];
	readonly endToken: number;
}

export interface AlignmentOptions {
	/** `[layer, head]` pairs that follow the words; without them, all of the later half of the layers. */
	readonly heads: readonly (readonly [number, number])[] | undefined;
	readonly medianWidth: number;
	/** Encoder positions that hold sound, and their distance in seconds. */
	readonly frames: number;
	readonly frameS: number;
}

/**
 * Seconds at which the tokens begin, and one more for the end of the last. `undefined` when the
 * graph gives no cross-attention.
 */
export async function tokenStarts(
	model: EncoderDecoder,
	encoded: EncodedBatch,
	{ before, ids, endToken }: SpokenTokens,
	{ heads, medianWidth, frames, frameS }: AlignmentOptions,
	signal?: AbortSignal,
): Promise<number[] | undefined> {
	if (model.attentionLayers.length === 0) return undefined;
	const run = model.start(encoded, { attentions: true });
	try {
		const { attentions } = await run.feed([[...before, ...ids, endToken]], signal);
		if (attentions === undefined) return undefined;
		// A token's position attends to the sound of the token after it.
		const first = before.length - 1;
		const chosen = heads ?? laterHeads(attentions);
		const count = Math.min(encoded.positions, Math.max(1, frames));
		const starts = alignTokens(
			attentions,
			chosen,
			first,
			first + ids.length + 1,
			count,
			medianWidth,
		);
		return starts.map((frame) => frame * frameS);
	} finally {
		run.release();
	}
}

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
