/** Chat completions: the request with every field this server honours, the answer, its chunks. */

import * as z from 'zod';
import {
	fallbackSchema,
	finishReasonSchema,
	timingsSchema,
	tokenLogprobSchema,
	usageSchema,
} from './answers.ts';
import { chatBody } from './bodyLimits.ts';
import { chatToolChoice, chatTools } from './customTools.ts';
import { anything, array, boolean, object, oneOf, optional, record } from './fields.ts';
import { loadFields } from './loadFields.ts';
import { messagesField } from './messageFields.ts';
import {
	cacheKeyField,
	callerFields,
	effortField,
	grammarField,
	maxTokensField,
	modelField,
	neutral,
	responseFormatField,
	samplingFields,
	serviceTierField,
	streamFields,
	topLogprobsField,
	truncationField,
} from './requestFields.ts';
import { jsonBody, route } from './route.ts';
import { functionCallField, toolsField } from './toolFields.ts';

export const chatRequest = object({
	/** Absent: a downloaded chat model of this machine, a loaded one first, else the built-in one. */
	model: optional(modelField),
	messages: messagesField,
	...samplingFields,
	...loadFields,
	...callerFields,
	prompt_cache_key: optional(cacheKeyField),
	...streamFields,
	truncation: optional(truncationField),
	max_completion_tokens: optional(maxTokensField),
	logprobs: optional(boolean),
	top_logprobs: optional(topLogprobsField),
	tools: optional(chatTools),
	tool_choice: optional(chatToolChoice),
	parallel_tool_calls: optional(boolean),
	functions: optional(toolsField),
	function_call: optional(functionCallField),
	response_format: optional(responseFormatField),
	grammar: optional(grammarField),
	reasoning_effort: optional(effortField),
	/** Adds chunks to the stream that say what the request waits for; llama.cpp's name. */
	return_progress: optional(boolean),
	/** The same switch as in `chat_template_kwargs`, where some clients put it. */
	enable_thinking: optional(boolean),
	/** More variables for the model's chat template. */
	chat_template_kwargs: optional(record(anything, 32)),
	/** Fields of the big interface that mean something only there: taken at their neutral value. */
	store: optional(neutral(false)),
	service_tier: optional(serviceTierField),
	modalities: optional(array(oneOf('text'), { max: 1 })),
});

export type ChatRequest = z.output<typeof chatRequest>;

const call = z.object({ name: z.string(), arguments: z.string() });
const customCall = z.object({ name: z.string(), input: z.string() });
const head = {
	id: z.string(),
	created: z.number(),
	model: z.string(),
	omitted_turns: z.number().exactOptional(),
	execution_provider: fallbackSchema.exactOptional(),
	system_fingerprint: z.string(),
};
const logprobs = z.object({ content: z.array(tokenLogprobSchema), refusal: z.null() }).nullable();

export const chatAnswer = z.object({
	...head,
	object: z.literal('chat.completion'),
	choices: z.array(
		z.object({
			index: z.number(),
			message: z.object({
				role: z.literal('assistant'),
				content: z.string().nullable(),
				refusal: z.null(),
				reasoning_content: z.string().exactOptional(),
				function_call: call.exactOptional(),
				tool_calls: z
					.array(
						z.union([
							z.object({ id: z.string(), type: z.literal('function'), function: call }),
							z.object({ id: z.string(), type: z.literal('custom'), custom: customCall }),
						]),
					)
					.exactOptional(),
			}),
			logprobs,
			finish_reason: finishReasonSchema,
		}),
	),
	usage: usageSchema,
	timings: timingsSchema,
});

const chatChunk = z.object({
	...head,
	object: z.literal('chat.completion.chunk'),
	choices: z.array(
		z.object({
			index: z.number(),
			delta: z.object({
				role: z.literal('assistant').exactOptional(),
				content: z.string().exactOptional(),
				reasoning_content: z.string().exactOptional(),
				function_call: call.partial().exactOptional(),
				tool_calls: z
					.array(
						z.object({
							index: z.number(),
							id: z.string().exactOptional(),
							type: z.enum(['function', 'custom']).exactOptional(),
							function: call.partial().exactOptional(),
							custom: customCall.partial().exactOptional(),
						}),
					)
					.exactOptional(),
			}),
			logprobs: logprobs.exactOptional(),
			finish_reason: finishReasonSchema.nullable(),
		}),
	),
	/** What the request waits for, where `return_progress` asks for it. */
	progress: z
		.object({
			phase: z.enum(['queued', 'loading', 'prompt']),
			fraction: z.number().exactOptional(),
			place: z.number().exactOptional(),
			expected_ms: z.number().exactOptional(),
		})
		.exactOptional(),
	/** Tokens of the prompt, in llama.cpp's words. */
	prompt_progress: z.object({ total: z.number(), processed: z.number() }).exactOptional(),
	usage: usageSchema.nullable().exactOptional(),
	timings: timingsSchema.exactOptional(),
});

const generating = [
	'model_not_found',
	'context_length_exceeded',
	'overloaded',
	'unsupported_parameter',
] as const;

export const chatCompletions = route({
	method: 'POST',
	path: '/v1/chat/completions',
	who: 'member',
	scope: 'chat',
	also: ['studio'],
	summary:
		'messages, tools, structured output, log-probabilities, streaming; oldest turns that were left out are counted in `X-Omitted-Turns`',
	body: jsonBody(chatRequest, chatBody),
	answer: chatAnswer,
	events: chatChunk,
	errors: generating,
	section: 'chat',
});

export const countChatTokens = route({
	method: 'POST',
	path: '/v1/chat/completions/tokenizer/encode/count',
	who: 'member',
	scope: 'chat',
	also: ['studio'],
	summary: 'tokens of a chat prompt, `{"tokenCount":n}`; no model is loaded',
	body: jsonBody(chatRequest, chatBody),
	answer: z.object({ tokenCount: z.number(), omitted_turns: z.number().exactOptional() }),
	errors: ['model_not_found', 'context_length_exceeded'],
	section: 'chat',
});

export const chatRoutes = [chatCompletions, countChatTokens] as const;
