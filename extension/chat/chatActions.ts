/** Commands around chats: attach, find an old one, export, open in a tab. */

import * as vscode from 'vscode';
import { inReadersLanguage, toMarkdown } from '../../server/protocol/index.ts';
import { selectionAttachment } from './attachSelection.ts';
import { type ChatGroup, chatGroups, excerpt, timeAgo } from './chatListRows.ts';
import type { ChatPageController } from './chatPageController.ts';
import { showChatView } from './chatSideView.ts';
import type { ChatStore, ChatSummary } from './chatStore.ts';
import { chooseAttachment } from './chooseAttachment.ts';

/** Attaches the selection at once, or lets the user choose what to attach. */
export async function attachToChat(chat: ChatPageController, choose: boolean): Promise<void> {
	if (choose) return chooseAttachment(chat);
	chat.attach(selectionAttachment());
	return showChatView(chat);
}

type ChatRow = vscode.QuickPickItem & { readonly chat?: ChatSummary };

/** A searchable list of all chats, by day; each can be pinned, renamed and deleted from it. */
export async function findChat(chat: ChatPageController, store: ChatStore): Promise<void> {
	const pick = vscode.window.createQuickPick<ChatRow>();
	const remove = button('trash', vscode.l10n.t('Delete'));
	const rename = button('edit', vscode.l10n.t('Rename'));
	const pin = button('pin', vscode.l10n.t('Pin'));
	const unpin = button('pinned', vscode.l10n.t('Unpin'));
	let drawing = 0;
	const draw = async () => {
		const turn = ++drawing;
		const chats = await store.list();
		// A list that was asked for later knows better.
		if (turn !== drawing) return;
		const now = new Date();
		pick.items = chatGroups(chats, pick.value, now).flatMap(([group, members]): ChatRow[] => [
			{ label: groupLabel(group), kind: vscode.QuickPickItemKind.Separator },
			...members.map((member) => ({
				chat: member,
				label: member.title || vscode.l10n.t('New chat'),
				description: [timeAgo(member.updatedAt, now, vscode.env.language), member.model ?? '']
					.filter((part) => part !== '')
					.join(' · '),
				detail: excerpt(member.text, pick.value),
				buttons: [member.pinned ? unpin : pin, rename, remove],
				// The list holds what was found in the words of a chat, not only in its title.
				alwaysShow: true,
			})),
		]);
	};
	const relabel = async ({ id, title, pinned }: ChatSummary) => {
		await store.relabel(id, { title, pinned });
		chat.relabel(id, { title, pinned });
	};
	pick.placeholder = vscode.l10n.t('Search all chats');
	// When several chats are deleted, the next one is where the last one was.
	pick.keepScrollPosition = true;
	pick.onDidChangeValue(draw);
	let isAsking = false;
	pick.onDidTriggerItemButton(async ({ item, button: pressed }) => {
		if (!item.chat) return;
		const { id, title, pinned } = item.chat;
		if (pressed === rename) {
			isAsking = true;
			const name = await vscode.window.showInputBox({ value: title });
			isAsking = false;
			if (name !== undefined && name.trim() !== '')
				await relabel({ ...item.chat, title: name.trim().slice(0, 200) });
			await draw();
			return pick.show();
		}
		if (pressed === remove) {
			await store.remove(id);
			// The list would close if the chat took the focus.
			if (chat.session.conversation.id === id) chat.clear();
		} else await relabel({ ...item.chat, pinned: !pinned });
		await draw();
	});
	pick.onDidHide(() => {
		if (!isAsking) pick.dispose();
	});
	pick.onDidAccept(async () => {
		const id = pick.selectedItems[0]?.chat?.id;
		pick.hide();
		if (id === undefined) return;
		await chat.openChat(id);
		await showChatView(chat);
	});
	await draw();
	pick.show();
}

const button = (icon: string, tooltip: string): vscode.QuickInputButton => ({
	iconPath: new vscode.ThemeIcon(icon),
	tooltip,
});

function groupLabel(group: ChatGroup): string {
	switch (group) {
		case 'pinned':
			return vscode.l10n.t('Pinned');
		case 'today':
			return vscode.l10n.t('Today');
		case 'yesterday':
			return vscode.l10n.t('Yesterday');
		case 'thisWeek':
			return vscode.l10n.t('This week');
		case 'earlier':
			return vscode.l10n.t('Earlier');
	}
}

/** The shown chat as an unsaved Markdown document. */
export async function exportChat(chat: ChatPageController): Promise<void> {
	const { conversation } = chat.session;
	if (conversation.leaf === null) {
		throw inReadersLanguage('invalid_request', vscode.l10n.t('This chat is still empty.'));
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
