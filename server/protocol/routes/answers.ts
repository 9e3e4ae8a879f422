/** Parts of answers that several routes share. */

import * as z from 'zod';

const count = z.int().min(0);

export const providerSchema = z.enum(['cpu', 'cuda', 'dml', 'webgpu', 'coreml', 'qnn']);

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

/** Speeds of one request, in the shape llama.cpp's clients know. */
export const timingsSchema = z.object({
	prompt_n: count,
	prompt_ms: z.number(),
	prompt_per_second: z.number(),
	predicted_n: count,
	predicted_ms: z.number(),
	predicted_per_second: z.number(),
	/** Tokens of the prompt that came from the prefix cache. */
	cache_n: count,
	/** Milliseconds spent loading the model for this request; 0 when it was loaded already. */
	load_ms: z.number(),
	/** Milliseconds waited for a place in the batch. */
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

/** What a model is for; decides which routes accept it. */
export const taskSchema = z.enum([
	'chat-completion',
	'text-generation',
	'translation',
	'automatic-speech-recognition',
	'embeddings',
	'rerank',
	'text-classification',
	'speaker-segmentation',
	'speaker-embedding',
	'voice-activity-detection',
]);
export const stateSchema = z.enum([
	'not-downloaded',
	'downloading',
	'cached',
	'loading',
	'loaded',
	/** It runs on another machine, whose engine the owner has added. */
	'remote',
]);

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

/** Where a downloaded model came from. */
const sourceSchema = z.object({
	/** Base address of the hub. */
	hub: z.string(),
	/** `organisation/name`. */
	repository: z.string(),
	/** Branch, tag or commit that was asked for; absent: the main branch. */
	revision: z.string().exactOptional(),
	/** Folder inside the repository; `''` for its root, absent when it was not noted. */
	path: z.string().exactOptional(),
	precision: precisionSchema.exactOptional(),
});

/** What the engine remarks about a model that it has loaded. */
const noticeSchema = z.object({
	/**
	 * `fallback`: the engine's fast runtime does not work here, which is a fault of the installation, and the
	 * same for every model. `note`: why something slower than possible is used for this model.
	 */
	kind: z.enum(['fallback', 'note']),
	/** Full sentences in English: what it means and, for a fault, what to do. */
	message: z.string(),
	/** What the fault is, as a clause. */
	reason: z.string().exactOptional(),
});

const weightLoss = {
	/** Root mean square of what has changed in quantised weights, relative to them. */
	weightError: z.number(),
	/** The tensor that has changed most, as the graph names it. */
	worstWeight: z.object({ name: z.string(), error: z.number() }).readonly().exactOptional(),
};

/**
 * What a model that was built here has lost against the numbers it was built of:
 * - `nothing`: they are kept
 * - `answers`: what it says after each token of a text was compared
 * - `weights`: only the weights were compared; `why` says why no answers were
 */
export const builtLossSchema = z.discriminatedUnion('measured', [
	z.object({ measured: z.literal('nothing') }),
	z.object({
		measured: z.literal('answers'),
		/** Tokens of the text that were compared. */
		positions: z.number(),
		/** Mean Kullback-Leibler divergence from the unquantised model, in nats for each token. */
		divergence: z.number(),
		/** 0…1: where both say the same token next. */
		sameToken: z.number(),
		...weightLoss,
	}),
	z.object({ measured: z.literal('weights'), why: z.string(), ...weightLoss }),
]);

/** Where a model comes from. */
export const originSchema = z.enum(['built-in', 'catalogue', 'local', 'team', 'upstream']);

/** One model as the lists of this product have it, for people and for clients. */
export const modelInfoSchema = z.object({
	/** `name:version`, unique. */
	id: z.string(),
	name: z.string(),
	version: z.string(),
	alias: z.string(),
	displayName: z.string(),
	task: taskSchema,
	state: stateSchema,
	origin: originSchema,
	publisher: z.string(),
	license: z.string(),
	source: sourceSchema.readonly().exactOptional(),
	/** Kind of its source, as the one who asked for the download named it. */
	providerType: z.string().exactOptional(),
	/** Template that came with the request of its download. */
	promptTemplate: promptTemplate.readonly().exactOptional(),
	/** Hub id of the model it was made from. */
	parentModelUri: z.string().exactOptional(),
	/** Folder of the files, when they are on this machine. */
	folder: z.string().exactOptional(),
	/** Absent while unknown: never invented. */
	sizeBytes: z.number().exactOptional(),
	/** About how many bytes a download takes, by the name of the model; while `sizeBytes` is unknown. */
	estimatedBytes: z.number().exactOptional(),
	/** Longest prompt plus answer in tokens. */
	contextLength: z.number().exactOptional(),
	maxOutputTokens: z.number().exactOptional(),
	/** Earlier turns of a conversation that are read; absent: all that fit. */
	maxHistoryTurns: z.number().exactOptional(),
	supportsToolCalling: z.boolean(),
	/** Reads images in chats; absent: it does not, or nobody knows. */
	supportsImageInput: z.literal(true).exactOptional(),
	/** Of models that were built here of published weights. */
	loss: builtLossSchema.readonly().exactOptional(),
	/** Resident memory of the runner while loaded. */
	memoryBytes: z.number().exactOptional(),
	/** What the engine remarks about it, while loaded. */
	notices: z.array(noticeSchema.readonly()).readonly().exactOptional(),
	pinned: z.boolean().exactOptional(),
	/** Languages, for translation and speech (BCP 47). */
	languages: z.array(z.string()).readonly().exactOptional(),
});

export const promptTemplateSchema = promptTemplate;

/** Progress of a download, in bytes over all files of the model. */
export const downloadProgressSchema = z.object({
	model: z.string(),
	file: z.string(),
	/** What is done to it; absent: it is downloaded. */
	phase: z.enum(['build', 'check']).exactOptional(),
	/** A model that is here is built again, with a better recipe; until the end it answers as it was. */
	again: z.literal(true).exactOptional(),
	/** 0…1 of the file. */
	fileFraction: z.number(),
	doneBytes: z.number(),
	totalBytes: z.number(),
	bytesPerSecond: z.number(),
	/** At the end of a build. */
	loss: builtLossSchema.readonly().exactOptional(),
});

export type ExecutionProvider = z.output<typeof providerSchema>;
export type FinishReason = z.output<typeof finishReasonSchema>;
export type Usage = Readonly<z.output<typeof usageSchema>>;
export type Timings = Readonly<z.output<typeof timingsSchema>>;
export type ModelTask = z.output<typeof taskSchema>;
export type ModelState = z.output<typeof stateSchema>;
export type Precision = z.output<typeof precisionSchema>;
export type ModelSource = Readonly<z.output<typeof sourceSchema>>;
export type ModelNotice = Readonly<z.output<typeof noticeSchema>>;
export type BuiltLoss = Readonly<z.output<typeof builtLossSchema>>;
export type ModelInfo = Readonly<z.output<typeof modelInfoSchema>>;
export type DownloadProgress = Readonly<z.output<typeof downloadProgressSchema>>;
