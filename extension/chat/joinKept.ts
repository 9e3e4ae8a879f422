/** What other windows do to the chat that a page shows. */

import * as vscode from 'vscode';
import type { ChatSession, Conversation } from '../../server/protocol/index.ts';
import type { ChatStore } from './chatStore.ts';

/** A page that shows a chat. */
interface ChatPage {
	readonly session: ChatSession;
	/** Shows an empty chat. */
	clear(): void;
	openChat(id: string): Promise<void>;
}

/**
 * Takes in what another window has added to a chat. One that was deleted there is left, unless the person wants to
 * keep it with what was said in it here.
 */
export function joinKept(
	page: ChatPage,
	store: ChatStore,
	id: string,
	kept: Conversation | 'deleted' | undefined,
): void {
	if (kept !== 'deleted') {
		page.session.join(kept);
		return;
	}
	const { conversation } = page.session.state;
	if (conversation.id !== id) return;
	page.clear();
	void offerAgain(page, store, conversation);
}

async function offerAgain(
	page: ChatPage,
	store: ChatStore,
	conversation: Conversation,
): Promise<void> {
	const keep = vscode.l10n.t('Keep It');
	const chosen = await vscode.window.showInformationMessage(
		vscode.l10n.t('“{0}” was deleted in another window.', conversation.title),
		keep,
	);
	if (chosen !== keep) return;
	await store.restore(conversation);
	await page.openChat(conversation.id);
}
