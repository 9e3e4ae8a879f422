/** What the server is told of the editor's languages: their grammars and configurations. */

import * as vscode from 'vscode';
import {
	type EditorGrammars,
	type GrammarFile,
	grammarsNotification,
	type LanguageFile,
} from '../server/protocol/index.ts';
import type { LanguageServerClient } from './languageServerClient.ts';

/** Grammars and language configurations of the installed extensions. */
export function editorLanguages(): EditorGrammars {
	const grammars: GrammarFile[] = [];
	const languages: LanguageFile[] = [];
	for (const { extensionUri, packageJSON } of vscode.extensions.all) {
		if (extensionUri.scheme !== 'file') continue;
		const path = (relative: string) => vscode.Uri.joinPath(extensionUri, relative).fsPath;
		for (const item of contributed(packageJSON, 'grammars')) {
			const { language, scopeName, path: file, injectTo } = item;
			if (typeof scopeName !== 'string' || typeof file !== 'string') continue;
			grammars.push({
				...(typeof language === 'string' ? { languageId: language } : {}),
				scopeName,
				path: path(file),
				...(Array.isArray(injectTo)
					? { injectTo: injectTo.filter((scope) => typeof scope === 'string') }
					: {}),
			});
		}
		for (const { id, configuration } of contributed(packageJSON, 'languages')) {
			if (typeof id === 'string' && typeof configuration === 'string')
				languages.push({ languageId: id, path: path(configuration) });
		}
	}
	return { grammars, languages };
}

/** Tells the server when extensions come and go. */
export function followLanguages(languageServer: LanguageServerClient): vscode.Disposable {
	return vscode.extensions.onDidChange(() =>
		languageServer.notify(grammarsNotification, editorLanguages()),
	);
}

function contributed(manifest: unknown, name: string): readonly Record<string, unknown>[] {
	const { contributes } = (manifest ?? {}) as { contributes?: Record<string, unknown> };
	const list = contributes?.[name];
	return Array.isArray(list)
		? list.filter((item): item is Record<string, unknown> => typeof item === 'object' && !!item)
		: [];
}
