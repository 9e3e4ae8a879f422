/** Puts files back as they were before the agent changed them. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../../server/protocol/index.ts';
import { fileOnDisk, isLinked, isNotFound } from './linkedFiles.ts';
import { plainLines } from './textEdit.ts';
import { type FileNow, type FileToRestore, undoStep } from './turnChanges.ts';

/**
 * Resolves with the files that are as they were: those that a person keeps, and those that cannot be written, are not
 * among them. What could not be written is told.
 */
export async function restoreFiles(files: readonly FileToRestore[]): Promise<string[]> {
	const steps = await Promise.all(
		files.map(async (file) => ({ file, step: undoStep(file, await fileNow(file.uri)) })),
	);
	const asked = steps.filter(({ step }) => step === 'ask').map(({ file }) => file);
	const skipped = asked.length > 0 && !(await mayOverwrite(asked)) ? asked : [];
	const restored: string[] = [];
	const failed: string[] = [];
	for (const { file, step } of steps) {
		if (skipped.includes(file)) continue;
		const isDone = step === 'none' || (await restore(file).catch(() => false));
		(isDone ? restored : failed).push(file.uri);
	}
	if (failed.length > 0)
		void vscode.window.showWarningMessage(
			vscode.l10n.t('Could not be undone: {0}', failed.map(nameOf).join(', ')),
		);
	return restored;
}

/** Whether the file is as it was, on the disk. */
async function restore({ uri: address, before }: FileToRestore): Promise<boolean> {
	const uri = vscode.Uri.parse(address, true);
	if (before === null) return remove(uri);
	// It was none when the agent changed it.
	if (await isLinked(uri)) return false;
	const edit = new vscode.WorkspaceEdit();
	if ((await textOf(address)) === undefined)
		edit.createFile(uri, { contents: new TextEncoder().encode(before) });
	else {
		const document = await vscode.workspace.openTextDocument(uri);
		const end = document.lineAt(document.lineCount - 1).range.end;
		edit.replace(uri, new vscode.Range(new vscode.Position(0, 0), end), before);
	}
	if (!(await vscode.workspace.applyEdit(edit))) return false;
	const document = await vscode.workspace.openTextDocument(uri);
	await document.save();
	return !document.isDirty;
}

/** Into the trash, where there is one. */
async function remove(uri: vscode.Uri): Promise<boolean> {
	for (const useTrash of [true, false])
		try {
			await vscode.workspace.fs.delete(uri, { useTrash });
			return true;
		} catch (error) {
			if (isNotFound(error)) return true;
		}
	return false;
}

/** A file as it is: an editor may have what is not saved, or not yet what a program has just written. */
async function fileNow(address: string): Promise<FileNow> {
	const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === address);
	if (open?.isDirty) return { text: open.getText(), isSaved: false };
	const uri = vscode.Uri.parse(address, true);
	const onDisk = await fileOnDisk(uri).catch(() => ({ text: undefined }));
	if (onDisk === undefined) return { text: null, isSaved: true };
	const text = await textOf(address);
	const { text: stored = text } = onDisk;
	const isBehind =
		text !== undefined && stored !== undefined && plainLines(stored) !== plainLines(text);
	return { text: isBehind ? stored : text, isSaved: true };
}

/** The text of a file as the editor has it; `undefined` without one. */
async function textOf(address: string): Promise<string | undefined> {
	try {
		return (await vscode.workspace.openTextDocument(vscode.Uri.parse(address, true))).getText();
	} catch {
		return undefined;
	}
}

const nameOf = (address: string): string =>
	vscode.workspace.asRelativePath(vscode.Uri.parse(address, true));

/** Whoever has changed a file since would lose that. */
async function mayOverwrite(files: readonly FileToRestore[]): Promise<boolean> {
	const names = files.map(({ uri }) => nameOf(uri));
	const overwrite = vscode.l10n.t('Undo Anyway');
	const chosen = await vscode.window.showWarningMessage(
		vscode.l10n.t('Changed since the model changed them: {0}', names.join(', ')),
		{ modal: true, detail: vscode.l10n.t('What was written there since would be lost.') },
		overwrite,
	);
	return chosen === overwrite;
}

/** While an answer is written, its tools may change the files. */
export function refuseWhileAnswering(answering: string | null): void {
	if (answering !== null)
		throw inReadersLanguage(
			'conflict',
			vscode.l10n.t('The answer is still being written. Wait for it, or stop it.'),
		);
}
