/** Schemes of documents the server follows; the text of others is sent along with each request. */

import type { TextDocument } from 'vscode';

export const syncedSchemes = [
	'file',
	'untitled',
	'vscode-remote',
	'vscode-vfs',
	'git',
	'vscode-notebook-cell',
] as const;

/** The text of a document the server does not follow; nothing for those it does. */
export function textFor(document: TextDocument): { readonly text?: string } {
	const isSynced = syncedSchemes.some((scheme) => scheme === document.uri.scheme);
	return isSynced ? {} : { text: document.getText() };
}
