/** `/v1/conversations`: items that are kept for a person. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import {
	addItems,
	changeConversation,
	createConversation,
	deleteConversation,
	deleteItem,
	listItems,
	readConversation,
	readKeptItem,
} from '../protocol/routes/conversations.ts';
import type { AppEnv } from './env.ts';
import { ownerOf } from './owner.ts';
import { register } from './register.ts';
import { itemRange, pageOf } from './responsesRoutes.ts';

export function registerConversationRoutes(
	app: Hono<AppEnv>,
	{ conversations }: Pick<Backend, 'conversations'>,
): void {
	register(app, createConversation, async ({ context, body, answer }) =>
		answer(await conversations.create(ownerOf(context), body.items ?? [], body.metadata ?? {})),
	);
	register(app, readConversation, async ({ context, answer }) =>
		answer(await conversations.read(ownerOf(context), context.req.param('id'))),
	);
	register(app, changeConversation, async ({ context, body, answer }) =>
		answer(await conversations.change(ownerOf(context), context.req.param('id'), body.metadata)),
	);
	register(app, deleteConversation, async ({ context, answer }) => {
		const id = context.req.param('id');
		await conversations.delete(ownerOf(context), id);
		return answer({ id, object: 'conversation.deleted', deleted: true });
	});
	register(app, addItems, async ({ context, body, answer }) => {
		const id = context.req.param('id');
		const data = await conversations.addItems(ownerOf(context), id, body.items);
		return answer({
			object: 'list',
			data: [...data],
			first_id: data[0]?.id ?? null,
			last_id: data.at(-1)?.id ?? null,
			has_more: false,
		});
	});
	register(app, listItems, async ({ context, query, answer }) => {
		const id = context.req.param('id');
		return answer(pageOf(await conversations.listItems(ownerOf(context), id, itemRange(query))));
	});
	register(app, readKeptItem, async ({ context, answer }) => {
		const { id, item } = context.req.param();
		return answer(await conversations.item(ownerOf(context), id ?? '', item ?? ''));
	});
	register(app, deleteItem, async ({ context, answer }) => {
		const { id, item } = context.req.param();
		return answer(await conversations.deleteItem(ownerOf(context), id ?? '', item ?? ''));
	});
}
