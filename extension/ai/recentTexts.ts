/** The texts that were looked at lately: what is written now often looks like them. */

import * as vscode from 'vscode';
import { mayHoldSecrets } from '../secretFiles.ts';
import type { OtherText } from './completionContext.ts';

/** Texts that are remembered. */
const maxTexts = 8;

/** Follows the editors of a window. */
export class RecentTexts implements vscode.Disposable {
	#recent: vscode.TextDocument[] = [];
	readonly #listening = vscode.Disposable.from(
		vscode.window.onDidChangeActiveTextEditor((editor) => {
			if (editor) this.#add(editor.document);
		}),
		vscode.workspace.onDidCloseTextDocument((document) => {
			this.#recent = this.#recent.filter((one) => one !== document);
		}),
	);

	constructor() {
		for (const { document } of vscode.window.visibleTextEditors) this.#add(document);
	}

	/** Others in the language of a document, the last one first. */
	besides(document: vscode.TextDocument): OtherText[] {
		return this.#recent
			.filter((one) => one !== document && one.languageId === document.languageId)
			.map((one) => ({ path: vscode.workspace.asRelativePath(one.uri), text: one.getText() }));
	}

	dispose(): void {
		this.#listening.dispose();
	}

	#add(document: vscode.TextDocument): void {
		const { scheme, path } = document.uri;
		if (!['file', 'untitled', 'vscode-remote', 'vscode-vfs'].includes(scheme)) return;
		if (mayHoldSecrets(path.split('/'))) return;
		const others = this.#recent.filter((one) => one !== document);
		this.#recent = [document, ...others].slice(0, maxTexts);
	}
}
