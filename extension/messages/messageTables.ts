/** All messages of the workspace in all their languages, read when first needed and after a message file has changed. */

import * as vscode from 'vscode';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { messageFileText } from './messageFiles.ts';
import type { FamilyNode, MessagesTree } from './messagesTree.ts';
import type { MessageTable } from './messageTable.ts';

/** The messages of a family of files. */
export interface FamilyTable extends MessageTable {
	readonly node: FamilyNode;
}

export class MessageTables implements vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #tree: MessagesTree;
	readonly #listening: vscode.Disposable;
	#tables: Promise<readonly FamilyTable[]> | undefined;
	/** Others may be read from now on. */
	readonly onDidChange: vscode.Event<void>;

	constructor(languageServer: LanguageServerClient, tree: MessagesTree) {
		this.#languageServer = languageServer;
		this.#tree = tree;
		// Whoever listens later reads what is new.
		this.#listening = tree.onDidChangeTreeData(() => this.forget());
		this.onDidChange = (listener) => tree.onDidChangeTreeData(() => listener());
	}

	dispose(): void {
		this.#listening.dispose();
	}

	/** The next reader reads the files again. */
	forget(): void {
		this.#tables = undefined;
	}

	read(): Promise<readonly FamilyTable[]> {
		if (this.#tables) return this.#tables;
		const reading = this.#tree
			.families()
			.then((families) => Promise.all(families.map((node) => this.#table(node))));
		this.#tables = reading;
		reading.catch(() => {
			// A file that is half written is read again the next time.
			if (this.#tables === reading) this.#tables = undefined;
		});
		return reading;
	}

	async #table(node: FamilyNode): Promise<FamilyTable> {
		const { folder, family } = node;
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
			node,
			source: { language: family.from ?? '', uri: at(family.source).toString(), text: source },
			columns: await Promise.all(columns),
		};
	}
}
