/** Starts the server ahead of need: when the first text is open, so that code actions are there. */

import * as vscode from 'vscode';
import type { LanguageServerClient } from './languageServerClient.ts';
import { syncedSchemes } from './schemes.ts';

/** Milliseconds after which the window has settled. */
const settleMs = 1500;

/** Waits for a text editor; does nothing more once the server was started. */
export function warmUp(
	languageServer: LanguageServerClient,
	log: vscode.LogOutputChannel,
): vscode.Disposable {
	let timer: NodeJS.Timeout | undefined;
	const consider = (editor: vscode.TextEditor | undefined) => {
		const { scheme } = editor?.document.uri ?? {};
		if (timer || !syncedSchemes.some((synced) => synced === scheme)) return;
		timer = setTimeout(() => {
			languageServer
				.start()
				.catch((error: Error) => log.error(`could not start: ${error.message}`));
		}, settleMs);
	};
	const listening = vscode.window.onDidChangeActiveTextEditor(consider);
	consider(vscode.window.activeTextEditor);
	return new vscode.Disposable(() => {
		clearTimeout(timer);
		listening.dispose();
	});
}
