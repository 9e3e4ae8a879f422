/** Questions about the folders of the window: what the server finds, once a person trusts them. */

import * as vscode from 'vscode';
import {
	type Attachment,
	inReadersLanguage,
	type WorkspacePiece,
	type WorkspaceProgress,
	type WorkspaceSearchResult,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';

/** Local folders of the window. */
const localFolders = () =>
	(vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');

/**
 * The pieces of the workspace that answer a question. The first question reads all files; `report` says how far it is.
 * @throws AppError `invalid_request` without a folder, or in one that is not trusted
 */
export async function searchWorkspace(
	languageServer: LanguageServerClient,
	question: string,
	options: {
		readonly limit?: number;
		readonly token?: vscode.CancellationToken;
		readonly report?: (text: string) => void;
	} = {},
): Promise<WorkspaceSearchResult> {
	if (!vscode.workspace.isTrusted)
		throw inReadersLanguage(
			'invalid_request',
			vscode.l10n.t('Questions about the workspace need a workspace that you trust.'),
		);
	const folders = localFolders().map(({ uri }) => uri.toString());
	if (folders.length === 0)
		throw inReadersLanguage(
			'invalid_request',
			vscode.l10n.t('Open a folder of this computer first: it is what is searched.'),
		);
	const { limit, token, report } = options;
	const params = { folders, question, ...(limit === undefined ? {} : { limit }) };
	return languageServer.request('nearglot/workspace/search', params, token, (value) => {
		const { files, of } = value as WorkspaceProgress;
		if (of > 0) report?.(vscode.l10n.t('Reading the workspace: {0} of {1} files', files, of));
	});
}

/** The same, shown as progress of a view. */
export function searchWithProgress(
	languageServer: LanguageServerClient,
	question: string,
): Thenable<WorkspaceSearchResult> {
	const title = vscode.l10n.t('Searching the workspace');
	const location = { location: { viewId: 'nearglot.chat' }, title };
	return vscode.window.withProgress(location, (progress) =>
		searchWorkspace(languageServer, question, {
			report: (message) => progress.report({ message }),
		}),
	);
}

/** What follows `@workspace` in a question; `undefined` of another question. */
export function workspaceQuestion(text: string): string | undefined {
	return /^\s*@workspace\s+([\s\S]+)$/.exec(text)?.[1]?.trim();
}

/** Pieces as they go along with a question: as many whole ones as there is room for, in characters. */
export function pieceAttachments(
	pieces: readonly WorkspacePiece[],
	maxCharacters: number,
): Attachment[] {
	let left = maxCharacters;
	const attachments: Attachment[] = [];
	for (const { uri, path, language, startLine, endLine, text } of pieces) {
		left -= text.length + path.length;
		if (left < 0 && attachments.length > 0) break;
		attachments.push({
			...{ label: `${path}:${startLine + 1}-${endLine + 1}`, language, text },
			source: {
				uri,
				range: {
					start: { line: startLine, character: 0 },
					end: { line: endLine, character: text.length - text.lastIndexOf('\n') - 1 },
				},
			},
		});
	}
	return attachments;
}

/** Room for pieces in a model's prompt, in characters: half of it, at three a token. */
export const roomFor = (contextLength: number | null | undefined): number =>
	Math.min(24_000, Math.floor((contextLength ?? 4096) * 1.5));

/** Put before the question that pieces go along with. */
export const workspaceInstruction =
	'Answer the question from these pieces of the workspace, and name the files you used. Say so when they do not answer it.';

/** Tells the server what was saved, made or removed; it reads what it has in an index again. */
export function watchWorkspace(languageServer: LanguageServerClient): vscode.Disposable {
	const changed = new Set<string>();
	let timer: ReturnType<typeof setTimeout> | undefined;
	const send = () => {
		timer = undefined;
		const uris = [...changed];
		changed.clear();
		if (!vscode.workspace.isTrusted || languageServer.health.server !== 'running') return;
		// A server that was never asked has no index.
		languageServer.request('nearglot/workspace/changed', { uris }).catch(() => undefined);
	};
	const note = (uri: vscode.Uri) => {
		if (uri.scheme !== 'file' || /\/(?:\.git|node_modules)\//.test(uri.path)) return;
		changed.add(uri.toString());
		timer ??= setTimeout(send, 100);
	};
	const watcher = vscode.workspace.createFileSystemWatcher('**/*');
	return vscode.Disposable.from(
		watcher,
		watcher.onDidChange(note),
		watcher.onDidCreate(note),
		watcher.onDidDelete(note),
		// Watchers may be off for a folder.
		vscode.workspace.onDidSaveTextDocument(({ uri }) => note(uri)),
		new vscode.Disposable(() => clearTimeout(timer)),
	);
}

/** Removes the index of the window's folders. */
export async function forgetWorkspace(languageServer: LanguageServerClient): Promise<void> {
	const folders = localFolders().map(({ uri }) => uri.toString());
	await languageServer.request('nearglot/workspace/forget', { folders });
	void vscode.window.showInformationMessage(
		vscode.l10n.t('The index of this workspace is deleted. The next question makes a new one.'),
	);
}

/** Opens where something was taken from. */
export async function openSource(source: Attachment['source']): Promise<void> {
	if (!source) return;
	const { uri, range } = source;
	const selection =
		range &&
		new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
	await vscode.window.showTextDocument(vscode.Uri.parse(uri, true), {
		...(selection ? { selection } : {}),
		viewColumn: vscode.ViewColumn.One,
	});
}
