/** From a chat request to what the engine is asked. Pure; every field ends up somewhere. */

import type { Constraint, GenerateRequest, SamplingOptions } from '../../engine/api.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError, type ToolChoice, type ToolDefinition } from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import { functionsOf, shownTools } from './customCalls.ts';
import type { ModelProfile } from './profile.ts';
import { seenMessages } from './promptImages.ts';

export interface ChatPlan {
	readonly generate: Omit<GenerateRequest, 'owner'>;
	/** Functions the answer may call; empty when calls are not looked for. */
	readonly toolNames: readonly string[];
	/** Most calls of one answer. */
	readonly maxCalls: number;
	/** The older form was used, so the answer has `function_call`. */
	readonly olderForm: boolean;
	readonly seed: number;
	/** Fields of the request that mean nothing to this model. */
	readonly ignored: readonly string[];
}

export function planChat(
	request: ChatRequest,
	profile: ModelProfile,
	randomSeed: () => number,
	model = request.model ?? '',
): ChatPlan {
	checkTogether(request);
	const olderForm = request.functions !== undefined;
	const tools = functionsOf(request);
	const choice = toolChoice(request, tools);
	const offered = choice === 'none' ? [] : tools;
	const callable =
		typeof choice === 'object' && 'among' in choice
			? offered.filter(({ function: { name } }) => choice.among.includes(name))
			: offered;
	const parallel = olderForm ? false : (request.parallel_tool_calls ?? true);
	const constraint = constraintOf(request, callable, choice, parallel);
	const sampling = samplingOf(request, profile, randomSeed);
	const maxTokens = request.max_completion_tokens ?? request.max_tokens;
	const variables = templateVariables(request, profile);
	return {
		generate: {
			prompt: {
				kind: 'chat',
				...seenMessages(request.messages, profile, model),
				...(offered.length === 0 ? {} : { tools: shownTools(request) }),
				...defined({ templateVariables: variables.given }),
			},
			sampling,
			stop: request.stop ?? [],
			n: request.n ?? 1,
			priority: 'interactive',
			...defined({ maxTokens, constraint }),
			...(request.logprobs ? { topLogprobs: request.top_logprobs ?? 0 } : {}),
		},
		toolNames: callable.map((tool) => tool.function.name),
		maxCalls: parallel ? Number.POSITIVE_INFINITY : 1,
		olderForm,
		seed: sampling.seed,
		ignored: variables.ignored,
	};
}

/** Fields that contradict each other are refused, never resolved silently. */
function checkTogether(request: ChatRequest): void {
	const clash = (param: string, message: string) =>
		new AppError('invalid_request', message, { param });
	if (request.stream_options && !request.stream)
		throw clash('stream_options', "'stream_options' is for streams: set 'stream' to true.");
	if (request.top_logprobs !== undefined && !request.logprobs)
		throw clash('top_logprobs', "'top_logprobs' needs 'logprobs' to be true.");
	if (request.functions && request.tools)
		throw clash('functions', "Send 'tools' or the older 'functions', not both.");
	if (request.tool_choice !== undefined && request.function_call)
		throw clash('function_call', "Send 'tool_choice' or the older 'function_call', not both.");
	if (request.function_call && !request.functions)
		throw clash('function_call', "'function_call' needs 'functions'.");
	const both = request.max_tokens !== undefined && request.max_completion_tokens !== undefined;
	if (both && request.max_tokens !== request.max_completion_tokens)
		throw clash('max_tokens', "'max_tokens' and 'max_completion_tokens' differ; send one of them.");
	if (
		request.seed !== undefined &&
		request.random_seed !== undefined &&
		request.seed !== request.random_seed
	)
		throw clash('random_seed', "'seed' and 'random_seed' differ; send one of them.");
	if (
		request.grammar !== undefined &&
		request.response_format &&
		request.response_format.type !== 'text'
	)
		throw clash('grammar', "Send 'grammar' or 'response_format', not both.");
}

function toolChoice(request: ChatRequest, tools: readonly ToolDefinition[]): ToolChoice {
	const choice =
		request.tool_choice ?? request.function_call?.choice ?? (tools.length > 0 ? 'auto' : 'none');
	const param = request.tool_choice === undefined ? 'function_call' : 'tool_choice';
	if (typeof choice === 'string') {
		if (choice === 'required' && tools.length === 0)
			throw new AppError('invalid_request', `'${param}' is 'required', but there are no tools.`, {
				param,
			});
		return tools.length === 0 ? 'none' : choice;
	}
	const names = tools.map((tool) => tool.function.name);
	const unknown = ('among' in choice ? choice.among : [choice.name]).find(
		(name) => !names.includes(name),
	);
	if (unknown !== undefined)
		throw new AppError(
			'invalid_request',
			`'${param}' names '${unknown}', which is not among the tools${names.length === 0 ? '' : ` (${names.join(', ')})`}.`,
			{ param },
		);
	return choice;
}

