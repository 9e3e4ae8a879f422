/** Lines above keys of messages: which languages lack them, or what all of them say. A click edits. */

import * as vscode from 'vscode';
import { setting } from '../settings.ts';
import { editCommand, type MessagePlace } from './editMessage.ts';
import { keysInCode } from './keyInCode.ts';
import { messageSchemes } from './messageFiles.ts';
import { keysByLine, messageOf, missingIn, summaryOf } from './messageTable.ts';
import type { FamilyTable, MessageTables } from './messageTables.ts';

/** Lines of one document that are looked at; longer ones are made by programs. */
const maxLines = 20_000;

export class MessageLenses implements vscode.CodeLensProvider {
	readonly #tables: MessageTables;
	readonly onDidChangeCodeLenses: vscode.Event<void>;

	constructor(tables: MessageTables) {
		this.#tables = tables;
		this.onDidChangeCodeLenses = (listener) =>
			vscode.Disposable.from(
				tables.onDidChange(listener),
				vscode.workspace.onDidChangeConfiguration((event) => {
					if (event.affectsConfiguration('nearglot.messages.codeLens')) listener();
				}),
			);
	}

	register(): vscode.Disposable {
		return vscode.languages.registerCodeLensProvider(messageSchemes, this);
	}

	async provideCodeLenses(
		document: vscode.TextDocument,
		token: vscode.CancellationToken,
	): Promise<vscode.CodeLens[]> {
		const shown = setting('messages.codeLens', document);
		if (shown === 'off' || document.lineCount > maxLines) return [];
		const tables = await this.#tables.read();
		if (token.isCancellationRequested || tables.length === 0) return [];
		return placesIn(document, tables).flatMap(({ line, key, table }) => {
			const missing = missingIn(table, key);
			if (missing.length === 0 && shown === 'missing') return [];
			const place: MessagePlace = { source: table.source.uri, key };
			const title =
				shown === 'all'
					? summaryOf(table, key)
					: `$(warning) ${vscode.l10n.t('Missing in {0}', missing.join(', '))}`;
			const command = { command: editCommand, title, arguments: [place] };
			return [new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command)];
		});
	}
}

/** Keys with their lines: of a source file of messages, or those that code looks up. */
function placesIn(
	document: vscode.TextDocument,
	tables: readonly FamilyTable[],
): { line: number; key: string; table: FamilyTable }[] {
	const uri = document.uri.toString();
	const own = tables.find(({ source }) => source.uri === uri);
	if (own) return keysByLine(own).map(({ line, key }) => ({ line, key, table: own }));
	if (tables.some(({ columns }) => columns.some((column) => column.uri === uri))) return [];
	const found: { line: number; key: string; table: FamilyTable }[] = [];
	for (let line = 0; line < document.lineCount; line++) {
		for (const { key, isCalled } of keysInCode(document.lineAt(line).text)) {
			const table = isCalled ? tables.find((each) => messageOf(each, key)) : undefined;
			if (table) found.push({ line, key, table });
		}
	}
	return found;
}
