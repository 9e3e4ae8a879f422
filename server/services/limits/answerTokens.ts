/** What an answer of a language model may use under a limit of tokens, and what it has used. */

import type { GenerateSummary } from '../../engine/api.ts';
import type { Amounts } from '../../protocol/limitTypes.ts';
import type { Bill } from './account.ts';

/** Tokens of an answer that says no length, where its caller's tokens are limited. */
export const answerUnderLimit = 2048;
/** An answer that says no length may be as short as this. */
const minAnswer = 16;

export interface AnswerPlan {
	/** Tokens of each prompt. */
	readonly prompts: readonly number[];
	/** Answers to each of them. */
	readonly n: number;
	/** Tokens of each answer. */
	readonly maxTokens: number;
	/** Whether the caller has said how long an answer may be: then it is not made shorter. */
	readonly isFixed: boolean;
	readonly contextLength?: number | undefined;
}

/** Tokens that answers may use: at most, and at least where a shorter answer would do. */
export function answerAmounts(plan: AnswerPlan): {
	readonly amounts: Amounts;
	readonly min?: Amounts;
} {
	const { prompts, n, maxTokens, isFixed, contextLength = Number.POSITIVE_INFINITY } = plan;
	const tokensFor = (answer: number): number =>
		prompts.reduce(
			(sum, prompt) => sum + prompt + n * Math.max(0, Math.min(answer, contextLength - prompt)),
			0,
		);
	const amounts = { tokens: tokensFor(maxTokens) };
	return isFixed
		? { amounts }
		: { amounts, min: { tokens: tokensFor(Math.min(minAnswer, maxTokens)) } };
}

/** Tokens of each answer, of all that was granted. */
export const grantedAnswer = ({ tokens = 0 }: Amounts, prompted: number, answers: number): number =>
	Math.max(0, Math.floor((tokens - prompted) / Math.max(1, answers)));

/** Says on a bill what has been computed so far, so that who goes away pays for what was made for them. */
export class AnswerCount {
	readonly #bill: Bill;
	readonly #prompted: number;
	#promptTokens = 0;
	#completionTokens = 0;

	/** @param prompted tokens of the prompt; 0 where nobody has counted them before */
	constructor(bill: Bill, prompted: number) {
		this.#bill = bill;
		this.#prompted = prompted;
	}

	/** So many tokens of the prompt have been read. */
	prompt(done: number): void {
		this.#promptTokens = Math.max(this.#promptTokens, done);
		this.#note();
	}

	/** More tokens of an answer have been made. */
	answer(tokens: number): void {
		this.#promptTokens = Math.max(this.#promptTokens, this.#prompted);
		this.#completionTokens += tokens;
		this.#note();
	}

	/** The whole answer is there. */
	end(...summaries: readonly GenerateSummary[]): void {
		const sum = (of: (summary: GenerateSummary) => number) =>
			summaries.reduce((all, each) => all + of(each), 0);
		this.#bill.total({
			promptTokens: sum(({ promptTokens }) => promptTokens),
			completionTokens: sum(({ completionTokens }) => completionTokens),
			cachedTokens: sum(({ cachedTokens }) => cachedTokens),
		});
	}

	#note(): void {
		this.#bill.total({
			promptTokens: this.#promptTokens,
			completionTokens: this.#completionTokens,
		});
	}
}
