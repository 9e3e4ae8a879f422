/** Raw completions: prompts without a template. */

import * as z from 'zod';
import { fallbackSchema, finishReasonSchema, timingsSchema, usageSchema } from './answers.ts';
import { tokensBody } from './bodyLimits.ts';
import { boolean, object, optional, string } from './fields.ts';
import { loadFields } from './loadFields.ts';
import {
	cacheKeyField,
	callerFields,
	choicesField,
	grammarField,
	maxTokensOrNoneField,
	modelField,
	promptsField,
	responseFormatField,
	samplingFields,
	streamFields,
	topLogprobsField,
} from './requestFields.ts';
import { jsonBody, route } from './route.ts';

export const completionRequest = object({
	model: modelField,
	prompt: promptsField,
	/** What stands after the gap to be filled. */
	suffix: optional(string({ maxLength: 1_000_000 })),
	...samplingFields,
	...loadFields,
	...callerFields,
	prompt_cache_key: optional(cacheKeyField),
	...streamFields,
	max_tokens: optional(maxTokensOrNoneField),
	/** Alternatives per token. */
	logprobs: optional(topLogprobsField),
	echo: optional(boolean),
	/** Drawn per prompt; the `n` likeliest are returned. */
	best_of: optional(choicesField),
	response_format: optional(responseFormatField),
	grammar: optional(grammarField),
});

export type CompletionRequest = z.output<typeof completionRequest>;

const logprobs = z
	.object({
		tokens: z.array(z.string()).readonly(),
		token_logprobs: z.array(z.number().nullable()).readonly(),
		top_logprobs: z.array(z.record(z.string(), z.number()).readonly().nullable()).readonly(),
		text_offset: z.array(z.number()).readonly(),
	})
	.nullable();

const head = {
	id: z.string(),
	object: z.literal('text_completion'),
	created: z.number(),
	model: z.string(),
	execution_provider: fallbackSchema.exactOptional(),
};
const choice = { text: z.string(), index: z.number(), logprobs };

export const completions = route({
	method: 'POST',
	path: '/v1/completions',
	who: 'member',
	scope: 'chat',
	summary:
		'plain prompts, `echo`; `suffix` for models that learned to fill in the middle (400 for others)',
	body: jsonBody(completionRequest, tokensBody),
	answer: z.object({
		...head,
		choices: z.array(z.object({ ...choice, finish_reason: finishReasonSchema })),
		usage: usageSchema,
		timings: timingsSchema,
	}),
	events: z.object({
		...head,
		choices: z.array(z.object({ ...choice, finish_reason: finishReasonSchema.nullable() })),
		usage: usageSchema.nullable().exactOptional(),
		timings: timingsSchema.exactOptional(),
	}),
	errors: ['model_not_found', 'context_length_exceeded', 'overloaded', 'unsupported_parameter'],
	section: 'chat',
});

export const completionRoutes = [completions] as const;
