/** The editor that had the focus before a view took it. */

import * as vscode from 'vscode';

let last: vscode.TextEditor | undefined;

/** Remembers editors as they become active. */
export function trackTextEditors(): vscode.Disposable {
	last = vscode.window.activeTextEditor;
	return vscode.window.onDidChangeActiveTextEditor((editor) => {
		if (editor) last = editor;
	});
}

/** The active text editor, or the last one that is still visible. */
export function lastTextEditor(): vscode.TextEditor | undefined {
	const active = vscode.window.activeTextEditor;
	if (active) return active;
	const { visibleTextEditors } = vscode.window;
	return last && visibleTextEditors.includes(last) ? last : visibleTextEditors[0];
}
