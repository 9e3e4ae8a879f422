/** A name for what is open in a window, the same in each window that has it open: its own storage is not always. */

import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

/** Of the workspace's file, or of its folders; no path can be read from it. */
export function openFoldersName(): string {
	const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
	const open = workspaceFile ? [workspaceFile] : workspaceFolders.map(({ uri }) => uri);
	const addresses = open.map((uri) => uri.toString()).sort();
	return createHash('sha256').update(addresses.join('\n')).digest('hex').slice(0, 32);
}
