/**
 * The host of the chat page in a browser: the same session as in the editor, with the daemon's HTTP
 * interface behind it and the browser's own storage for chats.
 */

import {
	AppError,
	type ChatDelta,
	type ChatEnd,
	type ChatParams,
	ChatSession,
	type Conversation,
	type HostMessage,
	type PageMessage,
	readAnswer,
	readyChatModels,
	toMarkdown,
} from '../server/protocol/index.ts';
import { chatCompletions } from '../server/protocol/routeAddresses.ts';
import type { Bridge } from './bridge.ts';
import { ownStores } from './ownStore.ts';
import { chatStrings } from './protocol.ts';
import type { StudioApi } from './studioApi.ts';
import { translated } from './studioText.ts';

const chatName = 'chat';
const modelName = 'model';
const draftName = 'draft';

/** A bridge whose other end is this page itself. */
export function studioBridge(api: StudioApi): Bridge {
	const { browser, tab } = ownStores();
	const listeners: ((message: HostMessage) => void)[] = [];
	const post = (message: HostMessage) => {
		for (const listener of listeners) listener(message);
	};
	const session = new ChatSession(
		{
			complete: (params, onDelta, signal) => complete(api, params, onDelta, signal),
			save: async (conversation) => browser.set(chatName, JSON.stringify(conversation)),
			post,
			id: () => crypto.randomUUID(),
			now: () => new Date(),
		},
		{ model: browser.get(modelName) ?? '', system: '' },
	);
	const postState = () =>
		post({
			type: 'state',
			state: { ...session.state, capabilities: { editor: false } },
			strings: translated(chatStrings),
		});
	session.onState = postState;
	const saved = savedConversation();
	if (saved) session.open(saved);
	const handle = async (message: PageMessage): Promise<void> => {
		switch (message.type) {
			case 'ready': {
				postState();
				const models = await api.models();
				session.models = readyChatModels(models);
				// One that has been removed since would answer nothing.
				if (!session.state.models.some(({ id }) => id === session.state.model)) session.model = '';
				return postState();
			}
			case 'ask':
				return session.send(message.text);
			case 'edit':
				return session.edit(message.id, message.text);
			case 'regenerate':
				return session.regenerate(message.id);
			case 'stop':
				return session.stop();
			case 'show':
				session.show(message.id);
				return postState();
			case 'model':
				session.model = message.model;
				browser.set(modelName, message.model);
				return postState();
			case 'count': {
				const { model = session.state.models[0]?.id, ...prompt } = session.preview(message.text);
				if (model === undefined) return;
				const tokens = await api.countTokens({ ...prompt, model });
				const limit = session.state.models.find(({ id }) => id === model)?.contextLength ?? null;
				return post({ type: 'tokens', tokens, limit });
			}
			case 'copy':
				return navigator.clipboard.writeText(message.text);
			case 'link':
				if (/^https?:/i.test(message.href)) window.open(message.href, '_blank', 'noopener');
				return;
			case 'models':
				session.models = readyChatModels(await api.models());
				return postState();
			case 'apply':
			case 'tools':
			case 'attach':
			case 'detach':
			case 'insert':
			case 'replace':
			case 'newFile':
				throw new AppError('not_supported', 'There is no editor behind this page.');
		}
	};
	return {
		send: (message) => {
			handle(message).catch((error: unknown) => console.error(error));
		},
		onMessage: (listener) => listeners.push(listener),
		load: () => tab.get(draftName) ?? '',
		store: (draft) => tab.set(draftName, String(draft)),
	};
}

/** The shown chat as Markdown; `undefined` while there is none. */
export function savedMarkdown(): { title: string; markdown: string } | undefined {
	const chat = savedConversation();
	return chat?.leaf ? { title: chat.title, markdown: toMarkdown(chat) } : undefined;
}

/** Forgets the shown chat. */
export function forgetChat(): void {
	ownStores().browser.remove(chatName);
}

function savedConversation(): Conversation | undefined {
	try {
		const value: unknown = JSON.parse(ownStores().browser.get(chatName) ?? 'null');
		const chat = value as Partial<Conversation> | null;
		return chat && Array.isArray(chat.turns) && typeof chat.id === 'string'
			? (chat as Conversation)
			: undefined;
	} catch {
		return undefined;
	}
}

async function complete(
	api: StudioApi,
	params: ChatParams,
	onDelta: (delta: ChatDelta) => void,
	signal: AbortSignal,
): Promise<ChatEnd> {
	onDelta({ progress: { phase: 'connecting' } });
	const body = {
		...params,
		stream: true,
		stream_options: { include_usage: true },
		return_progress: true,
	};
	const response = await api.client.open(chatCompletions, { body }, { signal });
	return readAnswer(response, { model: params.model ?? '', onDelta, signal });
}
