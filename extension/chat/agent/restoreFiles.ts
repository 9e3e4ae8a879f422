/** Puts files back as they were before the agent changed them. */

import * as vscode from 'vscode';
import type { FileToRestore } from './turnChanges.ts';

/** Resolves with the files that are as they were; those a person keeps are left out. */
export async function restoreFiles(files: readonly FileToRestore[]): Promise<string[]> {
	const touched: FileToRestore[] = [];
	for (const file of files) if ((await textOf(file.uri)) !== file.after) touched.push(file);
	const skipped = new Set(
		touched.length > 0 && !(await mayOverwrite(touched)) ? touched.map(({ uri }) => uri) : [],
	);
	const restored: string[] = [];
	for (const file of files) {
		if (skipped.has(file.uri)) continue;
		await restore(file);
		restored.push(file.uri);
	}
	return restored;
}

async function restore({ uri: address, before }: FileToRestore): Promise<void> {
	const uri = vscode.Uri.parse(address, true);
	const edit = new vscode.WorkspaceEdit();
	const now = await textOf(address);
	if (before === null) {
		if (now !== undefined) await vscode.workspace.fs.delete(uri, { useTrash: true });
		return;
	}
	if (now === undefined) edit.createFile(uri, { contents: new TextEncoder().encode(before) });
	else {
		const document = await vscode.workspace.openTextDocument(uri);
		const end = document.lineAt(document.lineCount - 1).range.end;
		edit.replace(uri, new vscode.Range(new vscode.Position(0, 0), end), before);
	}
	await vscode.workspace.applyEdit(edit);
	await (await vscode.workspace.openTextDocument(uri)).save();
}

/** The text of a file as the editor has it; `undefined` without one. */
async function textOf(address: string): Promise<string | undefined> {
	try {
		return (await vscode.workspace.openTextDocument(vscode.Uri.parse(address, true))).getText();
	} catch {
		return undefined;
	}
}

/** Whoever has changed a file since would lose that. */
async function mayOverwrite(files: readonly FileToRestore[]): Promise<boolean> {
	const names = files.map(({ uri }) =>
		vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true)),
	);
	const overwrite = vscode.l10n.t('Undo Anyway');
	const chosen = await vscode.window.showWarningMessage(
		vscode.l10n.t('Changed since the model changed them: {0}', names.join(', ')),
		{ modal: true, detail: vscode.l10n.t('What was written there since would be lost.') },
		overwrite,
	);
	return chosen === overwrite;
}
