/** Requests of Ollama's interface in the words of chat completions and completions. */

import { defined } from '../../protocol/defined.ts';
import { AppError, type ChatMessage } from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import type { CompletionRequest } from '../../protocol/routes/completions.ts';
import { withImagesFirst } from '../../protocol/routes/ollamaFields.ts';
import type {
	OllamaChatRequest,
	OllamaGenerateRequest,
} from '../../protocol/routes/ollamaGeneration.ts';
import type { ContinuedPrompt } from '../chat/continuedPrompt.ts';
import { fillTemplate } from './goTemplate.ts';

type Generation = Pick<
	OllamaChatRequest,
	'options' | 'format' | 'think' | 'keep_alive' | 'logprobs' | 'top_logprobs'
>;

/** A chat, or a prompt that goes through a template. */
export interface OllamaQuestion {
	readonly chat: ChatRequest & { readonly ownPrompt?: ContinuedPrompt };
	/** What `chat` calls a field, and what the caller called it. */
	readonly names: ReadonlyMap<string, string>;
}

export function chatOfOllama(request: OllamaChatRequest): OllamaQuestion {
	const { messages = [], tools, truncate = true } = request;
	return {
		chat: {
			...generationOf(request),
			model: request.model,
			messages,
			truncation: truncate ? 'auto' : 'disabled',
			...defined({ tools }),
		},
		names: named('messages'),
	};
}

export function promptOfOllama(request: OllamaGenerateRequest): OllamaQuestion {
	const { prompt = '', system, template, context = [], images = [] } = request;
	const hasTemplate = template !== undefined && template !== '';
	if (images.length > 0 && (hasTemplate || context.length > 0))
		throw new AppError(
			'invalid_request',
			`'images' cannot be combined with '${hasTemplate ? 'template' : 'context'}'; use /api/chat.`,
			{ param: 'images' },
		);
	const messages: ChatMessage[] = [
		...(system === undefined || system === ''
			? []
			: [{ role: 'system' as const, content: system }]),
		withImagesFirst({ role: 'user', content: prompt }, images),
	];
	const text = !hasTemplate
		? undefined
		: fillTemplate(template, { System: system ?? '', Prompt: prompt, Suffix: '' });
	return {
		chat: {
			...generationOf(request),
			model: request.model,
			messages,
			// Tokens of images would mean nothing in the next request.
			...(images.length > 0 ? {} : { ownPrompt: { before: context, text } }),
		},
		names: named('prompt'),
	};
}

/** The request as a plain prompt, where no template is wanted; `undefined` for all others. */
export function completionOfOllama(request: OllamaGenerateRequest): CompletionRequest | undefined {
	const { raw = false, suffix, prompt = '', stream = true } = request;
	const clash = (field: 'system' | 'template' | 'context' | 'images', why: string) => {
		const given = request[field];
		if (given !== undefined && given.length > 0)
			throw new AppError('invalid_request', `'${field}' cannot be combined with ${why}.`, {
				param: field,
			});
	};
	const fills = suffix !== undefined && suffix !== '';
	if (!raw && !fills) return undefined;
	for (const field of ['system', 'template', 'context', 'images'] as const)
		clash(field, raw ? "'raw', which sends the prompt as it is" : "'suffix'");
	const { logprobs = false, top_logprobs: top = 0, ...rest } = completionFields(request);
	return {
		...rest,
		model: request.model,
		prompt: [prompt],
		stream,
		...(fills ? { suffix } : {}),
		// Ollama's clients mean "as long as it takes" where completions end after a few tokens.
		max_tokens: rest.max_tokens ?? longest,
		...(logprobs ? { logprobs: top } : {}),
	};
}

/** More than any model has room for. */
const longest = 1 << 24;

function completionFields(request: Generation) {
	const { reasoning_effort: _, chat_template_kwargs: __, ...rest } = generationOf(request);
	return rest;
}

function generationOf({
	options = {},
	format,
	think,
	keep_alive: keepAlive,
	logprobs,
	top_logprobs,
}: Generation) {
	const { num_predict: max = 0, repeat_penalty: repetition_penalty, seed, ...same } = options;
	return {
		...same,
		...defined({
			repetition_penalty,
			seed: seed !== undefined && seed >= 0 ? seed : undefined,
			max_tokens: max > 0 ? max : undefined,
			logprobs,
			top_logprobs,
			ttl: keepAlive === undefined ? undefined : ttlOf(keepAlive),
		}),
		...(format === undefined
			? {}
			: {
					response_format:
						format === 'json'
							? { type: 'json_object' as const }
							: { type: 'json_schema' as const, json_schema: format },
				}),
		...(typeof think === 'string' ? { reasoning_effort: think } : {}),
		...(typeof think === 'boolean' ? { chat_template_kwargs: { enable_thinking: think } } : {}),
	};
}

/** Seconds as the host of the models counts them: 0 is for ever, and nothing is as short as no time. */
export const ttlOf = (keepAlive: number): number =>
	keepAlive === Number.POSITIVE_INFINITY ? 0 : Math.max(0.001, keepAlive);

const named = (prompt: string): ReadonlyMap<string, string> =>
	new Map([
		['messages', prompt],
		['chat_template_kwargs.enable_thinking', 'think'],
		['reasoning_effort', 'think'],
	]);
