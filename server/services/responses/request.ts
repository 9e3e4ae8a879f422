/** Body of `POST /v1/responses`, turned into a chat request. Nothing is stored between calls. */

import type { ChatMessage, ToolCall } from '../../protocol/index.ts';
import { AppError } from '../../protocol/index.ts';
import {
	anything,
	array,
	asObject,
	boolean,
	integer,
	invalid,
	number,
	object,
	oneOf,
	optional,
	type Parsed,
	type Parser,
	string,
} from '../../protocol/parser.ts';
import { maxMessages, parseMessage } from '../chat/messages.ts';
import { type ChatRequest, callerFields, loadFields, truncationField } from '../chat/request.ts';
import { toolChoiceField, toolsField } from '../chat/toolFields.ts';

const formatField = object({
	type: oneOf('text', 'json_object', 'json_schema'),
	name: optional(string({ maxLength: 64 })),
	description: optional(string()),
	schema: optional(anything),
	strict: optional(boolean),
});

/** A field that asks for something only a server with memory has. */
function refused(why: string): Parser<undefined> {
	return {
		schema: { not: {} },
		parse: (_, path) => {
			throw new AppError('unsupported_parameter', `'${path}' is not supported: ${why}`, {
				param: path,
			});
		},
	};
}

const stateless = 'this server keeps nothing between calls; send the whole conversation in input.';

/** Text, or the items of a conversation. */
export const inputField: Parser<ChatMessage[]> = {
	schema: {
		anyOf: [
			{ type: 'string' },
			{
				type: 'array',
				minItems: 1,
				maxItems: maxMessages,
				items: { type: 'object', properties: { type: { type: 'string' } } },
			},
		],
	},
	parse: (value, path) => {
		if (typeof value === 'string') return [{ role: 'user', content: value }];
		if (!Array.isArray(value) || value.length === 0)
			throw invalid(path, 'a string or an array of items that is not empty', value);
		if (value.length > maxMessages) throw invalid(path, `an array of at most ${maxMessages} items`);
		const messages: ChatMessage[] = [];
		for (const [index, item] of value.entries()) addItem(messages, item, `${path}[${index}]`);
		return messages;
	},
};

function addItem(messages: ChatMessage[], value: unknown, path: string): void {
	const item = asObject(value, path);
	const type = item['type'] ?? 'message';
	const text = (key: string) => string().parse(item[key], `${path}.${key}`);
	switch (type) {
		case 'message': {
			messages.push(parseMessage(item, path));
			return;
		}
		case 'function_call': {
			const call: ToolCall = {
				id: text('call_id'),
				type: 'function',
				function: { name: text('name'), arguments: text('arguments') },
			};
			// Calls that follow each other belong to one turn of the assistant.
			const last = messages.at(-1);
			// The list was made here; a new one for each call would take the square of their number.
			if (last?.role === 'assistant' && last.tool_calls) (last.tool_calls as ToolCall[]).push(call);
			else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
			return;
		}
		case 'function_call_output':
			messages.push({ role: 'tool', tool_call_id: text('call_id'), content: text('output') });
			return;
		case 'reasoning':
			// Reasoning of earlier turns is not fed back, as the models' templates want it.
			return;
		default:
			throw new AppError(
				'unsupported_parameter',
				`'${path}' is an item of type '${String(type).slice(0, 40)}'; message, function_call, function_call_output and reasoning are understood.`,
				{ param: path },
			);
	}
}

export const responsesParser = object({
	model: string({ minLength: 1, maxLength: 300 }),
	input: inputField,
	instructions: optional(string()),
	max_output_tokens: optional(integer({ min: 1, max: 1 << 24 })),
	temperature: optional(number({ min: 0, max: 2 })),
	top_p: optional(number({ min: 0, max: 1 })),
	top_logprobs: optional(integer({ min: 0, max: 20 })),
	include: optional(array(oneOf('message.output_text.logprobs'))),
	tools: optional(toolsField),
	tool_choice: optional(toolChoiceField),
	parallel_tool_calls: optional(boolean),
	text: optional(object({ format: optional(formatField) })),
	reasoning: optional(
		object({ effort: optional(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh')) }),
	),
	truncation: truncationField,
	stream: optional(boolean),
	...callerFields,
	...loadFields,
	store: optional(onlyFalse('nothing is stored here')),
	background: optional(onlyFalse('a response is answered at once')),
	previous_response_id: optional(refused(stateless)),
	conversation: optional(refused(stateless)),
	prompt: optional(refused('there are no stored prompts here.')),
});

export type ResponsesRequest = Parsed<typeof responsesParser>;

function onlyFalse(why: string): Parser<false> {
	return {
		schema: { const: false },
		parse: (value, path) => {
			if (value !== false) throw invalid(path, `false: ${why}`, value);
			return false;
		},
	};
}

/** The same question in the words of chat completions. */
export function chatOf(request: ResponsesRequest): ChatRequest {
	const { instructions, text, reasoning } = request;
	const format = text?.format;
	const wantsLogprobs =
		request.top_logprobs !== undefined ||
		request.include?.includes('message.output_text.logprobs') === true;
	const same = pick(request, [
		'model',
		'temperature',
		'top_p',
		'truncation',
		'tools',
		'tool_choice',
		'parallel_tool_calls',
		'user',
		'metadata',
		'ep',
		'ttl',
	]);
	return {
		...same,
		messages: [
			...(instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }]),
			...request.input,
		],
		...(request.max_output_tokens === undefined ? {} : { max_tokens: request.max_output_tokens }),
		...(wantsLogprobs ? { logprobs: true, top_logprobs: request.top_logprobs ?? 0 } : {}),
		...(reasoning?.effort === undefined ? {} : { reasoning_effort: reasoning.effort }),
		...(format === undefined
			? {}
			: {
					response_format: {
						type: format.type,
						...(format.type === 'json_schema' ? { json_schema: { schema: format.schema } } : {}),
					},
				}),
	};
}

function pick<T extends object, const K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
	const out: Partial<T> = {};
	for (const key of keys) if (value[key] !== undefined) out[key] = value[key];
	return out as Pick<T, K>;
}
