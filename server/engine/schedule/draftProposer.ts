/**
 * Prompt lookup (n-gram speculation): proposes the tokens that followed an earlier occurrence of the
 * text's end. Accepted tokens are verified several at a time in one step; rejected ones cost part of a
 * step, so a running estimate of acceptance decides how many are proposed.
 */

/** Proposes tokens and learns how many were accepted. One per sequence. */
export interface DraftProposer {
	/** Makes the next proposal ready, where that takes a run of its own; called between steps. */
	prepare?(tokens: readonly number[], signal?: AbortSignal): Promise<void>;
	/** At most `max` tokens that may follow `tokens`; empty if speculation does not pay now. */
	propose(tokens: readonly number[], max: number): readonly number[];
	/** Called after every step that had a proposal. */
	learn(drafted: number, accepted: number): void;
	/** The sequence has ended. */
	dispose?(): void;
}

const maxMatch = 4;
const minMatch = 2;
const maxDrafted = 8;
/** How far back to look; bounds the time per token. */
const window = 8192;
/** Estimated acceptance below which nothing is drafted for a while. */
const minAcceptance = 0.35;

/** Latest earlier occurrence of the end of `tokens`, longest match first; −1 when there is none. */
export function findContinuation(tokens: readonly number[]): number {
	const length = tokens.length;
	const oldest = Math.max(0, length - window);
	const last = tokens[length - 1];
	let best = -1;
	let bestMatch = minMatch - 1;
	for (let end = length - 2; end >= oldest; end--) {
		if (tokens[end] !== last) continue;
		let match = 1;
		while (
			match < maxMatch &&
			end - match >= oldest &&
			tokens[end - match] === tokens[length - 1 - match]
		) {
			match++;
		}
		if (match > bestMatch) {
			bestMatch = match;
			best = end + 1;
			if (match === maxMatch) break;
		}
	}
	return best;
}

/** Prompt lookup with a running estimate of acceptance. */
export class NgramProposer implements DraftProposer {
	/** Moving average of accepted / drafted. */
	#rate = 0.6;
	#pause = 0;

	propose(tokens: readonly number[], max: number): readonly number[] {
		if (this.#pause > 0) {
			this.#pause--;
			return [];
		}
		const wanted = Math.min(max, maxDrafted, Math.max(2, Math.round(this.#rate * maxDrafted)));
		const start = findContinuation(tokens);
		return start === -1 ? [] : tokens.slice(start, start + wanted);
	}

	learn(drafted: number, accepted: number): void {
		if (drafted === 0) return;
		this.#rate = 0.7 * this.#rate + 0.3 * (accepted / drafted);
		if (this.#rate < minAcceptance) {
			// Text changes its nature; look again after a while, with the benefit of the doubt.
			this.#pause = 24;
			this.#rate = 0.5;
		}
	}
}
