/**
 * *Translate to …*: one code action per offered language on a selection. The translation itself is
 * made when the editor resolves an action, so that showing the list costs nothing.
 */

import { type CodeAction, CodeActionKind, type Range, TextEdit } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { isRecord } from '../protocol/errorBody.ts';
import { AppError } from '../protocol/index.ts';
import { languageName } from './languageName.ts';

/** Kind of every action of this module. */
export const translateActionKind = `${CodeActionKind.RefactorRewrite}.nearglot.translate`;

/** What an unresolved action remembers. */
export interface TranslateActionData {
	readonly uri: string;
	readonly version: number;
	readonly range: Range;
	readonly to: string;
}

/** The actions for a selection; none when there is no word in it. */
export function translateActions(
	document: TextDocument,
	range: Range,
	languages: readonly string[],
	displayLanguage: string | undefined,
): CodeAction[] {
	if (!/\p{L}/u.test(document.getText(range))) return [];
	return languages.map((to) => ({
		title: `Translate to ${languageName(to, displayLanguage)}`,
		kind: translateActionKind,
		data: { uri: document.uri, version: document.version, range, to } satisfies TranslateActionData,
	}));
}

/** Fills in the edit of an action made by {@link translateActions}. */
export async function resolveTranslateAction(
	action: CodeAction,
	find: (uri: string) => TextDocument | undefined,
	translate: (document: TextDocument, range: Range, to: string) => Promise<string>,
): Promise<CodeAction> {
	const data = parseActionData(action.data);
	const document = find(data.uri);
	if (!document) throw new AppError('not_found', 'The document of this action is no longer open.');
	if (document.version !== data.version) {
		throw new AppError('conflict', 'The document has changed. Open the list of actions again.');
	}
	const text = await translate(document, data.range, data.to);
	return { ...action, edit: { changes: { [data.uri]: [TextEdit.replace(data.range, text)] } } };
}

function parseActionData(value: unknown): TranslateActionData {
	if (
		isRecord(value) &&
		typeof value['uri'] === 'string' &&
		typeof value['version'] === 'number' &&
		typeof value['to'] === 'string' &&
		isRecord(value['range'])
	) {
		return value as unknown as TranslateActionData;
	}
	throw new AppError('invalid_request', 'This action was not made by Nearglot.');
}
