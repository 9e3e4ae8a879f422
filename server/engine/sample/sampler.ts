/** Chooses the tokens of one sequence: penalties, grammar, draw, log-probabilities. */

import type { SamplingOptions } from '../api.ts';
import { findBlocks } from './blocks.ts';
import type { TokenConstraint } from './constraint.ts';
import {
	type LogitsProcessor,
	noSuppression,
	processLogits,
	type SuppressionRules,
	suppression,
} from './logitsProcessor.ts';
import { keepLogprobs, type RawLogprob } from './logprobs.ts';
import { applyMask, applyPenalties } from './penalties.ts';
import { uniform } from './random.ts';
import { sampleFrom } from './sampleToken.ts';

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
	readonly #chain: readonly LogitsProcessor[];
	readonly #counts = new Map<number, number>();
	readonly #tokens: number[];
	readonly #promptLength: number;

	constructor(options: SamplerOptions) {
		this.#options = options;
		const { sampling, constraint } = options;
		const prompt: ReadonlySet<number> = new Set(
			sampling.repetitionPenalty === 1 ? [] : options.prompt,
		);
		this.#chain = [
			({ logits, changed }) => applyPenalties(logits, sampling, this.#counts, prompt, changed),
			suppression(options.suppression ?? noSuppression),
			...(constraint === undefined ? [] : [grammar(constraint)]),
		];
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
		const tokens = this.#tokens;
		const given = this.#promptLength;
		const step = { logits, tokens, given, changed: [], isRewritten: false };
		const blocks = processLogits(this.#chain, step, raw);
		const position = tokens.length - given;
		const token = sampleFrom(blocks, sampling, uniform(sampling.seed, choice, position));
		if (constraint !== undefined && !endTokens.includes(token)) constraint.accept(token);
		this.#tokens.push(token);
		this.#counts.set(token, (this.#counts.get(token) ?? 0) + 1);
		return logprob === undefined ? { token } : { token, logprob: logprob(token) };
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

/** What a grammar does not allow is suppressed. */
function grammar(constraint: TokenConstraint): LogitsProcessor {
	return (step) => {
		const mask = constraint.mask();
		if (mask === null) return;
		applyMask(step.logits, mask);
		step.isRewritten = true;
	};
}
