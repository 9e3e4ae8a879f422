/** A chat request as another engine is asked for it: field by field, and nothing of who asks. */

import { defined } from '../../protocol/defined.ts';
import { AppError, type ToolDefinition } from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import type { CompletionRequest } from '../../protocol/routes/completions.ts';
import { wireChoice, wireMessages } from '../../protocol/wireMessages.ts';

export interface UpstreamChat {
	readonly body: Readonly<Record<string, unknown>>;
	/** Fields of the request that say nothing to an engine elsewhere, or who asks. */
	readonly ignored: readonly string[];
	readonly olderForm: boolean;
	readonly choices: number;
}

/** Where models run here, or whose request it is. */
const ownFields = [
	'ep',
	'exact',
	'ttl',
	'truncation',
	'return_progress',
	'user',
	'metadata',
] as const;

/** A chat whose custom tools have become functions: engines elsewhere know no others. */
export type FunctionsRequest = Omit<ChatRequest, 'tools'> & {
	readonly tools?: readonly ToolDefinition[];
};

/**
 * @param model as the engine calls it
 * @param maxTokens of each answer, where limits of the caller make it shorter
 * @throws AppError `unsupported_parameter` for what this way cannot promise, `invalid_request`
 */
export function upstreamChatOf(
	request: FunctionsRequest,
	model: string,
	maxTokens = request.max_completion_tokens ?? request.max_tokens,
): UpstreamChat {
	checkTogether(request);
	const olderForm = request.functions !== undefined;
	const tools = request.tools ?? request.functions ?? [];
	const choice = request.tool_choice ?? request.function_call?.choice;
	const { response_format: format, enable_thinking: thinking } = request;
	const schema = format?.json_schema?.schema ?? format?.schema;
	const template = {
		...request.chat_template_kwargs,
		...(thinking === undefined ? {} : { enable_thinking: thinking }),
	};
	return {
		olderForm,
		choices: request.n ?? 1,
		ignored: ownFields.filter((name) => request[name] !== undefined),
		body: {
			model,
			messages: wireMessages(request.messages),
			stream: true,
			stream_options: { include_usage: true },
			...drawingOf(request),
			...defined({
				max_tokens: maxTokens,
				reasoning_effort: request.reasoning_effort,
				parallel_tool_calls: olderForm ? undefined : request.parallel_tool_calls,
			}),
			...(tools.length === 0
				? {}
				: { tools: tools, ...defined({ tool_choice: wireChoice(choice) }) }),
			...(format === undefined || format.type === 'text'
				? {}
				: { response_format: formatOf(format.type, schema, format.json_schema) }),
			...(Object.keys(template).length === 0 ? {} : { chat_template_kwargs: template }),
		},
	};
}

/** How tokens are drawn and where they end, under the names that engines share. */
export const drawingOf = (
	request: Omit<CompletionRequest, 'prompt' | 'logprobs'> | FunctionsRequest,
) =>
	defined({
		temperature: request.temperature,
		top_p: request.top_p,
		top_k: request.top_k,
		min_p: request.min_p,
		presence_penalty: request.presence_penalty,
		frequency_penalty: request.frequency_penalty,
		repetition_penalty: request.repetition_penalty,
		logit_bias: request.logit_bias,
		seed: request.seed ?? request.random_seed,
		n: request.n,
		stop: request.stop,
		prompt_cache_key: request.prompt_cache_key,
	});

function checkTogether(request: FunctionsRequest): void {
	const refuse = (param: string, why: string) =>
		new AppError('unsupported_parameter', `'${param}' ${why}`, { param });
	if (request.grammar !== undefined || request.response_format?.type === 'grammar')
		throw refuse(
			'grammar',
			'is for models of this computer: engines elsewhere take a JSON schema.',
		);
	if (request.logprobs)
		throw refuse(
			'logprobs',
			'is for models of this computer: tokens of engines elsewhere are not known here.',
		);
	if (request.function_call?.arguments !== undefined)
		throw refuse(
			'function_call',
			'cannot fix arguments for an engine elsewhere: give the name alone.',
		);
	if (request.functions !== undefined && request.tools !== undefined)
		throw new AppError('invalid_request', "Send 'tools' or the older 'functions', not both.", {
			param: 'functions',
		});
}

function formatOf(
	type: string,
	schema: unknown,
	given: { readonly name?: string; readonly description?: string; readonly strict?: boolean } = {},
) {
	if (schema === undefined) return { type: 'json_object' };
	if (type !== 'json_schema' && type !== 'json_object') return { type };
	const { name = 'answer', strict = true, description } = given;
	// Whatever the spelling here, there is one that engines share.
	return {
		type: 'json_schema',
		json_schema: { name, strict, schema, ...defined({ description }) },
	};
}
