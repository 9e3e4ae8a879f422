/** Body of `POST /v1/completions`: raw prompts, no template. */

import type { Constraint, GeneratePrompt, GenerateRequest } from '../../engine/api.ts';
import type { CompletionFacts } from '../../engine/text/textJobs.ts';
import { AppError } from '../../protocol/index.ts';
import {
	boolean,
	integer,
	invalid,
	object,
	optional,
	type Parsed,
	type Parser,
	string,
} from '../../protocol/parser.ts';
import { formatConstraint, samplingOf } from '../chat/plan.ts';
import type { ModelProfile } from '../chat/profile.ts';
import {
	callerFields,
	loadFields,
	responseFormatField,
	samplingFields,
	streamFields,
} from '../chat/request.ts';

const maxPrompts = 64;
const defaultMaxTokens = 16;

/** Text or token ids, one prompt or several: `"a"`, `["a","b"]`, `[1,2]`, `[[1,2],[3]]`. */
export const promptsField: Parser<(string | number[])[]> = {
	schema: {
		anyOf: [
			{ type: 'string' },
			{ type: 'array', items: { type: 'string' }, minItems: 1 },
			{ type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 },
			{
				type: 'array',
				items: { type: 'array', items: { type: 'integer', minimum: 0 } },
				minItems: 1,
			},
		],
	},
	parse: (value, path) => {
		if (typeof value === 'string') return [value];
		if (!Array.isArray(value) || value.length === 0)
			throw invalid(
				path,
				'a string, or an array of strings or of token ids that is not empty',
				value,
			);
		if (value.every(isTokenId)) return [value];
		if (value.length > maxPrompts)
			throw invalid(path, `an array of at most ${maxPrompts} prompts`, value);
		return value.map((each: unknown, index) => {
			if (typeof each === 'string') return each;
			if (Array.isArray(each) && each.length > 0 && each.every(isTokenId)) return each;
			throw invalid(`${path}[${index}]`, 'a string or an array of token ids', each);
		});
	},
};

function isTokenId(value: unknown): value is number {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export const completionParser = object({
	model: string({ minLength: 1, maxLength: 300 }),
	prompt: promptsField,
	/** What stands after the gap to be filled. */
	suffix: optional(string({ maxLength: 1_000_000 })),
	...samplingFields,
	...loadFields,
	...callerFields,
	...streamFields,
	max_tokens: optional(integer({ min: 0, max: 1 << 24 })),
	/** Alternatives per token. */
	logprobs: optional(integer({ min: 0, max: 20 })),
	echo: optional(boolean),
	/** Drawn per prompt; the `n` likeliest are returned. */
	best_of: optional(integer({ min: 1, max: 128 })),
	response_format: optional(responseFormatField),
	grammar: optional(string({ minLength: 1, maxLength: 65_536 })),
});

export type CompletionRequest = Parsed<typeof completionParser>;

export interface CompletionPlan {
	readonly generate: readonly Omit<GenerateRequest, 'owner'>[];
	/** Choices returned per prompt. */
	readonly n: number;
}

/** Refuses fields that cannot be combined, and tokens the model does not have. */
export function checkCompletion(request: CompletionRequest, profile: ModelProfile): void {
	const n = request.n ?? 1;
	const drawn = request.best_of ?? n;
	const clash = (param: string, message: string) =>
		new AppError('invalid_request', message, { param });
	if (drawn < n) throw clash('best_of', "'best_of' must be at least 'n'.");
	if (drawn > n && request.stream) throw clash('best_of', "'best_of' cannot be streamed.");
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
	request: CompletionRequest,
	profile: ModelProfile,
	randomSeed: () => number,
	facts: CompletionFacts,
): CompletionPlan {
	const n = request.n ?? 1;
	const drawn = request.best_of ?? n;
	const wanted = request.max_tokens ?? defaultMaxTokens;
	const constraint: Constraint | undefined = formatConstraint(request);
	const sampling = samplingOf(request, profile, randomSeed);
	const needsLogprobs = request.logprobs !== undefined || drawn > n;
	return {
		n,
		generate: request.prompt.map((prompt, index) => ({
			prompt: promptOf(prompt, facts.filled[index]),
			sampling,
			// Reading only the prompt still takes one step; its token is left out of the answer.
			maxTokens: Math.max(1, wanted),
			stop: [...(request.stop ?? []), ...facts.stops],
			n: drawn,
			priority: 'interactive',
			...(constraint === undefined ? {} : { constraint }),
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
