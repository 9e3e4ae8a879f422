/** Finding the message files of a folder, and reading them as the editor has them. */

import * as vscode from 'vscode';
import type { MessageFamily } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';

/**
 * Files that may hold messages, by their names; `nearglot/messageFiles` says which do. The editor's search knows no
 * braces in braces.
 */
export const messageFilePattern = `**/{${[
	...['json', 'jsonc', 'arb', 'yaml', 'yml', 'properties', 'po', 'pot', 'resx', 'strings'].map(
		(ending) => `*.${ending}`,
	),
	...['strings', 'arrays', 'plurals'].map((name) => `${name}*.xml`),
].join(',')}}`;
/** What is recorded of translations in a folder, by the command line. */
export const recordFile = '.nearglot/translations.json';
/** Documents whose keys are looked at: one selector, for beside a distant workspace both may mean the same documents. */
export const messageSchemes: vscode.DocumentSelector = [
	{ scheme: 'file' },
	{ scheme: 'vscode-remote' },
];
const ignored = '**/{node_modules,.git,dist,out,build,vendor}/**';
const maxFiles = 5000;

/** The families of message files of a workspace folder; paths are relative to it. */
export async function familiesIn(
	languageServer: LanguageServerClient,
	folder: vscode.WorkspaceFolder,
): Promise<readonly MessageFamily[]> {
	const pattern = new vscode.RelativePattern(folder, messageFilePattern);
	const files = await vscode.workspace.findFiles(pattern, ignored, maxFiles);
	const { families } = await languageServer.request('nearglot/messageFiles', {
		paths: files.map((file) => relativeTo(folder, file)).sort(),
	});
	return families;
}

/** Path of a file in a folder. */
export const relativeTo = (folder: vscode.WorkspaceFolder, file: vscode.Uri): string =>
	file.path.slice(folder.uri.path.replace(/\/$/, '').length + 1);

/** The text of a file, with what is not saved yet. */
export async function messageFileText(uri: vscode.Uri): Promise<string> {
	return (await vscode.workspace.openTextDocument(uri)).getText();
}

/** The same; `undefined` where there is no such file. */
export async function textIfThere(uri: vscode.Uri): Promise<string | undefined> {
	try {
		return await messageFileText(uri);
	} catch (error) {
		const isThere = await vscode.workspace.fs.stat(uri).then(
			() => true,
			() => false,
		);
		if (isThere) throw error;
		return undefined;
	}
}
