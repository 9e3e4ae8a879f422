/** Log-probabilities of tokens under the model's own distribution (before penalties and temperature). */

import type { TextModel, TokenLogprob } from '../api.ts';
import { argmax, topIndices } from './candidates.ts';
import { sumOfExp } from './fastExp.ts';

/** ln Σ exp(logits). */
export function logSumExp(logits: Float32Array): number {
	const max = logits[argmax(logits)] as number;
	if (!Number.isFinite(max)) return max;
	return max + Math.log(sumOfExp(logits, max));
}

/** Ids and natural-log probabilities, before they are put into words. */
export interface RawLogprob {
	readonly tokenId: number;
	readonly logprob: number;
	readonly top: readonly { readonly tokenId: number; readonly logprob: number }[];
}

/** Least value reported, because JSON has no −Infinity. */
const floor = -9999;

/** Log-probability of a token and its `count` best alternatives. */
export function rawLogprob(logits: Float32Array, tokenId: number, count: number): RawLogprob {
	const total = logSumExp(logits);
	const of = (id: number): number => Math.max(floor, (logits[id] ?? -Infinity) - total);
	return {
		tokenId,
		logprob: of(tokenId),
		top: topIndices(logits, count).map((id) => ({ tokenId: id, logprob: of(id) })),
	};
}

const utf8 = new TextDecoder();

/** Adds text and bytes. */
export function wordLogprob(raw: RawLogprob, text: TextModel): TokenLogprob {
	const word = ({ tokenId, logprob }: { tokenId: number; logprob: number }) => {
		const bytes = text.tokenBytes(tokenId);
		return { token: utf8.decode(bytes), tokenId, bytes: [...bytes], logprob };
	};
	return { ...word(raw), top: raw.top.map(word) };
}
