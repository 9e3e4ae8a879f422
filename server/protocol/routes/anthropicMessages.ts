/** Messages in Anthropic's interface, which coding agents speak. */

import * as z from 'zod';
import {
	anthropicMessagesField,
	anthropicToolChoiceField,
	anthropicToolsField,
	systemField,
} from './anthropicFields.ts';
import { chatBody } from './bodyLimits.ts';
import { Refused, read } from './check.ts';
import {
	array,
	boolean,
	integer,
	leaving,
	object,
	oneOf,
	optional,
	ruled,
	string,
} from './fields.ts';
import { loadFields } from './loadFields.ts';
import { maxTokensField, modelField, samplingFields } from './requestFields.ts';
import { jsonBody, route } from './route.ts';
import { schemaField } from './toolFields.ts';

const { temperature, top_p, top_k } = samplingFields;
const threadKind = object({ type: oneOf('create', 'continue') });

/**
 * A thread that is begun is a conversation like any other, and named as not read. None is kept, so none goes on:
 * clients take that as the sign to send all messages again.
 */
const threadField = leaving(
	ruled(
		{
			type: 'object',
			required: ['type'],
			properties: {
				type: { enum: ['create', 'continue'] },
				previous_message_id: { type: 'string' },
			},
		},
		(value): undefined => {
			if (read(threadKind, value, '').type === 'create') return undefined;
			throw new Refused(
				'.previous_message_id',
				(name) =>
					`There is no thread for ${name}: conversations of this interface are not kept here. Send all messages.`,
				'not_found',
			);
		},
	),
	(_, path) => [path],
);

const asked = {
	model: modelField,
	thread: optional(threadField),
	messages: anthropicMessagesField,
	system: optional(systemField),
	tools: optional(anthropicToolsField),
	tool_choice: optional(anthropicToolChoiceField),
	thinking: optional(
		object({
			type: oneOf('enabled', 'disabled', 'adaptive'),
			budget_tokens: optional(integer({ min: 0 })),
		}),
	),
	output_config: optional(
		object({
			effort: optional(oneOf('low', 'medium', 'high', 'xhigh', 'max')),
			format: optional(object({ type: oneOf('json_schema'), schema: schemaField })),
		}),
	),
};

export const anthropicRequest = object({
	...asked,
	max_tokens: maxTokensField,
	stop_sequences: optional(array(string({ minLength: 1, maxLength: 256 }), { max: 64 })),
	stream: optional(boolean),
	temperature,
	top_p,
	top_k,
	/** Both are the one tier there is. */
	service_tier: optional(oneOf('auto', 'standard_only')),
	metadata: optional(object({ user_id: optional(string({ maxLength: 512 })) })),
	...loadFields,
});

export type AnthropicRequest = z.output<typeof anthropicRequest>;

export const anthropicCountRequest = object(asked);

export type AnthropicCountRequest = z.output<typeof anthropicCountRequest>;

const usage = z.object({
	/** Tokens of the prompt that were computed for this answer. */
	input_tokens: z.int(),
	cache_creation_input_tokens: z.int(),
	/** Tokens of the prompt that came from the prefix cache. */
	cache_read_input_tokens: z.int(),
	output_tokens: z.int(),
	service_tier: z.literal('standard'),
});

const block = z.union([
	z.object({ type: z.literal('text'), text: z.string() }),
	z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
	z.object({
		type: z.literal('tool_use'),
		id: z.string(),
		name: z.string(),
		input: z.record(z.string(), z.unknown()),
	}),
]);

const generating = [
	'model_not_found',
	'context_length_exceeded',
	'overloaded',
	'payload_too_large',
	'unsupported_parameter',
] as const;

export const createMessage = route({
	method: 'POST',
	path: '/v1/messages',
	who: 'member',
	scope: 'chat',
	summary:
		'a chat in Anthropic’s form: text, tools and their results, thinking, stop sequences, schemas, streaming',
	body: jsonBody(anthropicRequest, chatBody),
	answer: z.object({
		id: z.string(),
		type: z.literal('message'),
		role: z.literal('assistant'),
		model: z.string(),
		content: z.array(block),
		stop_reason: z
			.enum([
				'end_turn',
				'max_tokens',
				'stop_sequence',
				'tool_use',
				'model_context_window_exceeded',
			])
			.nullable(),
		stop_sequence: z.string().nullable(),
		usage,
	}),
	events: z.looseObject({ type: z.string() }),
	errors: generating,
	section: 'anthropic',
});

export const countMessageTokens = route({
	method: 'POST',
	path: '/v1/messages/count_tokens',
	who: 'member',
	scope: 'chat',
	summary: 'tokens of the prompt that such a request would be; no model is loaded',
	body: jsonBody(anthropicCountRequest, chatBody),
	answer: z.object({ input_tokens: z.int() }),
	errors: ['model_not_found', 'unsupported_parameter'],
	section: 'anthropic',
});

export const anthropicRoutes = [createMessage, countMessageTokens] as const;
