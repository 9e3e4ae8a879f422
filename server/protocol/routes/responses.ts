/** Responses, stateless: nothing is stored between calls. */

import * as z from 'zod';
import type { ChatMessage, ToolCall } from '../chatTypes.ts';
import { chatBody } from './bodyLimits.ts';
import { asObject, invalid, Refused, read } from './check.ts';
import { array, boolean, number, object, oneOf, optional, ruled, string } from './fields.ts';
import { loadFields } from './loadFields.ts';
import { maxMessages, readMessage } from './messageFields.ts';
import {
	callerFields,
	effortField,
	maxTokensField,
	modelField,
	topLogprobsField,
	truncationField,
} from './requestFields.ts';
import { jsonBody, route } from './route.ts';
import { schemaField, toolChoiceField, toolsField } from './toolFields.ts';

const formatField = object({
	type: oneOf('text', 'json_object', 'json_schema'),
	name: optional(string({ maxLength: 64 })),
	description: optional(string()),
	schema: optional(schemaField),
	strict: optional(boolean),
});

/** A field that asks for something only a server with memory has. */
const refused = (why: string) =>
	ruled({ not: {} }, (): undefined => {
		throw new Refused('', (name) => `${name} is not supported: ${why}`, 'unsupported_parameter');
	});

const stateless = 'this server keeps nothing between calls; send the whole conversation in input.';

const onlyFalse = (why: string) =>
	ruled({ const: false }, (value): false => {
		if (value !== false) throw invalid('', `false: ${why}`, value);
		return false;
	});

/** Text, or the items of a conversation. */
const inputField = ruled(
	{
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
	(value): ChatMessage[] => {
		if (typeof value === 'string') return [{ role: 'user', content: value }];
		if (!Array.isArray(value) || value.length === 0)
			throw invalid('', 'a string or an array of items that is not empty', value);
		if (value.length > maxMessages) throw invalid('', `an array of at most ${maxMessages} items`);
		const messages: ChatMessage[] = [];
		for (const [index, item] of value.entries()) addItem(messages, item, `[${index}]`);
		return messages;
	},
);

const text = string();

function addItem(messages: ChatMessage[], value: unknown, path: string): void {
	const item = asObject(value, path);
	const type = item['type'] ?? 'message';
	const textOf = (key: string) => read(text, item[key], `${path}.${key}`);
	switch (type) {
		case 'message': {
			messages.push(readMessage(item, path));
			return;
		}
		case 'function_call': {
			const call: ToolCall = {
				id: textOf('call_id'),
				type: 'function',
				function: { name: textOf('name'), arguments: textOf('arguments') },
			};
			// Calls that follow each other belong to one turn of the assistant.
			const last = messages.at(-1);
			// The list was made here; a new one for each call would take the square of their number.
			if (last?.role === 'assistant' && last.tool_calls) (last.tool_calls as ToolCall[]).push(call);
			else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
			return;
		}
		case 'function_call_output':
			messages.push({ role: 'tool', tool_call_id: textOf('call_id'), content: textOf('output') });
			return;
		case 'reasoning':
			// Reasoning of earlier turns is not fed back, as the models' templates want it.
			return;
		default:
			throw new Refused(
				path,
				(name) =>
					`${name} is an item of type '${String(type).slice(0, 40)}'; message, function_call, function_call_output and reasoning are understood.`,
				'unsupported_parameter',
			);
	}
}

export const responsesRequest = object({
	model: modelField,
	input: inputField,
	instructions: optional(string()),
	max_output_tokens: optional(maxTokensField),
	temperature: optional(number({ min: 0, max: 2 })),
	top_p: optional(number({ min: 0, max: 1 })),
	top_logprobs: optional(topLogprobsField),
	include: optional(array(oneOf('message.output_text.logprobs'))),
	tools: optional(toolsField),
	tool_choice: optional(toolChoiceField),
	parallel_tool_calls: optional(boolean),
	text: optional(object({ format: optional(formatField) })),
	reasoning: optional(object({ effort: optional(effortField) })),
	truncation: optional(truncationField),
	stream: optional(boolean),
	...callerFields,
	...loadFields,
	store: optional(onlyFalse('nothing is stored here')),
	background: optional(onlyFalse('a response is answered at once')),
	previous_response_id: optional(refused(stateless)),
	conversation: optional(refused(stateless)),
	prompt: optional(refused('there are no stored prompts here.')),
});

export type ResponsesRequest = z.output<typeof responsesRequest>;

export const responses = route({
	method: 'POST',
	path: '/v1/responses',
	who: 'member',
	summary:
		'stateless, with streaming events; oldest turns that were left out are counted in `X-Omitted-Turns`',
	body: jsonBody(responsesRequest, chatBody),
	answer: z.looseObject({
		id: z.string(),
		object: z.literal('response'),
		created_at: z.number(),
		status: z.string(),
		model: z.string(),
		output: z.array(z.looseObject({ type: z.string() })),
	}),
	events: z.looseObject({ type: z.string() }),
	errors: ['model_not_found', 'context_length_exceeded', 'overloaded', 'unsupported_parameter'],
	section: 'chat',
});

export const responsesRoutes = [responses] as const;
