/** Opens what an answer names like a file: only files of the workspace, and only those that exist. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';

/** Opens `src/a.ts`, `a.ts:12` or `src/a.ts:3-9`. */
export async function openReference(reference: string): Promise<void> {
	const [, path = '', first, last] = /^(.*?)(?::(\d+)(?:[:-](\d+))?)?$/.exec(reference) ?? [];
	const uri = await findFile(path);
	if (!uri) {
		throw inReadersLanguage(
			'not_found',
			vscode.l10n.t('There is no file {0} in this workspace.', path),
		);
	}
	const lines =
		first === undefined
			? undefined
			: new vscode.Range(Number(first) - 1, 0, Number(last ?? first) - 1, 0);
	await vscode.window.showTextDocument(uri, lines ? { selection: lines } : {});
}

async function findFile(path: string): Promise<vscode.Uri | undefined> {
	const parts = path.split('/').filter((part) => part !== '.' && part !== '');
	// Brackets and stars are signs of patterns.
	if (parts.length === 0 || parts.includes('..') || /[*?{}[\]\\]/.test(path)) return undefined;
	for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
		const inside = vscode.Uri.joinPath(uri, ...parts);
		const isFile = await vscode.workspace.fs.stat(inside).then(
			({ type }) => (type & vscode.FileType.File) !== 0,
			() => false,
		);
		if (isFile) return inside;
	}
	// Models often leave out the first folders.
	return (await vscode.workspace.findFiles(`**/${parts.join('/')}`, undefined, 1))[0];
}
