/** Hovers on keys of messages, in code and in message files: what each language says, and which lack it. */

import * as vscode from 'vscode';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { keyInCode } from './keyInCode.ts';
import { messageFileText } from './messageFiles.ts';
import type { FamilyNode, MessagesTree } from './messagesTree.ts';
import {
	isMissing,
	keyAtLine,
	type MessageTable,
	messageMarkdown,
	messageOf,
} from './messageTable.ts';

const fillCommand = 'nearglot.translate.missingMessages';

export class MessageHovers implements vscode.HoverProvider, vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #tree: MessagesTree;
	readonly #listening: vscode.Disposable;
	/** Read when a hover first needs them, and after a message file has changed. */
	#tables: Promise<readonly MessageTable[]> | undefined;

	constructor(languageServer: LanguageServerClient, tree: MessagesTree) {
		this.#languageServer = languageServer;
		this.#tree = tree;
		this.#listening = vscode.Disposable.from(
			tree.onDidChangeTreeData(() => {
				this.#tables = undefined;
			}),
			vscode.languages.registerHoverProvider({ scheme: 'file' }, this),
			vscode.languages.registerHoverProvider({ scheme: 'vscode-remote' }, this),
		);
	}

	dispose(): void {
		this.#listening.dispose();
	}

	async provideHover(
		document: vscode.TextDocument,
		{ line, character }: vscode.Position,
		token: vscode.CancellationToken,
	): Promise<vscode.Hover | undefined> {
		const written = document.lineAt(line);
		const found = keyInCode(written.text, character);
		const tables = await this.#read();
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

	#read(): Promise<readonly MessageTable[]> {
		if (this.#tables) return this.#tables;
		const reading = this.#tree
			.families()
			.then((families) => Promise.all(families.map((node) => this.#table(node))));
		this.#tables = reading;
		reading.catch(() => {
			// A file that is half written is read again with the next hover.
			if (this.#tables === reading) this.#tables = undefined;
		});
		return reading;
	}

	async #table({ folder, family }: FamilyNode): Promise<MessageTable> {
		const at = (path: string) => vscode.Uri.joinPath(folder.uri, path);
		const source = await messageFileText(at(family.source));
		const columns = family.targets.map(async ({ path, to }) => {
			const text = await messageFileText(at(path));
			const { messages = [] } = await this.#languageServer.request('nearglot/messageProgress', {
				...{ fileName: family.source, source, target: text, to },
				withMessages: true,
			});
			const rows = new Map(messages.map((row) => [row.key, row]));
			return { to, uri: at(path).toString(), text, rows };
		});
		return {
			source: { language: family.from ?? '', uri: at(family.source).toString(), text: source },
			columns: await Promise.all(columns),
		};
	}
}

function hover(table: MessageTable, key: string, range: vscode.Range): vscode.Hover {
	const text = new vscode.MarkdownString(messageMarkdown(table, key, vscode.l10n.t('missing')));
	if (isMissing(table, key)) {
		text.isTrusted = { enabledCommands: [fillCommand] };
		const uri = encodeURIComponent(JSON.stringify([vscode.Uri.parse(table.source.uri, true)]));
		const title = vscode.l10n.t('Translate Missing Messages');
		text.appendMarkdown(`\n\n[${title}](command:${fillCommand}?${uri})`);
	}
	return new vscode.Hover(text, range);
}
