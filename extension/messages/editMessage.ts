/** *Edit Message*: one message in one language, written without opening its file. */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { languageLabel } from '../targetLanguage.ts';
import { keyInCode } from './keyInCode.ts';
import { keyAtLine, messageOf } from './messageTable.ts';
import type { FamilyTable, MessageTables } from './messageTables.ts';
import { writeMessages } from './writeMessages.ts';

export const editCommand = 'nearglot.messages.edit';

/** A message, and perhaps its language. */
export interface MessagePlace {
	/** Address of the source file. */
	readonly source: string;
	readonly key: string;
	/** BCP 47; asked for when absent. */
	readonly to?: string;
}

function isPlace(given: unknown): given is MessagePlace {
	const { source, key, to } = (given ?? {}) as Partial<Record<keyof MessagePlace, unknown>>;
	return (
		typeof source === 'string' &&
		typeof key === 'string' &&
		(to === undefined || typeof to === 'string')
	);
}

/** The message whose key the cursor is on, in code or in a file of messages. */
function placeAtCursor(tables: readonly FamilyTable[]): MessagePlace | undefined {
	const editor = vscode.window.activeTextEditor;
	if (!editor) return undefined;
	const { document, selection } = editor;
	const { line, character } = selection.active;
	const uri = document.uri.toString();
	for (const table of tables) {
		const key = keyAtLine(table, uri, line);
		const to = table.columns.find((column) => column.uri === uri)?.to;
		if (key !== undefined) return { source: table.source.uri, key, ...(to ? { to } : {}) };
	}
	const found = keyInCode(document.lineAt(line).text, character);
	const table = found && tables.find((each) => messageOf(each, found.key));
	return table && { source: table.source.uri, key: found.key };
}

/** Lets the user write a message; it is put into its file, which is not saved. */
export async function editMessage(
	languageServer: LanguageServerClient,
	tables: MessageTables,
	given: unknown,
): Promise<void> {
	const known = await tables.read();
	const place = isPlace(given) ? given : placeAtCursor(known);
	const table = known.find(({ source }) => source.uri === place?.source);
	const own = place && table && messageOf(table, place.key);
	if (!place || !table || !own)
		throw inReadersLanguage(
			'not_found',
			vscode.l10n.t('There is no message here. Put the cursor on the key of one and try again.'),
		);
	const { key } = place;
	const to = place.to ?? (await pickLanguage(table, key));
	const target = table.node.family.targets.find((one) => one.to === to);
	if (to === undefined || !target) return;
	const column = table.columns.find((one) => one.to === to);
	const before = column?.rows.get(key)?.target ?? '';
	const text = await vscode.window.showInputBox({
		title: `${key} · ${languageLabel(to)}`,
		prompt: own.source.replace(/\s+/g, ' '),
		placeHolder: own.source,
		value: before,
		ignoreFocusOut: true,
		validateInput: async (value) => {
			if (value.trim() === '')
				return before === '' ? undefined : vscode.l10n.t('A message needs a text.');
			const fault = await faultOf(languageServer, table, to, key, value);
			const message = fault && vscode.l10n.t('Placeholders: {0}', fault);
			return message && { message, severity: vscode.InputBoxValidationSeverity.Warning };
		},
	});
	if (text === undefined || text.trim() === '' || text === before) return;
	const { folder, family } = table.node;
	const files = [{ ...target, messages: [{ key, text }] }];
	const refused = await writeMessages(languageServer, folder, family, files);
	tables.forget();
	if (refused.length > 0)
		throw inReadersLanguage(
			'not_supported',
			vscode.l10n.t('{0} has to be written in the file itself.', key),
		);
}

/** What a program could not do with a text. */
async function faultOf(
	languageServer: LanguageServerClient,
	{ node: { family }, source, columns }: FamilyTable,
	to: string,
	key: string,
	text: string,
): Promise<string | undefined> {
	const target = columns.find((one) => one.to === to)?.text ?? '';
	const { faults } = await languageServer.request('nearglot/setMessages', {
		...{ fileName: family.source, source: source.text, target, to, messages: [{ key, text }] },
	});
	return faults[0]?.fault;
}

async function pickLanguage(table: FamilyTable, key: string): Promise<string | undefined> {
	const items = table.columns.map(({ to, rows }) => {
		const said = rows.get(key)?.target;
		return {
			label: languageLabel(to),
			description: said?.replace(/\s+/g, ' ') ?? `$(warning) ${vscode.l10n.t('missing')}`,
			to,
		};
	});
	if (items.length < 2) return items[0]?.to;
	const chosen = await vscode.window.showQuickPick(items, { title: key, matchOnDescription: true });
	return chosen?.to;
}
