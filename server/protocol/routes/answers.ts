/** Parts of answers that several routes share. */

import * as z from 'zod';
import type { ExecutionProvider, ModelInfo, ModelTask } from '../models.ts';

const count = z.int().min(0);

export const providerSchema = z.enum([
	'cpu',
	'cuda',
	'dml',
	'webgpu',
	'coreml',
	'qnn',
] satisfies ExecutionProvider[]);

/** Where the work was done instead of where it was wished. */
export const fallbackSchema = z.object({
	requested: providerSchema,
	used: providerSchema,
	reason: z.string(),
});

export const usageSchema = z.object({
	prompt_tokens: count,
	completion_tokens: count,
	total_tokens: count,
	prompt_tokens_details: z.object({ cached_tokens: count }),
	completion_tokens_details: z.object({ reasoning_tokens: count }),
});

/** Speeds of one request. */
export const timingsSchema = z.object({
	prompt_n: count,
	prompt_ms: z.number(),
	prompt_per_second: z.number(),
	predicted_n: count,
	predicted_ms: z.number(),
	predicted_per_second: z.number(),
	cache_n: count,
	load_ms: z.number(),
	queue_ms: z.number(),
});

const listedToken = z.object({
	token: z.string(),
	logprob: z.number(),
	bytes: z.array(count).readonly(),
});
export const tokenLogprobSchema = listedToken.extend({ top_logprobs: z.array(listedToken) });

export const finishReasonSchema = z.enum([
	'stop',
	'length',
	'tool_calls',
	'function_call',
	'content_filter',
]);

export const taskSchema = z.enum([
	'chat-completion',
	'text-generation',
	'translation',
	'automatic-speech-recognition',
	'embeddings',
	'voice-activity-detection',
] satisfies ModelTask[]);
export const stateSchema = z.enum([
	'not-downloaded',
	'downloading',
	'cached',
	'loading',
	'loaded',
] satisfies ModelInfo['state'][]);

export const precisionSchema = z.enum([
	'fp32',
	'fp16',
	'q8',
	'q4',
	'q4f16',
	'bnb4',
	'uint8',
	'int8',
]);

const promptTemplate = z.object({
	system: z.string().exactOptional(),
	user: z.string().exactOptional(),
	assistant: z.string().exactOptional(),
	prompt: z.string().exactOptional(),
});

/** One model as the lists of this product have it. */
export const modelInfoSchema = z.object({
	id: z.string(),
	name: z.string(),
	version: z.string(),
	alias: z.string(),
	displayName: z.string(),
	task: taskSchema,
	state: stateSchema,
	origin: z.enum(['built-in', 'catalogue', 'local', 'team', 'upstream']),
	publisher: z.string(),
	license: z.string(),
	source: z
		.object({
			hub: z.string(),
			repository: z.string(),
			revision: z.string().exactOptional(),
			path: z.string().exactOptional(),
			precision: precisionSchema.exactOptional(),
		})
		.exactOptional(),
	providerType: z.string().exactOptional(),
	promptTemplate: promptTemplate.exactOptional(),
	parentModelUri: z.string().exactOptional(),
	folder: z.string().exactOptional(),
	sizeBytes: z.number().exactOptional(),
	contextLength: z.number().exactOptional(),
	maxOutputTokens: z.number().exactOptional(),
	maxHistoryTurns: z.number().exactOptional(),
	supportsToolCalling: z.boolean(),
	memoryBytes: z.number().exactOptional(),
	notices: z
		.array(
			z.object({
				kind: z.enum(['fallback', 'note']),
				message: z.string(),
				reason: z.string().exactOptional(),
			}),
		)
		.readonly()
		.exactOptional(),
	pinned: z.boolean().exactOptional(),
	languages: z.array(z.string()).readonly().exactOptional(),
}) satisfies z.ZodType<ModelInfo>;

export const promptTemplateSchema = promptTemplate;

/** Progress of a download, in bytes over all files of the model. */
export const downloadProgressSchema = z.object({
	model: z.string(),
	file: z.string(),
	fileFraction: z.number(),
	doneBytes: z.number(),
	totalBytes: z.number(),
	bytesPerSecond: z.number(),
});
