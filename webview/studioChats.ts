/** The list of chats of the studio page, and what can be done with them. */

import { signal } from '@preact/signals';
import type { Conversation } from '../server/protocol/index.ts';
import { mergeConversations } from '../server/protocol/mergeConversations.ts';
import { ChatShelf, type ShelvedChat } from './chatShelf.ts';
import { ownStores } from './ownStore.ts';
import { personId } from './signedInPerson.ts';

const currentName = 'chat id';
/** Where the one chat lay that an earlier version kept. */
const formerName = 'chat';

export const chats = signal<readonly ShelvedChat[]>([]);
/** Id of the chat that is shown. */
export const shownChat = signal('');
/** The chat that was deleted last, while that can be taken back. */
export const deletedChat = signal<ShelvedChat | undefined>(undefined);

let opening: Promise<ChatShelf> | undefined;
const shelf = (): Promise<ChatShelf> => {
	opening ??= ChatShelf.open().then(async (opened) => {
		await adopt(opened);
		return opened;
	});
	return opening;
};

/** Takes over the chat of an earlier version, once. */
async function adopt(opened: ChatShelf): Promise<void> {
	const { browser } = ownStores();
	const former = browser.get(formerName);
	if (former === undefined) return;
	try {
		const chat = JSON.parse(former) as Partial<Conversation> | null;
		if (chat && Array.isArray(chat.turns) && typeof chat.id === 'string')
			await opened.save(chat as Conversation);
	} catch {
		// What cannot be read is no chat.
	}
	browser.remove(formerName);
}

async function refresh(): Promise<void> {
	chats.value = await (await shelf()).list();
}

/** Reads the list; gives the chat to begin with: this tab's own, if it still is there. */
export async function firstChat(wanted: string): Promise<Conversation | undefined> {
	await refresh();
	const id = wanted || ownStores().tab.get(currentName);
	// A tab that shows none yet goes on with the newest, as long as there is just one place to look.
	const found = chats.value.find((chat) => chat.id === id);
	return found?.conversation;
}

/** Notes which chat this tab shows. */
export function showChat(id: string): void {
	shownChat.value = id;
	ownStores().tab.set(currentName, id);
}

/** Keeps a chat; resolves with it and with what another tab has added to it, `deleted` where one has deleted it. */
export async function keepChat(conversation: Conversation): Promise<Conversation | 'deleted'> {
	const kept = await (await shelf()).save(conversation);
	await refresh();
	return kept;
}

/** Another tab has deleted a chat that was gone on with here: it can be taken back with all that was said. */
export function offerDeleted(conversation: Conversation): void {
	deletedChat.value = { id: conversation.id, person: personId(), conversation };
}

export async function storedChat(id: string): Promise<Conversation | undefined> {
	return (await (await shelf()).get(id))?.conversation;
}

/** What a chat is called: by its reader, else by its first question. */
export const titleOf = ({ title, conversation }: ShelvedChat): string =>
	title ?? conversation.title;

export async function changeChat(
	chat: ShelvedChat,
	change: Pick<ShelvedChat, 'title' | 'pinned'>,
): Promise<void> {
	const opened = await shelf();
	const now = await opened.get(chat.id);
	// Another tab may have deleted it.
	if (now) await opened.put({ ...now, ...change });
	await refresh();
}

/** Deletes a chat; {@link restoreChat} takes that back. */
export async function deleteChat(chat: ShelvedChat): Promise<void> {
	const opened = await shelf();
	// With what other tabs have added since the list was made.
	const kept = (await opened.get(chat.id)) ?? chat;
	await opened.remove(chat.id);
	deletedChat.value = kept;
	await refresh();
}

export async function restoreChat(): Promise<void> {
	const chat = deletedChat.value;
	if (!chat) return;
	const opened = await shelf();
	const now = await opened.get(chat.id);
	const { conversation } = chat;
	// Another tab may have kept it before, and gone on.
	await opened.put(
		now ? { ...now, conversation: mergeConversations(conversation, now.conversation) } : chat,
	);
	deletedChat.value = undefined;
	await refresh();
}
