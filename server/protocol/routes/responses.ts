/** Responses: asked for, kept for the person who asked, continued, read again and deleted. */

import * as z from 'zod';
import { chatBody } from './bodyLimits.ts';
import { Refused, read } from './check.ts';
import { responseToolChoice, responseTools } from './customTools.ts';
import {
	array,
	boolean,
	either,
	integer,
	mapped,
	number,
	object,
	oneOf,
	optional,
	ruled,
	string,
} from './fields.ts';
import { loadFields } from './loadFields.ts';
import { numeric } from './numeric.ts';
import {
	cacheKeyField,
	callerFields,
	effortField,
	maxTokensField,
	modelField,
	serviceTierField,
	topLogprobsField,
	truncationField,
} from './requestFields.ts';
import { inputField } from './responseItems.ts';
import { jsonBody, route } from './route.ts';
import { schemaField } from './toolFields.ts';

const formatField = object({
	type: oneOf('text', 'json_object', 'json_schema'),
	name: optional(string({ maxLength: 64 })),
	description: optional(string()),
	schema: optional(schemaField),
	strict: optional(boolean),
});

/** A field for something that does not exist here. */
const refused = (why: string) =>
	ruled({ not: {} }, (): undefined => {
		throw new Refused('', (name) => `${name} is not supported: ${why}`, 'unsupported_parameter');
	});

/** What is added to an answer. What is not named here is refused, never left out in silence. */
const includeField = ruled(
	{ enum: ['message.output_text.logprobs'] },
	(value): 'message.output_text.logprobs' => {
		if (value === 'reasoning.encrypted_content')
			throw new Refused(
				'',
				(name) =>
					`${name} is 'reasoning.encrypted_content', which does not exist here: reasoning comes as plain text, and 'store' or 'conversation' keep it. Leave it out.`,
				'unsupported_parameter',
			);
		return read(oneOf('message.output_text.logprobs'), value, '');
	},
);

const keptId = string({ minLength: 1, maxLength: 128 });

export const responsesRequest = object({
	model: modelField,
	input: inputField,
	instructions: optional(string()),
	max_output_tokens: optional(maxTokensField),
	temperature: optional(number({ min: 0, max: 2 })),
	top_p: optional(number({ min: 0, max: 1 })),
	top_logprobs: optional(topLogprobsField),
	include: optional(array(includeField)),
	tools: optional(responseTools),
	tool_choice: optional(responseToolChoice),
	parallel_tool_calls: optional(boolean),
	service_tier: optional(serviceTierField),
	text: optional(object({ format: optional(formatField) })),
	reasoning: optional(object({ effort: optional(effortField) })),
	truncation: optional(truncationField),
	stream: optional(boolean),
	...callerFields,
	prompt_cache_key: optional(cacheKeyField),
	...loadFields,
	/** Absent: kept, as far as something can be kept for this caller. */
	store: optional(boolean),
	/** Answered at once; what is asked goes on when the caller goes away. Needs `store`. */
	background: optional(boolean),
	previous_response_id: optional(keptId),
	/** Its items come before those of `input`; what is answered is added to it. */
	conversation: optional(
		either(
			keptId,
			mapped(object({ id: keptId }), ({ id }) => id),
			"the id of a conversation, or {id: '…'}",
		),
	),
	prompt: optional(refused('there are no stored prompts here.')),
});

export type ResponsesRequest = z.output<typeof responsesRequest>;

const responseAnswer = z.looseObject({
	id: z.string(),
	object: z.literal('response'),
	created_at: z.number(),
	status: z.string(),
	model: z.string(),
	output: z.array(z.looseObject({ type: z.string() })),
});

const events = z.looseObject({ type: z.string() });

export const responses = route({
	method: 'POST',
	path: '/v1/responses',
	who: 'member',
	scope: 'chat',
	summary:
		'an answer with streaming events, kept for who asked unless `store` is `false`, continued by `previous_response_id` or `conversation`; oldest turns that were left out are counted in `X-Omitted-Turns`',
	body: jsonBody(responsesRequest, chatBody),
	answer: responseAnswer,
	events,
	errors: [
		'model_not_found',
		'context_length_exceeded',
		'overloaded',
		'unsupported_parameter',
		'not_found',
		'conflict',
		'store_unavailable',
		'disk_full',
	],
	section: 'chat',
});

export const countResponseTokens = route({
	method: 'POST',
	path: '/v1/responses/input_tokens',
	who: 'member',
	scope: 'chat',
	summary:
		'tokens of the prompt that such a request would be, what it continues included; no model is loaded',
	body: jsonBody(responsesRequest, chatBody),
	answer: z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() }),
	errors: [
		'model_not_found',
		'context_length_exceeded',
		'unsupported_parameter',
		'not_found',
		'store_unavailable',
	],
	section: 'chat',
});

/** Where a page of a list begins, how long it is, and from which end. */
export const pageQuery = {
	limit: optional(numeric(integer({ min: 1, max: 100 }))),
	order: optional(oneOf('asc', 'desc')),
	/** Id of the item before the first. */
	after: optional(keptId),
};

/** A page of items. */
export const itemPage = z.object({
	object: z.literal('list'),
	data: z.array(z.looseObject({ type: z.string(), id: z.string() })),
	first_id: z.string().nullable(),
	last_id: z.string().nullable(),
	has_more: z.boolean(),
});

const stored = ['not_found', 'store_unavailable', 'overloaded'] as const;

export const readResponse = route({
	method: 'GET',
	path: '/v1/responses/:id',
	who: 'member',
	scope: 'chat',
	summary:
		'a kept response; with `stream=true` the events of one that was asked for with `background` and `stream`, after `starting_after`',
	query: object({
		stream: optional(oneOf('true', 'false')),
		/** `sequence_number` of the last event that is known. */
		starting_after: optional(numeric(integer({ min: 0 }))),
	}),
	answer: responseAnswer,
	events,
	errors: stored,
	section: 'chat',
});

export const deleteResponse = route({
	method: 'DELETE',
	path: '/v1/responses/:id',
	who: 'member',
	scope: 'chat',
	summary: 'deletes a kept response; one that is under way is cancelled',
	answer: z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
	errors: stored,
	section: 'chat',
});

export const cancelResponse = route({
	method: 'POST',
	path: '/v1/responses/:id/cancel',
	who: 'member',
	scope: 'chat',
	summary: 'ends a response that was asked for with `background`',
	answer: responseAnswer,
	errors: stored,
	section: 'chat',
});

export const listInputItems = route({
	method: 'GET',
	path: '/v1/responses/:id/input_items',
	who: 'member',
	scope: 'chat',
	summary: 'what a kept response was an answer to, those before it included, newest first',
	query: object(pageQuery),
	answer: itemPage,
	errors: stored,
	section: 'chat',
});

export const keptResponses = route({
	method: 'GET',
	path: '/nearglot/responses',
	summary: 'how many responses and conversations are kept, for how many people, in how many bytes',
	answer: z.object({
		responses: z.number(),
		conversations: z.number(),
		people: z.number(),
		bytes: z.number(),
	}),
	errors: ['store_unavailable'],
	section: 'chat',
});

export const deleteKeptResponses = route({
	method: 'DELETE',
	path: '/nearglot/responses',
	summary: 'deletes every kept response and conversation of everybody',
	answer: z.object({ deleted: z.number() }),
	errors: ['store_unavailable'],
	section: 'chat',
});

export const responsesRoutes = [
	responses,
	countResponseTokens,
	readResponse,
	deleteResponse,
	cancelResponse,
	listInputItems,
	keptResponses,
	deleteKeptResponses,
] as const;
