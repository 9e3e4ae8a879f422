/** Log-probabilities of tokens under the model's own distribution (before penalties and temperature). */

import type { TextModel, TokenLogprob } from '../api.ts';
import { type Blocks, findBlocks, logSumExpOf } from './blocks.ts';
import { topOfBlocks } from './candidates.ts';

/** ln Σ exp(logits). */
export function logSumExp(logits: Float32Array): number {
	return logSumExpOf(findBlocks(logits));
}

/** Ids and natural-log probabilities, before they are put into words. */
export interface RawLogprob {
	readonly tokenId: number;
	readonly logprob: number;
	readonly top: readonly { readonly tokenId: number; readonly logprob: number }[];
}

/** Least value reported, because JSON has no −Infinity. */
const floor = -9999;

/** Scratch memory. */
let original = new Float32Array(0);

/**
 * Notes what log-probabilities will need of logits that are about to be changed; the function gives
 * those of the chosen token and of the `count` likeliest. Valid until the next call.
 */
export function keepLogprobs(blocks: Blocks, count: number): (tokenId: number) => RawLogprob {
	const { values } = blocks;
	if (original.length < values.length) original = new Float32Array(values.length);
	original.set(values);
	const total = logSumExpOf(blocks);
	const of = (id: number): number =>
		id < values.length ? Math.max(floor, (original[id] as number) - total) : floor;
	const top = topOfBlocks(blocks, count).map((id) => ({ tokenId: id, logprob: of(id) }));
	return (tokenId) => ({ tokenId, logprob: of(tokenId), top });
}

/** Log-probability of a token and its `count` best alternatives. */
export function rawLogprob(logits: Float32Array, tokenId: number, count: number): RawLogprob {
	return keepLogprobs(findBlocks(logits), count)(tokenId);
}

const utf8 = new TextDecoder();

/** Adds text and bytes. */
export function toTokenLogprob(raw: RawLogprob, text: TextModel): TokenLogprob {
	const named = ({ tokenId, logprob }: { tokenId: number; logprob: number }) => {
		const bytes = text.tokenBytes(tokenId);
		return { token: utf8.decode(bytes), tokenId, bytes: [...bytes], logprob };
	};
	return { ...named(raw), top: raw.top.map(named) };
}
