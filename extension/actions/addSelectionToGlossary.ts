/** *Add to Glossary*: the selected term and its translation, into the file of the workspace. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import { glossaryFile } from '../glossaryFiles.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { languageLabel, pickLanguages, targetLanguage } from '../targetLanguage.ts';

/** Asks for what is not known, adds the row as an unsaved change and shows it. */
export async function addSelectionToGlossary(languageServer: LanguageServerClient): Promise<void> {
	const editor = vscode.window.activeTextEditor;
	const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
	if (!editor || !folder)
		throw inReadersLanguage(
			'invalid_request',
			vscode.l10n.t('Open a file of the workspace and select a term first.'),
		);
	const { document, selection } = editor;
	const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
	const selected = range ? document.getText(range).replace(/\s+/g, ' ').trim() : '';
	const source = await vscode.window.showInputBox({
		title: vscode.l10n.t('Add to Glossary'),
		prompt: vscode.l10n.t('The term as it stands in the source'),
		value: selected,
		validateInput: check,
	});
	if (source === undefined) return;
	const to = await targetLanguage(languageServer, document);
	if (to === undefined) return;
	const { items } = await languageServer.request('nearglot/translate', { texts: [source], to });
	const proposal = items[0];
	const from = await sourceLanguage(languageServer, proposal?.detectedLanguage, to);
	if (from === undefined) return;
	const target = await vscode.window.showInputBox({
		title: vscode.l10n.t('Add to Glossary'),
		prompt: vscode.l10n.t('“{0}” in {1}', source, languageLabel(to)),
		value: proposal?.text ?? '',
		validateInput: check,
	});
	if (target === undefined) return;
	const uri = glossaryFile(folder);
	const before = await textOf(uri);
	const params = { text: before ?? '', source, target, from, to };
	const { text } = await languageServer.request('nearglot/glossary/add', params);
	const edit = new vscode.WorkspaceEdit();
	if (before === undefined) edit.createFile(uri, { ignoreIfExists: true });
	edit.replace(uri, new vscode.Range(0, 0, Number.MAX_SAFE_INTEGER, 0), text);
	if (!(await vscode.workspace.applyEdit(edit)))
		throw inReadersLanguage(
			'conflict',
			vscode.l10n.t('The editor refused the change. Is the file read-only?'),
		);
	const shown = await vscode.workspace.openTextDocument(uri);
	await vscode.window.showTextDocument(shown, {
		viewColumn: vscode.ViewColumn.Beside,
		preserveFocus: true,
		preview: true,
	});
}

/** The language found, unless it is the target's own: then the user says. */
async function sourceLanguage(
	languageServer: LanguageServerClient,
	detected: string | undefined,
	to: string,
): Promise<string | undefined> {
	if (detected !== undefined && detected.split('-')[0] !== to.split('-')[0]) return detected;
	const codes = await pickLanguages(languageServer, [to], false);
	return codes?.[0];
}

function check(value: string): string | undefined {
	if (value.trim() === '') return vscode.l10n.t('A term needs a word.');
	return /[<>\t]/.test(value) ? vscode.l10n.t('Terms must not have <, > or tabs.') : undefined;
}

async function textOf(uri: vscode.Uri): Promise<string | undefined> {
	try {
		return (await vscode.workspace.openTextDocument(uri)).getText();
	} catch {
		return undefined;
	}
}
