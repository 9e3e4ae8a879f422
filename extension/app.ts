/** The composition root: everything that lives as long as the window does is made here. */

import * as vscode from 'vscode';
import type { ChatPage } from './chat/chatPage.ts';
import { ChatStore } from './chat/chatStore.ts';
import { createChatView } from './chat/chatView.ts';
import { trackTextEditors } from './chat/lastTextEditor.ts';
import { registerCommands } from './commands.ts';
import { Front } from './front.ts';
import { syncedSchemes } from './schemes.ts';
import { createStatusItem } from './statusItem.ts';
import { warmUp } from './warmUp.ts';

export interface Extension {
	readonly context: vscode.ExtensionContext;
	readonly log: vscode.LogOutputChannel;
	readonly front: Front;
	readonly chat: ChatPage;
}

/**
 * Wires the extension together. `loadClient` loads the bundle with the language client, which costs
 * more than all the rest and so comes last.
 */
export function createExtension(
	context: vscode.ExtensionContext,
	loadClient: () => typeof import('./client.ts'),
): Extension {
	const log = vscode.window.createOutputChannel('Nearglot', { log: true });
	const front = new Front({
		startClient: (options) => loadClient().startClient(options),
		options: {
			serverModule: vscode.Uri.joinPath(context.extensionUri, 'dist', 'server.cjs').fsPath,
			log,
			schemes: syncedSchemes,
			initializationOptions: JSON.parse(
				JSON.stringify(vscode.workspace.getConfiguration('nearglot')),
			),
		},
	});
	const store = new ChatStore(
		vscode.Uri.joinPath(context.globalStorageUri, 'chats'),
		context.storageUri ?? context.globalStorageUri,
	);
	const { page: chat, disposable: chatView } = createChatView(context, { front, store });
	const extension: Extension = { context, log, front, chat };
	context.subscriptions.push(
		log,
		createStatusItem(front),
		chatView,
		trackTextEditors(),
		registerCommands(extension),
		warmUp(front, log),
	);
	return extension;
}
