/** What lies behind a path: links on the way to it, and its text. */

import * as vscode from 'vscode';
import { AppError } from '../../../server/protocol/index.ts';

/**
 * Whether a file, or a folder it is in below the folder of the window, is a link.
 * @param known answers for folders that were looked at already
 */
export async function isLinked(
	uri: vscode.Uri,
	known = new Map<string, Promise<boolean>>(),
): Promise<boolean> {
	const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
	if (!folder || uri.path.length <= folder.path.length) return false;
	const key = uri.toString();
	const answer = known.get(key) ?? look(uri, known);
	known.set(key, answer);
	return answer;
}

async function look(uri: vscode.Uri, known: Map<string, Promise<boolean>>): Promise<boolean> {
	const type = await vscode.workspace.fs.stat(uri).then(
		(stat) => stat.type,
		() => vscode.FileType.Unknown,
	);
	if ((type & vscode.FileType.SymbolicLink) !== 0) return true;
	return isLinked(vscode.Uri.joinPath(uri, '..'), known);
}

/**
 * A file as the disk has it: its text where that is UTF-8; `undefined` when there is no such file.
 * @throws AppError `not_found` when nobody can tell
 */
export async function fileOnDisk(
	uri: vscode.Uri,
): Promise<{ readonly text: string | undefined } | undefined> {
	let bytes: Uint8Array;
	try {
		bytes = await vscode.workspace.fs.readFile(uri);
	} catch (cause) {
		if (isNotFound(cause)) return undefined;
		throw new AppError('not_found', 'The file cannot be read.', { cause });
	}
	try {
		return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
	} catch {
		return { text: undefined };
	}
}

/** Whether an error of the file service says that there is no such file. */
export const isNotFound = (error: unknown): boolean =>
	error instanceof vscode.FileSystemError && error.code === 'FileNotFound';
