/**
 * The host of the chat page in a browser: the same session as in the editor, with the daemon's HTTP
 * interface behind it and the browser's own storage for chats.
 */

import {
	AppError,
	ChatSession,
	choosableChatModels,
	type HostMessage,
	type PageMessage,
	toMarkdown,
	usualChatModel,
} from '../server/protocol/index.ts';
import type { Bridge } from './bridge.ts';
import { inPageLanguage } from './errorText.ts';
import { ownStores } from './ownStore.ts';
import { chatStrings } from './protocol.ts';
import { answerInStudio } from './studioAnswer.ts';
import type { StudioApi } from './studioApi.ts';
import { firstChat, keepChat, offerDeleted, showChat, storedChat } from './studioChats.ts';
import { translated } from './studioText.ts';

/** Name of the stored choice of a chat model. */
export const modelName = 'model';
const draftName = 'draft';

/** The way from the list of chats to the chat that is shown. */
export interface ChatSwitch {
	/** Shows another chat; one that is gone leaves the page as it is. */
	open(id: string): Promise<boolean>;
	/** Begins a new one; what was shown stays in the list. */
	create(): void;
	/** The shown chat as Markdown; `undefined` while it is empty. */
	markdown(): { title: string; markdown: string } | undefined;
}

/**
 * A bridge whose other end is this page itself.
 * @param wanted id of the chat to begin with, as the address names it
 */
export function studioBridge(
	api: StudioApi,
	wanted: string,
): { readonly bridge: Bridge; readonly chats: ChatSwitch } {
	const { browser, tab } = ownStores();
	const listeners: ((message: HostMessage) => void)[] = [];
	const post = (message: HostMessage) => {
		for (const listener of listeners) listener(message);
	};
	const session = new ChatSession(
		{
			localised: inPageLanguage,
			complete: (params, onDelta, signal) => answerInStudio(api, params, onDelta, signal),
			save: async (conversation) => {
				const kept = await keepChat(conversation);
				if (kept !== 'deleted') session.join(kept);
				else if (session.conversation.id === conversation.id) {
					offerDeleted(session.state.conversation);
					session.reset('');
					postState();
				}
			},
			post,
			id: () => crypto.randomUUID(),
			now: () => new Date(),
		},
		{ model: browser.get(modelName) ?? '', system: '' },
	);
	const postState = () => {
		showChat(session.conversation.id);
		post({
			type: 'state',
			state: { ...session.state, capabilities: { editor: false } },
			strings: translated(chatStrings),
		});
	};
	session.onState = postState;
	const handle = async (message: PageMessage): Promise<void> => {
		switch (message.type) {
			case 'ready': {
				const saved = await firstChat(wanted);
				if (saved && session.conversation.leaf === null) session.open(saved);
				postState();
				const models = await api.models();
				session.models = choosableChatModels(models);
				// One that has been removed since would answer nothing.
				if (!session.state.models.some(({ id }) => id === session.state.model)) session.model = '';
				return postState();
			}
			case 'ask':
				return session.send(message.text);
			case 'edit':
				return session.edit(message.id, message.text);
			case 'regenerate':
				return session.regenerate(message.id, message.model);
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
				const { model = usualChatModel(session.state.models)?.id, ...prompt } = session.preview(
					message.text,
				);
				if (model === undefined) return;
				const tokens = await api.countTokens({ ...prompt, model });
				const limit = session.state.models.find(({ id }) => id === model)?.contextLength ?? null;
				return post({ type: 'tokens', tokens, limit });
			}
			case 'dropImage':
				session.attach({ label: message.name, language: '', text: '', image: message.base64 });
				return postState();
			case 'detach':
				session.detach(message.index);
				return postState();
			case 'copy':
				return navigator.clipboard.writeText(message.text);
			case 'link':
				if (/^https?:/i.test(message.href)) window.open(message.href, '_blank', 'noopener');
				return;
			case 'models':
				session.models = choosableChatModels(await api.models());
				return postState();
			case 'apply':
			case 'tools':
			case 'attach':
			case 'dictate':
			case 'agent':
			case 'allowances':
			case 'approve':
			case 'changes':
			case 'restore':
			case 'mentions':
			case 'mention':
			case 'context':
			case 'dropFiles':
			case 'dropText':
			case 'openFile':
			case 'terminal':
			case 'betterModel':
			case 'insert':
			case 'replace':
			case 'newFile':
				throw new AppError('not_supported', 'There is no editor behind this page.');
		}
	};
	const bridge: Bridge = {
		send: (message) => {
			handle(message).catch((error: unknown) => console.error(error));
		},
		onMessage: (listener) => listeners.push(listener),
		load: () => tab.get(draftName) ?? '',
		store: (draft) => tab.set(draftName, String(draft)),
	};
	const chats: ChatSwitch = {
		open: async (id) => {
			if (id === session.conversation.id) return true;
			const conversation = await storedChat(id);
			if (conversation) session.open(conversation);
			postState();
			return conversation !== undefined;
		},
		create: () => {
			if (session.conversation.leaf !== null) session.reset('');
			postState();
			post({ type: 'focus' });
		},
		markdown: () => {
			const { conversation } = session;
			if (conversation.leaf === null) return undefined;
			return { title: conversation.title, markdown: toMarkdown(conversation) };
		},
	};
	return { bridge, chats };
}
