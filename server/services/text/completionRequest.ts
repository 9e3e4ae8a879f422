/** What the engine is asked for a raw completion. */

import type { Constraint, GeneratePrompt, GenerateRequest, Prioritized } from '../../engine/api.ts';
import type { CompletionFacts } from '../../engine/text/textJobs.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { CompletionRequest } from '../../protocol/routes/completions.ts';
import { formatConstraint, samplingOf } from '../chat/plan.ts';
import type { ModelProfile } from '../chat/profile.ts';

const defaultMaxTokens = 16;

export interface CompletionPlan {
	readonly generate: readonly Omit<GenerateRequest, 'owner'>[];
	/** Choices returned per prompt. */
	readonly n: number;
}

/** Refuses fields that cannot be combined, and tokens the model does not have. */
export function checkCompletion(request: CompletionRequest, profile: ModelProfile): void {
	const n = request.n ?? 1;
	const sampled = request.best_of ?? n;
	const clash = (param: string, message: string) =>
		new AppError('invalid_request', message, { param });
	if (sampled < n) throw clash('best_of', "'best_of' must be at least 'n'.");
	if (sampled > n && request.stream) throw clash('best_of', "'best_of' cannot be streamed.");
	if (request.stream_options && !request.stream)
		throw clash('stream_options', "'stream_options' is for streams: set 'stream' to true.");
	if (request.suffix !== undefined && request.echo)
		throw clash('suffix', "'suffix' and 'echo' cannot be combined.");
	if (request.max_tokens === 0 && !request.echo)
		throw clash('max_tokens', "'max_tokens' of 0 makes sense with 'echo' only.");
	for (const [index, prompt] of request.prompt.entries()) {
		if (typeof prompt === 'string') continue;
		if (request.suffix !== undefined)
			throw clash('suffix', "'suffix' needs a prompt of text, not of token ids.");
		const wrong = prompt.find((id) => id >= profile.vocabularySize);
		if (wrong !== undefined)
			throw clash(
				'prompt',
				`Prompt ${index} holds token ${wrong}, but the model has ${profile.vocabularySize} tokens.`,
			);
	}
}

/**
 * What the engine is asked for a request that passed {@link checkCompletion}.
 * @param facts what the model's tokenizer says of it
 */
export function planCompletion(
	request: CompletionRequest & Prioritized,
	profile: ModelProfile,
	randomSeed: () => number,
	facts: CompletionFacts,
): CompletionPlan {
	const n = request.n ?? 1;
	const sampled = request.best_of ?? n;
	const wanted = request.max_tokens ?? defaultMaxTokens;
	const constraint: Constraint | undefined = formatConstraint(request);
	const sampling = samplingOf(request, profile, randomSeed);
	const needsLogprobs = request.logprobs !== undefined || sampled > n;
	return {
		n,
		generate: request.prompt.map((prompt, index) => ({
			prompt: promptOf(prompt, facts.filled[index]),
			sampling,
			// Reading only the prompt still takes one step; its token is left out of the answer.
			maxTokens: Math.max(1, wanted),
			stop: [...(request.stop ?? []), ...facts.stops],
			n: sampled,
			priority: request.priority ?? 'interactive',
			...defined({ constraint }),
			...(needsLogprobs ? { topLogprobs: request.logprobs ?? 0 } : {}),
			...(request.echo && request.logprobs !== undefined ? { echoLogprobs: true } : {}),
		})),
	};
}

function promptOf(
	prompt: string | number[],
	filled: readonly number[] | undefined,
): GeneratePrompt {
	if (filled !== undefined) return { kind: 'tokens', tokens: filled };
	return typeof prompt === 'string'
		? { kind: 'text', text: prompt }
		: { kind: 'tokens', tokens: prompt };
}
