/** Chooses the tokens of one sequence: penalties, grammar, draw, log-probabilities. */

import type { SamplingOptions } from '../api.ts';
import { changedBlocks, findBlocks } from './blocks.ts';
import type { TokenConstraint } from './constraint.ts';
import { keepLogprobs, type RawLogprob } from './logprobs.ts';
import {
	applyMask,
	applyPenalties,
	suppressRepeatedNgrams,
	suppressSequences,
	suppressTokens,
} from './penalties.ts';
import { uniform } from './random.ts';
import { sampleFrom } from './sampleToken.ts';

/** What the model's publisher forbids, whoever asks. */
export interface SuppressionRules {
	readonly suppressTokens: readonly number[];
	readonly beginSuppressTokens: readonly number[];
	readonly badSequences: readonly (readonly number[])[];
	/** 0 = off. */
	readonly noRepeatNgram: number;
}

export const noSuppression: SuppressionRules = {
	suppressTokens: [],
	beginSuppressTokens: [],
	badSequences: [],
	noRepeatNgram: 0,
};

export interface SamplerOptions {
	readonly sampling: SamplingOptions;
	readonly choice: number;
	readonly prompt: readonly number[];
	readonly endTokens: readonly number[];
	readonly constraint?: TokenConstraint | undefined;
	readonly suppression?: SuppressionRules;
	/** Alternatives to report; `undefined` = none wanted. */
	readonly topLogprobs?: number | undefined;
}

export interface Sample {
	readonly token: number;
	readonly logprob?: RawLogprob;
}

/** Draws and remembers. One per choice. */
export class Sampler {
	readonly #options: SamplerOptions;
	readonly #suppression: SuppressionRules;
	readonly #counts = new Map<number, number>();
	readonly #prompt: ReadonlySet<number>;
	readonly #tokens: number[];
	readonly #promptLength: number;

	constructor(options: SamplerOptions) {
		this.#options = options;
		this.#suppression = options.suppression ?? noSuppression;
		this.#prompt = options.sampling.repetitionPenalty === 1 ? new Set() : new Set(options.prompt);
		this.#tokens = [...options.prompt];
		this.#promptLength = options.prompt.length;
	}

	/**
	 * Samples the next token from logits, which it changes, and remembers it.
	 * The draw depends on the position only, so a token that was drafted is drawn just the same.
	 */
	next(logits: Float32Array): Sample {
		const { sampling, choice, topLogprobs, constraint, endTokens } = this.#options;
		const raw = topLogprobs === undefined ? undefined : findBlocks(logits);
		const logprob = raw && keepLogprobs(raw, topLogprobs ?? 0);
		const changed = this.#penalise(logits);
		const mask = constraint?.mask() ?? null;
		if (mask !== null) applyMask(logits, mask);
		const isKnown = raw !== undefined && mask === null;
		const blocks = isKnown ? changedBlocks(raw, changed) : findBlocks(logits);
		const position = this.#tokens.length - this.#promptLength;
		const token = sampleFrom(blocks, sampling, uniform(sampling.seed, choice, position));
		if (constraint !== undefined && !endTokens.includes(token)) constraint.accept(token);
		this.#tokens.push(token);
		this.#counts.set(token, (this.#counts.get(token) ?? 0) + 1);
		return logprob === undefined ? { token } : { token, logprob: logprob(token) };
	}

	/** Applies penalties, biases and suppression; returns the ids whose logits they changed. */
	#penalise(logits: Float32Array): number[] {
		const changed: number[] = [];
		const rules = this.#suppression;
		applyPenalties(logits, this.#options.sampling, this.#counts, this.#prompt, changed);
		suppressTokens(logits, rules.suppressTokens, changed);
		if (this.#tokens.length === this.#promptLength)
			suppressTokens(logits, rules.beginSuppressTokens, changed);
		suppressSequences(logits, this.#tokens, rules.badSequences, changed);
		suppressRepeatedNgrams(logits, this.#tokens, rules.noRepeatNgram, changed);
		return changed;
	}

	/** Prompt and answer so far. */
	get tokens(): readonly number[] {
		return this.#tokens;
	}

	/** True if the grammar allows nothing but the end. */
	get isComplete(): boolean {
		return this.#options.constraint?.isTerminated() ?? false;
	}

	dispose(): void {
		this.#options.constraint?.dispose();
	}
}
