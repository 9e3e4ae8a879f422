/** Hovers on keys of messages, in code and in message files: what each language says, and which lack it. */

import * as vscode from 'vscode';
import { editCommand, type MessagePlace } from './editMessage.ts';
import { keyInCode } from './keyInCode.ts';
import { messageSchemes } from './messageFiles.ts';
import { isMissing, keyAtLine, messageMarkdown, messageOf } from './messageTable.ts';
import type { FamilyTable, MessageTables } from './messageTables.ts';

const fillCommand = 'nearglot.translate.missingMessages';

export class MessageHovers implements vscode.HoverProvider {
	readonly #tables: MessageTables;

	constructor(tables: MessageTables) {
		this.#tables = tables;
	}

	register(): vscode.Disposable {
		return vscode.languages.registerHoverProvider(messageSchemes, this);
	}

	async provideHover(
		document: vscode.TextDocument,
		{ line, character }: vscode.Position,
		token: vscode.CancellationToken,
	): Promise<vscode.Hover | undefined> {
		const written = document.lineAt(line);
		const found = keyInCode(written.text, character);
		const tables = await this.#tables.read();
		if (token.isCancellationRequested) return undefined;
		const uri = document.uri.toString();
		for (const table of tables) {
			const own = keyAtLine(table, uri, line);
			if (own !== undefined) return hover(table, own, written.range);
		}
		// A word in quotes is a key only where something looks it up.
		if (!found || !(found.isCalled || /[.:_-]/.test(found.key))) return undefined;
		const table = tables.find((each) => messageOf(each, found.key));
		const range = new vscode.Range(line, found.start, line, found.end);
		return table && hover(table, found.key, range);
	}
}

function hover(table: FamilyTable, key: string, range: vscode.Range): vscode.Hover {
	const link = (title: string, command: string, given: unknown) => {
		// What ends a link is no part of an address.
		const query = encodeURIComponent(JSON.stringify([given])).replace(
			/[()']/g,
			(letter) => `%${letter.charCodeAt(0).toString(16)}`,
		);
		return `[${title}](command:${command}?${query})`;
	};
	const edit = (to: string) => {
		const place: MessagePlace = { source: table.source.uri, key, to };
		return ` ${link(`$(edit) ${vscode.l10n.t('Edit')}`, editCommand, place)}`;
	};
	const text = new vscode.MarkdownString(
		messageMarkdown(table, key, vscode.l10n.t('missing'), edit),
		true,
	);
	text.isTrusted = { enabledCommands: [fillCommand, editCommand] };
	if (isMissing(table, key)) {
		const title = vscode.l10n.t('Translate Missing Messages');
		text.appendMarkdown(
			`\n\n${link(title, fillCommand, vscode.Uri.parse(table.source.uri, true))}`,
		);
	}
	return new vscode.Hover(text, range);
}
