/** Conversations: items that are kept for a person, which responses read and add to. */

import * as z from 'zod';
import { chatBody, smallBody } from './bodyLimits.ts';
import { object, optional } from './fields.ts';
import { metadataField } from './requestFields.ts';
import { itemsField } from './responseItems.ts';
import { itemPage, pageQuery } from './responses.ts';
import { jsonBody, route } from './route.ts';

/** Most items that come with one request. */
const maxItems = 20;

const conversation = z.object({
	id: z.string(),
	object: z.literal('conversation'),
	/** Seconds since 1970. */
	created_at: z.number(),
	metadata: z.record(z.string(), z.string()),
});
const item = z.looseObject({ type: z.string(), id: z.string() });

const errors = ['not_found', 'store_unavailable', 'disk_full', 'overloaded', 'conflict'] as const;

export const createConversation = route({
	method: 'POST',
	path: '/v1/conversations',
	who: 'member',
	scope: 'chat',
	summary: 'begins a conversation, with up to 20 items',
	body: jsonBody(
		object({ items: optional(itemsField(maxItems)), metadata: optional(metadataField) }),
		chatBody,
	),
	answer: conversation,
	errors,
	section: 'chat',
});

export const readConversation = route({
	method: 'GET',
	path: '/v1/conversations/:id',
	who: 'member',
	scope: 'chat',
	summary: 'a conversation, without its items',
	answer: conversation,
	errors,
	section: 'chat',
});

export const changeConversation = route({
	method: 'POST',
	path: '/v1/conversations/:id',
	who: 'member',
	scope: 'chat',
	summary: 'replaces the metadata of a conversation',
	body: jsonBody(object({ metadata: metadataField }), smallBody),
	answer: conversation,
	errors,
	section: 'chat',
});

export const deleteConversation = route({
	method: 'DELETE',
	path: '/v1/conversations/:id',
	who: 'member',
	scope: 'chat',
	summary: 'deletes a conversation with its items',
	answer: z.object({
		id: z.string(),
		object: z.literal('conversation.deleted'),
		deleted: z.literal(true),
	}),
	errors,
	section: 'chat',
});

export const addItems = route({
	method: 'POST',
	path: '/v1/conversations/:id/items',
	who: 'member',
	scope: 'chat',
	summary: 'adds up to 20 items to a conversation',
	body: jsonBody(object({ items: itemsField(maxItems) }), chatBody),
	answer: itemPage,
	errors,
	section: 'chat',
});

export const listItems = route({
	method: 'GET',
	path: '/v1/conversations/:id/items',
	who: 'member',
	scope: 'chat',
	summary: 'the items of a conversation, newest first',
	query: object(pageQuery),
	answer: itemPage,
	errors,
	section: 'chat',
});

export const readKeptItem = route({
	method: 'GET',
	path: '/v1/conversations/:id/items/:item',
	who: 'member',
	scope: 'chat',
	summary: 'one item of a conversation',
	answer: item,
	errors,
	section: 'chat',
});

export const deleteItem = route({
	method: 'DELETE',
	path: '/v1/conversations/:id/items/:item',
	who: 'member',
	scope: 'chat',
	summary: 'deletes one item of a conversation and answers with the conversation',
	answer: conversation,
	errors,
	section: 'chat',
});

export const conversationRoutes = [
	createConversation,
	readConversation,
	changeConversation,
	deleteConversation,
	addItems,
	listItems,
	readKeptItem,
	deleteItem,
] as const;
