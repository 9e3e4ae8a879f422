/** The chain that logits go through before a token is chosen, whatever is made: answers, translations, transcripts. */

import { type Blocks, changedBlocks, findBlocks } from './blocks.ts';
import { suppressRepeatedNgrams, suppressSequences, suppressTokens } from './penalties.ts';

/** Logits of one position on their way through the chain. */
export interface LogitsStep {
	/** Changed in place. */
	readonly logits: Float32Array;
	/** What was given and what was generated. */
	readonly tokens: readonly number[];
	/** How many of the tokens were given: a prompt, start tokens. */
	readonly given: number;
	/** Ids whose logits were changed; a processor adds its own, or sets {@link isRewritten}. */
	readonly changed: number[];
	/** More logits were changed than are worth listing. */
	isRewritten: boolean;
}

export type LogitsProcessor<Step extends LogitsStep = LogitsStep> = (step: Step) => void;

/** Runs a chain; `known` are the blocks of the logits before it, where somebody has found them. */
export function processLogits<Step extends LogitsStep>(
	chain: readonly LogitsProcessor<Step>[],
	step: Step,
	known?: Blocks,
): Blocks {
	for (const process of chain) process(step);
	const isKnown = known !== undefined && !step.isRewritten;
	return isKnown ? changedBlocks(known, step.changed) : findBlocks(step.logits);
}

/** What the model's publisher forbids, whoever asks. */
export interface SuppressionRules {
	readonly suppressTokens: readonly number[];
	/** Of the first generated token only. */
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

export function suppression(rules: SuppressionRules): LogitsProcessor {
	const { suppressTokens: always, beginSuppressTokens: first, badSequences, noRepeatNgram } = rules;
	return ({ logits, tokens, given, changed }) => {
		suppressRepeatedNgrams(logits, tokens, noRepeatNgram, changed);
		suppressSequences(logits, tokens, badSequences, changed);
		suppressTokens(logits, always, changed);
		if (tokens.length === given) suppressTokens(logits, first, changed);
	};
}
