/** Commands around chats: attach, find an old one, export, open in a tab. */

import * as vscode from 'vscode';
import { AppError, toMarkdown } from '../../server/protocol/index.ts';
import { selectionAttachment } from './attachSelection.ts';
import type { ChatPageController } from './chatPageController.ts';
import { showChatView } from './chatSideView.ts';
import type { ChatStore } from './chatStore.ts';
import { chooseAttachment } from './chooseAttachment.ts';

/** Attaches the selection at once, or lets the user choose what to attach. */
export async function attachToChat(chat: ChatPageController, choose: boolean): Promise<void> {
	if (choose) return chooseAttachment(chat);
	chat.attach(selectionAttachment());
	return showChatView(chat);
}

/** A searchable list of all chats; each can be deleted from it. */
export async function findChat(chat: ChatPageController, store: ChatStore): Promise<void> {
	const pick = vscode.window.createQuickPick<vscode.QuickPickItem & { id: string; text: string }>();
	const remove = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Delete') };
	let drawing = 0;
	const draw = async () => {
		const turn = ++drawing;
		const query = pick.value.toLowerCase();
		const chats = await store.list();
		// A list that was asked for later knows better.
		if (turn !== drawing) return;
		pick.items = chats
			.filter(({ text, title }) => text.includes(query) || title.toLowerCase().includes(query))
			.map(({ id, title, updatedAt, text }) => ({
				id,
				text,
				label: title || vscode.l10n.t('New chat'),
				description: new Date(updatedAt).toLocaleString(vscode.env.language),
				buttons: [remove],
				// The list holds what was found in the words of a chat, not only in its title.
				alwaysShow: true,
			}));
	};
	pick.placeholder = vscode.l10n.t('Search all chats');
	// When several chats are deleted, the next one is where the last one was.
	pick.keepScrollPosition = true;
	pick.onDidChangeValue(draw);
	pick.onDidTriggerItemButton(async ({ item }) => {
		await store.remove(item.id);
		// The list would close if the chat took the focus.
		if (chat.session.conversation.id === item.id) chat.clear();
		await draw();
	});
	pick.onDidHide(() => pick.dispose());
	pick.onDidAccept(async () => {
		const id = pick.selectedItems[0]?.id;
		pick.hide();
		if (id === undefined) return;
		await chat.openChat(id);
		await showChatView(chat);
	});
	await draw();
	pick.show();
}

/** The shown chat as an unsaved Markdown document. */
export async function exportChat(chat: ChatPageController): Promise<void> {
	const { conversation } = chat.session;
	if (conversation.leaf === null) {
		throw new AppError('invalid_request', vscode.l10n.t('This chat is still empty.'));
	}
	const content = toMarkdown(conversation);
	const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
	await vscode.window.showTextDocument(document);
}

/** A chat of its own in an editor tab; it ends with the tab and stays in the list of chats. */
export function openChatTab(extensionUri: vscode.Uri, makePage: () => ChatPageController): void {
	const panel = vscode.window.createWebviewPanel(
		'nearglot.chatTab',
		vscode.l10n.t('Nearglot Chat'),
		vscode.ViewColumn.Active,
	);
	panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
	const page = makePage();
	page.bind(panel.webview);
	panel.onDidDispose(() => {
		page.session.stop();
		page.unbind();
	});
}
