/** Chats, prompts and vectors in Ollama's interface. */

import * as z from 'zod';
import { tokenLogprobSchema } from './answers.ts';
import { chatBody, tokensBody } from './bodyLimits.ts';
import {
	array,
	boolean,
	either,
	integer,
	integers,
	mapped,
	object,
	optional,
	string,
} from './fields.ts';
import {
	generationFields,
	imagesField,
	keepAliveField,
	ollamaMessagesField,
	optionsField,
} from './ollamaFields.ts';
import { modelField } from './requestFields.ts';
import { jsonBody, route } from './route.ts';
import { toolsField } from './toolFields.ts';

export const ollamaChatRequest = object({
	model: modelField,
	/** None: the model is loaded, or unloaded with `keep_alive: 0`. */
	messages: optional(ollamaMessagesField),
	tools: optional(toolsField),
	...generationFields,
	/** Leave out the oldest turns of what is too long; default true. */
	truncate: optional(boolean),
});

export type OllamaChatRequest = z.output<typeof ollamaChatRequest>;

export const ollamaGenerateRequest = object({
	model: modelField,
	/** Empty: the model is loaded, or unloaded with `keep_alive: 0`. */
	prompt: optional(string()),
	/** What stands after the gap to be filled. */
	suffix: optional(string({ maxLength: 1_000_000 })),
	system: optional(string()),
	/** Go template in place of the model's own: text, `.System`, `.Prompt`, `.Suffix`, `.Response`, `if`. */
	template: optional(string({ maxLength: 65_536 })),
	/** Tokens that an earlier answer gave. */
	context: optional(integers({ min: 0, max: 1 << 30 }, 400_000)),
	/** The prompt as it is, without any template. */
	raw: optional(boolean),
	images: optional(imagesField),
	...generationFields,
});

export type OllamaGenerateRequest = z.output<typeof ollamaGenerateRequest>;

const head = { model: z.string(), created_at: z.string() };
/** How an answer ended; durations in nanoseconds. */
const end = {
	done: z.boolean(),
	done_reason: z.enum(['stop', 'length', 'load', 'unload']).exactOptional(),
	total_duration: z.int().exactOptional(),
	load_duration: z.int().exactOptional(),
	prompt_eval_count: z.int().exactOptional(),
	prompt_eval_duration: z.int().exactOptional(),
	eval_count: z.int().exactOptional(),
	eval_duration: z.int().exactOptional(),
};
const logprobs = z.array(tokenLogprobSchema).exactOptional();

const chatLine = z.object({
	...head,
	message: z.object({
		role: z.literal('assistant'),
		content: z.string(),
		thinking: z.string().exactOptional(),
		tool_calls: z
			.array(
				z.object({
					id: z.string(),
					function: z.object({
						index: z.int(),
						name: z.string(),
						arguments: z.record(z.string(), z.unknown()),
					}),
				}),
			)
			.exactOptional(),
	}),
	logprobs,
	...end,
});

const generateLine = z.object({
	...head,
	response: z.string(),
	thinking: z.string().exactOptional(),
	logprobs,
	...end,
	/** Tokens of prompt and answer, for the next request. */
	context: z.array(z.int()).exactOptional(),
});

const generating = [
	'model_not_found',
	'context_length_exceeded',
	'overloaded',
	'unsupported_parameter',
] as const;

export const ollamaChat = route({
	method: 'POST',
	path: '/api/chat',
	who: 'member',
	scope: 'chat',
	summary: 'a chat in Ollama’s form: `tools`, `format`, `think`, `options`, `keep_alive`',
	body: jsonBody(ollamaChatRequest, chatBody),
	answer: chatLine,
	lines: chatLine,
	errors: generating,
	section: 'ollama',
});

export const ollamaGenerate = route({
	method: 'POST',
	path: '/api/generate',
	who: 'member',
	scope: 'chat',
	summary: 'one prompt in Ollama’s form: `system`, `template`, `raw`, `suffix`, `context`',
	body: jsonBody(ollamaGenerateRequest, tokensBody),
	answer: generateLine,
	lines: generateLine,
	errors: generating,
	section: 'ollama',
});

export const ollamaEmbed = route({
	method: 'POST',
	path: '/api/embed',
	who: 'member',
	scope: 'embeddings',
	summary:
		'vectors of texts in Ollama’s form; texts that were cut to what the model reads are named in `X-Truncated-Inputs`',
	body: jsonBody(
		object({
			model: modelField,
			input: either(
				mapped(string(), (text) => [text]),
				array(string(), { max: 1000 }),
				'a string or an array of at most 1000 strings',
			),
			/** Cut texts that are too long; default true. */
			truncate: optional(boolean),
			dimensions: optional(integer({ min: 1, max: 1 << 20 })),
			keep_alive: optional(keepAliveField),
			options: optional(optionsField),
		}),
		tokensBody,
	),
	answer: z.object({
		model: z.string(),
		embeddings: z.array(z.array(z.number())),
		total_duration: z.int(),
		load_duration: z.int(),
		prompt_eval_count: z.int(),
	}),
	errors: ['model_not_found', 'context_length_exceeded', 'overloaded'],
	section: 'ollama',
});

export const ollamaEmbeddings = route({
	method: 'POST',
	path: '/api/embeddings',
	who: 'member',
	scope: 'embeddings',
	summary: 'the vector of one text in Ollama’s older form',
	body: jsonBody(
		object({
			model: modelField,
			prompt: string(),
			keep_alive: optional(keepAliveField),
			options: optional(optionsField),
		}),
		tokensBody,
	),
	answer: z.object({ embedding: z.array(z.number()) }),
	errors: ['model_not_found', 'overloaded'],
	section: 'ollama',
});

export const ollamaGenerationRoutes = [
	ollamaChat,
	ollamaGenerate,
	ollamaEmbed,
	ollamaEmbeddings,
] as const;
