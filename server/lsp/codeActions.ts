/**
 * *Translate comment / string / selection to …*: one code action per offered language on what is
 * selected or under the cursor, and *Name this symbol in English*. The work itself is done when the
 * editor resolves an action; for the list only the language of the text is asked, and not waited for long.
 */

import {
	type CodeAction,
	type CodeActionContext,
	CodeActionKind,
	CodeActionTriggerKind,
	type Range,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { isRecord } from '../protocol/errorBody.ts';
import { AppError } from '../protocol/index.ts';
import { sameLanguage } from '../translate/languageCodes.ts';
import { displayLanguageName } from './displayLanguageName.ts';
import { nameAt } from './nameAt.ts';
import type { Prose } from './prose/prose.ts';
import type { ProseFinder } from './prose/proseFinder.ts';
import { messageText } from './texts.ts';

/** Kinds of this module; editors ask for them by prefix. */
export const translateActionKind = `${CodeActionKind.RefactorRewrite}.nearglot.translate`;
export const nameActionKind = `${CodeActionKind.RefactorRewrite}.nearglot.name`;

/** Languages without symbols: what looks like a name there is a key that other programs look for. */
const dataLanguages: ReadonlySet<string> = new Set([
	...['csv', 'dotenv', 'ini', 'json', 'jsonc', 'jsonl', 'properties', 'toml', 'xml', 'yaml'],
]);

/** What an unresolved action remembers. */
export interface ActionData {
	readonly does: 'translate' | 'name';
	readonly uri: string;
	readonly version: number;
	readonly range: Range;
	readonly to: string;
}

/**
 * The actions for a selection or a cursor; none when there is no word in it.
 * @param languageOf the language a text surely is in; nothing is offered into that one.
 */
export async function editingActions(
	document: TextDocument,
	range: Range,
	context: CodeActionContext,
	languages: readonly string[],
	displayLanguage: string | undefined,
	finder: ProseFinder,
	languageOf: (text: string) => Promise<string | undefined>,
	signal: AbortSignal,
): Promise<CodeAction[]> {
	const { only, triggerKind } = context;
	const wants = (kind: string) => !only || only.some((wanted) => inKind(kind, wanted));
	const isCursor = document.offsetAt(range.start) === document.offsetAt(range.end);
	// A light bulb at every place of the cursor would be noise.
	if (isCursor && !only && triggerKind === CodeActionTriggerKind.Automatic) return [];
	if (!wants(translateActionKind) && !wants(nameActionKind)) return [];
	const { version, uri } = document;
	const [from, to] = [document.offsetAt(range.start), document.offsetAt(range.end)];
	if (!isCursor && !/\p{L}/u.test(document.getText(range))) return [];
	const prose = await finder.find(document, from, to, signal);
	const actions: CodeAction[] = [];
	const part = isCursor ? prose[0] : undefined;
	if (wants(translateActionKind) && (!isCursor || part)) {
		const target = part ? rangeOf(document, part) : range;
		const kind = titleOf(prose, isCursor);
		const own = await languageOf(document.getText(target));
		for (const language of languages) {
			if (own !== undefined && sameLanguage(language, own)) continue;
			actions.push({
				title: messageText(kind, displayLanguageName(language, displayLanguage)),
				kind: translateActionKind,
				data: { does: 'translate', uri, version, range: target, to: language } satisfies ActionData,
			});
		}
	}
	const name =
		prose.length === 0 && !dataLanguages.has(document.languageId)
			? nameAt(document, range.start)
			: undefined;
	const isWhole = isCursor || (name && document.getText(range).trim() === name.name);
	if (wants(nameActionKind) && name && isWhole && name.name.length > 1)
		actions.push({
			title: messageText('name', displayLanguageName('en', displayLanguage)),
			kind: nameActionKind,
			data: { does: 'name', uri, version, range: name.range, to: 'en' } satisfies ActionData,
		});
	return actions;
}

/** Reads what an action remembers and finds its document. Throws when either has changed. */
export function actionTarget(
	action: CodeAction,
	find: (uri: string) => TextDocument | undefined,
): { data: ActionData; document: TextDocument } {
	const data = parseActionData(action.data);
	const document = find(data.uri);
	if (!document) throw new AppError('not_found', 'The document of this action is no longer open.');
	if (document.version !== data.version) {
		throw new AppError('conflict', 'The document has changed. Open the list of actions again.');
	}
	return { data, document };
}

/** What of a selection is translated, as titles name it. */
function titleOf(prose: readonly Prose[], isCursor: boolean) {
	const kinds = new Set(prose.map(({ kind }) => kind));
	if (isCursor) return prose[0]?.kind ?? 'selection';
	if (kinds.has('comment')) return 'comment';
	if (kinds.has('docstring')) return 'docstring';
	return kinds.has('string') ? 'string' : 'selection';
}

function rangeOf(document: TextDocument, { start, end }: Prose): Range {
	return { start: document.positionAt(start), end: document.positionAt(end) };
}

function parseActionData(value: unknown): ActionData {
	if (
		isRecord(value) &&
		(value['does'] === 'translate' || value['does'] === 'name') &&
		typeof value['uri'] === 'string' &&
		typeof value['version'] === 'number' &&
		typeof value['to'] === 'string' &&
		isRecord(value['range'])
	) {
		return value as unknown as ActionData;
	}
	throw new AppError('invalid_request', 'This action was not made by Nearglot.');
}

function inKind(kind: string, wanted: string): boolean {
	return wanted === '' || kind === wanted || kind.startsWith(`${wanted}.`);
}
