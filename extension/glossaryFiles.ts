/** Glossaries of folders whose files the server cannot read itself, such as virtual workspaces. */

import * as vscode from 'vscode';
import { defined } from '../server/protocol/defined.ts';
import type { LanguageServerClient } from './languageServerClient.ts';

/** The glossary of a workspace folder. */
export function glossaryFile(folder: vscode.WorkspaceFolder): vscode.Uri {
	return vscode.Uri.joinPath(folder.uri, '.nearglot', 'glossary.tsv');
}

/** Hands such glossaries to the server once it runs, and again when they change. */
export function shareGlossaries(
	languageServer: LanguageServerClient,
	log: vscode.LogOutputChannel,
): vscode.Disposable {
	const watched: vscode.Disposable[] = [];
	const send = async (folder: vscode.WorkspaceFolder) => {
		const bytes = await vscode.workspace.fs.readFile(glossaryFile(folder)).then(
			(found) => found,
			() => undefined,
		);
		const text = bytes && new TextDecoder().decode(bytes);
		await languageServer.request('nearglot/glossary/text', {
			folder: folder.uri.toString(),
			...defined({ text }),
		});
	};
	const share = () => {
		for (const old of watched.splice(0)) old.dispose();
		for (const folder of vscode.workspace.workspaceFolders ?? []) {
			if (folder.uri.scheme === 'file') continue;
			const notify = () => {
				send(folder).catch((error: Error) => log.warn(`glossary: ${error.message}`));
			};
			const pattern = new vscode.RelativePattern(folder, '.nearglot/glossary.tsv');
			const watcher = vscode.workspace.createFileSystemWatcher(pattern);
			watched.push(
				watcher,
				watcher.onDidChange(notify),
				watcher.onDidCreate(notify),
				watcher.onDidDelete(notify),
			);
			notify();
		}
	};
	let wasRunning = false;
	const listening = vscode.Disposable.from(
		languageServer.onHealth(({ server }) => {
			// A server that started anew knows nothing of them.
			if (server === 'running' && !wasRunning) share();
			wasRunning = server === 'running';
		}),
		vscode.workspace.onDidChangeWorkspaceFolders(() => {
			if (wasRunning) share();
		}),
	);
	return new vscode.Disposable(() => {
		listening.dispose();
		for (const old of watched) old.dispose();
	});
}
