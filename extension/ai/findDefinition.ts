/** Asks the editor where a name is defined. */

import * as vscode from 'vscode';
import { mayHoldSecrets } from '../secretFiles.ts';
import type { Definition } from './usedDefinitions.ts';

/** Lines that are read from where a definition begins. */
const readLines = 10;

/** The definition of what stands at a position, where it is in another file of this window's disk. */
export async function findDefinition(
	document: vscode.TextDocument,
	position: vscode.Position,
): Promise<Definition | undefined> {
	const found = await vscode.commands.executeCommand<
		readonly (vscode.Location | vscode.LocationLink)[] | undefined
	>('vscode.executeDefinitionProvider', document.uri, position);
	const [first] = found ?? [];
	if (!first) return undefined;
	const [uri, range] =
		'targetUri' in first ? [first.targetUri, first.targetRange] : [first.uri, first.range];
	if (uri.toString() === document.uri.toString() || uri.scheme !== document.uri.scheme)
		return undefined;
	if (mayHoldSecrets(uri.path.split('/'))) return undefined;
	const other = await vscode.workspace.openTextDocument(uri);
	const { line } = range.start;
	const text = other.getText(new vscode.Range(line, 0, line + readLines, 0));
	return { path: vscode.workspace.asRelativePath(uri), text };
}
