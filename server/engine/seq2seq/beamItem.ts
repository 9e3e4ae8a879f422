/**
 * Beam search of one item, as the reference library does it (its vectorised `_beam_search`): running
 * beams and finished hypotheses are kept apart, finished ones compare by length-normalised score.
 */

import { topOfBlocks } from '../sample/candidates.ts';
import { type SearchOptions, SearchRules } from './searchOptions.ts';

/** A text being made or finished. */
export interface BeamHypothesis {
	/** Start tokens and generated tokens; an end token, if there is one, is the last. */
	readonly ids: readonly number[];
	/** Sum of log-probabilities of generated tokens. */
	readonly logprob: number;
	/** One entry per generated token: attention of the step that made it. */
	readonly attention: readonly Float32Array[];
}

/** A hypothesis that has ended. */
export interface Finished extends BeamHypothesis {
	/** Log-probability over length to the power of the length penalty. */
	readonly score: number;
	readonly reason: 'stop' | 'length';
}

/** Logits and attention of one running beam after a step. */
export interface BeamStep {
	readonly logits: Float32Array;
	readonly attention: Float32Array | undefined;
}

interface Candidate {
	readonly beam: number;
	readonly token: number;
	readonly logprob: number;
}

export class BeamItem {
	readonly #options: SearchOptions;
	readonly #rules: SearchRules;
	readonly #startLength: number;
	#beams: BeamHypothesis[];
	#finished: Finished[] = [];
	#done = false;

	/** `start`: first ids; those after the very first (a language tag) count as generated. */
	constructor(start: readonly number[], options: SearchOptions) {
		this.#options = options;
		this.#rules = new SearchRules(options, start.length);
		this.#startLength = start.length;
		this.#beams = Array.from({ length: options.beams }, () => ({
			ids: start,
			logprob: 0,
			attention: [],
		}));
	}

	get done(): boolean {
		return this.#done;
	}

	/** Running beams, best first. */
	get beams(): readonly BeamHypothesis[] {
		return this.#beams;
	}

	/** Finished hypotheses, best first; at least one when done. */
	get results(): readonly Finished[] {
		return this.#finished;
	}

	/**
	 * Takes the logits of every running beam. Returns, for every beam of the next step, the beam it
	 * continues; empty when the item is done.
	 */
	advance(steps: readonly BeamStep[]): number[] {
		const { beams, endTokens, maxLength } = this.#options;
		const candidates = this.#candidates(steps, Math.max(2, 1 + endTokens.length) * beams);
		const next: { parent: number; hypothesis: BeamHypothesis }[] = [];
		let stopped = 0;
		const length = (this.#beams[0]?.ids.length ?? 0) + 1;
		for (const [rank, { beam, token, logprob }] of candidates.entries()) {
			const parent = this.#beams[beam] as BeamHypothesis;
			const attention = steps[beam]?.attention;
			const hypothesis: BeamHypothesis = {
				ids: [...parent.ids, token],
				logprob,
				attention: attention === undefined ? [] : [...parent.attention, attention],
			};
			const ended = endTokens.includes(token);
			if (!ended && length < maxLength) {
				if (next.length < beams) next.push({ parent: beam, hypothesis });
				continue;
			}
			stopped++;
			if (rank < beams) this.#finish(hypothesis, ended ? 'stop' : 'length');
		}
		this.#done =
			stopped === candidates.length || next.length === 0 || !this.#mayImprove(next, length);
		this.#beams = next.map(({ hypothesis }) => hypothesis);
		return this.#done ? [] : next.map(({ parent }) => parent);
	}

	/** Ends the item now with what there is. */
	stop(): void {
		if (this.#finished.length === 0 && this.#beams[0] !== undefined) {
			this.#finish(this.#beams[0], 'length');
		}
		this.#done = true;
	}

	#candidates(steps: readonly BeamStep[], count: number): Candidate[] {
		const all: Candidate[] = [];
		// At the start all beams are equal: only the first counts.
		const isStart = this.#beams[0]?.ids.length === this.#startLength;
		for (const [beam, { logits }] of steps.entries()) {
			if (isStart && beam > 0) break;
			const { ids, logprob } = this.#beams[beam] as BeamHypothesis;
			const { total, blocks } = this.#rules.apply(logits, ids);
			for (const token of topOfBlocks(blocks, count)) {
				const value = logprob + (logits[token] as number) - total;
				if (value > Number.NEGATIVE_INFINITY) all.push({ beam, token, logprob: value });
			}
		}
		return all
			.sort((a, b) => b.logprob - a.logprob || a.beam - b.beam || a.token - b.token)
			.slice(0, count);
	}

	#finish(hypothesis: BeamHypothesis, reason: 'stop' | 'length'): void {
		const { beams, lengthPenalty } = this.#options;
		const generated = Math.max(1, hypothesis.ids.length - 1);
		const score = hypothesis.logprob / generated ** lengthPenalty;
		this.#finished.push({ ...hypothesis, score, reason });
		this.#finished.sort((a, b) => b.score - a.score);
		this.#finished.length = Math.min(this.#finished.length, beams);
	}

	#mayImprove(next: readonly { readonly hypothesis: BeamHypothesis }[], length: number): boolean {
		const { beams, earlyStopping, lengthPenalty, maxLength } = this.#options;
		if (this.#finished.length < beams) return true;
		if (earlyStopping === true) return false;
		const longest = earlyStopping === 'never' && lengthPenalty > 0 ? maxLength - 1 : length - 1;
		const best =
			(next[0]?.hypothesis.logprob ?? Number.NEGATIVE_INFINITY) / longest ** lengthPenalty;
		const worst = this.#finished[this.#finished.length - 1]?.score ?? Number.NEGATIVE_INFINITY;
		return best > worst;
	}
}
