/** The chat in the side bar. VS Code makes and drops its webview as the view is shown and hidden. */

import * as vscode from 'vscode';
import { ChatPageController, type ChatPageControllerDeps } from './chatPageController.ts';

const viewId = 'nearglot.chat';

/** Registers the view and returns its page. */
export function createChatView(
	context: vscode.ExtensionContext,
	deps: Omit<ChatPageControllerDeps, 'remembered' | 'extensionUri'>,
): { readonly page: ChatPageController; readonly disposable: vscode.Disposable } {
	const page = new ChatPageController({
		...deps,
		extensionUri: context.extensionUri,
		remembered: true,
	});
	let restored = false;
	const provider: vscode.WebviewViewProvider = {
		resolveWebviewView: async (view) => {
			view.onDidDispose(() => page.unbind());
			if (!restored) await page.restore();
			restored = true;
			page.bind(view.webview);
		},
	};
	return { page, disposable: vscode.window.registerWebviewViewProvider(viewId, provider) };
}

/** Shows the view and puts the cursor into its input. */
export async function showChatView(page: ChatPageController): Promise<void> {
	await vscode.commands.executeCommand(`${viewId}.focus`);
	page.focus();
}