function constraintOf(
	request: ChatRequest,
	tools: readonly ToolDefinition[],
	choice: ToolChoice,
	parallel: boolean,
): Constraint | undefined {
	const format = formatConstraint(request);
	if (tools.length === 0) return format;
	if (format)
		throw new AppError(
			'unsupported_parameter',
			"An answer cannot be held to 'response_format' or 'grammar' while tools are offered; set 'tool_choice' to 'none' for that turn.",
			{ param: request.grammar === undefined ? 'response_format' : 'grammar' },
		);
	const bound = request.function_call?.arguments;
	return {
		kind: 'tools',
		...{ tools, parallel, ...defined({ bound }) },
		// Those that may not be called are not among these tools.
		choice: typeof choice === 'object' && 'among' in choice ? choice.mode : choice,
	};
}

/** What `grammar` or `response_format` hold the answer to; shared with completions. */
export function formatConstraint(
	request: Pick<ChatRequest, 'grammar' | 'response_format'>,
): Constraint | undefined {
	if (request.grammar !== undefined) return { kind: 'ebnf', grammar: request.grammar };
	const format = request.response_format;
	const missing = (param: string) =>
		new AppError('invalid_request', `'${param}' is missing.`, { param });
	switch (format?.type) {
		case undefined:
		case 'text':
			return undefined;
		case 'json_object':
			return format.schema === undefined
				? { kind: 'json-object' }
				: { kind: 'json-schema', schema: format.schema };
		case 'json_schema': {
			const inner = format.json_schema?.schema ?? format.schema;
			if (inner === undefined) throw missing('response_format.json_schema.schema');
			return { kind: 'json-schema', schema: inner };
		}
		case 'grammar':
			if (format.grammar === undefined) throw missing('response_format.grammar');
			return { kind: 'ebnf', grammar: format.grammar };
	}
}

type SamplingRequest = Pick<
	ChatRequest,
	| 'temperature'
	| 'top_p'
	| 'top_k'
	| 'min_p'
	| 'presence_penalty'
	| 'frequency_penalty'
	| 'repetition_penalty'
	| 'logit_bias'
	| 'seed'
	| 'random_seed'
	| 'metadata'
>;

/** Request over the publisher's defaults; shared with completions. */
export function samplingOf(
	request: SamplingRequest,
	profile: ModelProfile,
	randomSeed: () => number,
): SamplingOptions {
	const { sampling, vocabularySize } = profile;
	for (const id of Object.keys(request.logit_bias ?? {}))
		if (Number(id) >= vocabularySize)
			throw new AppError(
				'invalid_request',
				`'logit_bias' names token ${id}, but the model has ${vocabularySize} tokens.`,
				{ param: `logit_bias.${id}` },
			);
	const seed = request.seed ?? request.random_seed ?? fromMetadata(request, 'random_seed');
	const topK = request.top_k ?? fromMetadata(request, 'top_k') ?? sampling.topK;
	return {
		temperature: request.temperature ?? sampling.temperature,
		topP: request.top_p ?? sampling.topP,
		topK: Math.max(0, topK),
		minP: request.min_p ?? sampling.minP,
		presencePenalty: request.presence_penalty ?? 0,
		frequencyPenalty: request.frequency_penalty ?? 0,
		repetitionPenalty: request.repetition_penalty ?? sampling.repetitionPenalty,
		logitBias: request.logit_bias ?? {},
		seed: (seed ?? randomSeed()) >>> 0,
		...(seed === undefined ? {} : { reproducible: true }),
	};
}

/** Some clients can only send extra numbers inside `metadata`. */
function fromMetadata(request: SamplingRequest, key: 'random_seed' | 'top_k'): number | undefined {
	const value = request.metadata?.[key];
	if (value === undefined) return undefined;
	const number = Number(value);
	if (!Number.isSafeInteger(number))
		throw new AppError('invalid_request', `'metadata.${key}' must be an integer.`, {
			param: `metadata.${key}`,
		});
	return number;
}

interface TemplateVariables {
	readonly given?: Readonly<Record<string, unknown>>;
	/** Fields that mean nothing to this model. */
	readonly ignored: readonly string[];
}

/** What the template reads of what is asked; clients set some fields for all their models alike. */
function templateVariables(request: ChatRequest, profile: ModelProfile): TemplateVariables {
	const reads = (name: string) => profile.template?.includes(name) === true;
	const asked = Object.entries(request.chat_template_kwargs ?? {});
	const own = asked.filter(([name]) => reads(name));
	const ignored = asked
		.filter(([name]) => !reads(name))
		.map(([name]) => `chat_template_kwargs.${name}`);
	const { reasoning_effort: effort, enable_thinking: thinking } = request;
	if (thinking !== undefined && !reads('enable_thinking')) ignored.push('enable_thinking');
	if (effort !== undefined && !reads('reasoning_effort') && !reads('enable_thinking'))
		ignored.push('reasoning_effort');
	const given: Record<string, unknown> = {
		...(effort !== undefined && reads('reasoning_effort') ? { reasoning_effort: effort } : {}),
		...(effort !== undefined && reads('enable_thinking')
			? { enable_thinking: effort !== 'none' && effort !== 'minimal' }
			: {}),
		...(thinking !== undefined && reads('enable_thinking') ? { enable_thinking: thinking } : {}),
		...Object.fromEntries(own),
	};
	return Object.keys(given).length === 0 ? { ignored } : { given, ignored };
}
