/** The message files of the workspace as a tree: each family with its languages, and how far each is translated. */

import * as vscode from 'vscode';
import type { MessageFamily, MessageProgress } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { readableMessage } from '../notify.ts';
import { shownNumber } from '../readersNumbers.ts';
import {
	familiesIn,
	messageFilePattern,
	messageFileText,
	recordFile,
	textIfThere,
} from './messageFiles.ts';
import { shareBar } from './shareBar.ts';

/** A family of message files and the folder it is of. */
export interface FamilyNode {
	readonly folder: vscode.WorkspaceFolder;
	readonly family: MessageFamily;
}

interface LocaleNode extends FamilyNode {
	readonly target: MessageFamily['targets'][number];
}

type Node = FamilyNode | LocaleNode;

/** Milliseconds of quiet after a file has changed. */
const quietMs = 400;
const contextKey = 'nearglot.hasMessages';

/** Serves the view `nearglot.messages`, which is there while the workspace has message files. */
export class MessagesTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #log: vscode.LogOutputChannel;
	readonly #changed = new vscode.EventEmitter<undefined>();
	readonly #listening: vscode.Disposable;
	/** Looked for when the view or its key is first wanted, and after files came or went. */
	#families: Promise<readonly FamilyNode[]> | undefined;
	#timer: NodeJS.Timeout | undefined;
	#runs = false;

	readonly onDidChangeTreeData = this.#changed.event;

	constructor(languageServer: LanguageServerClient, log: vscode.LogOutputChannel) {
		this.#languageServer = languageServer;
		this.#log = log;
		const watcher = vscode.workspace.createFileSystemWatcher(messageFilePattern);
		const cameOrWent = () => {
			this.#families = undefined;
			this.#soon();
		};
		this.#listening = vscode.Disposable.from(
			this.#changed,
			// Whatever has started the server: the view of chats, or a text.
			languageServer.onHealth(({ server }) => {
				const runs = server === 'running';
				const began = runs && !this.#runs;
				this.#runs = runs;
				if (began) void this.look();
			}),
			watcher,
			watcher.onDidCreate(cameOrWent),
			watcher.onDidDelete(cameOrWent),
			watcher.onDidChange(() => this.#soon()),
			vscode.workspace.onDidChangeWorkspaceFolders(cameOrWent),
			vscode.workspace.onDidChangeTextDocument(({ document }) => {
				if (vscode.languages.match({ pattern: messageFilePattern }, document) > 0) this.#soon();
			}),
		);
	}

	/** Looks whether there are message files, so that the view is shown. */
	async look(): Promise<void> {
		try {
			const { length } = await this.families();
			await vscode.commands.executeCommand('setContext', contextKey, length > 0);
		} catch (error) {
			this.#log.warn(`messages: ${error instanceof Error ? error.message : String(error)}`);
		}
	}

	dispose(): void {
		clearTimeout(this.#timer);
		this.#listening.dispose();
	}

	async getChildren(node?: Node): Promise<Node[]> {
		if (!node) return [...(await this.families())];
		if ('target' in node) return [];
		return node.family.targets.map((target) => ({ ...node, target }));
	}

	async getTreeItem(node: Node): Promise<vscode.TreeItem> {
		const { folder, family } = node;
		if (!('target' in node)) {
			const item = new vscode.TreeItem(family.source, vscode.TreeItemCollapsibleState.Expanded);
			item.iconPath = new vscode.ThemeIcon('symbol-string');
			item.resourceUri = vscode.Uri.joinPath(folder.uri, family.source);
			item.contextValue = 'messages';
			return item;
		}
		const { path, to } = node.target;
		const uri = vscode.Uri.joinPath(folder.uri, path);
		const item = new vscode.TreeItem(to);
		item.id = uri.toString();
		item.resourceUri = uri;
		item.contextValue = 'locale';
		item.tooltip = path;
		item.command = { command: 'vscode.open', title: path, arguments: [uri] };
		item.accessibilityInformation = { label: to };
		try {
			const progress = await this.#progress(node);
			item.description = describe(progress);
			item.iconPath = new vscode.ThemeIcon(
				progress.missing + progress.stale === 0 ? 'pass' : 'circle-large-outline',
			);
			item.accessibilityInformation = { label: `${to}: ${describe(progress)}` };
		} catch (error) {
			// A file that cannot be read just now, half written perhaps.
			item.description = readableMessage(error);
			item.iconPath = new vscode.ThemeIcon('warning');
		}
		return item;
	}

	async #progress({ folder, family, target }: LocaleNode): Promise<MessageProgress> {
		const [source, text] = await Promise.all(
			[family.source, target.path].map((path) =>
				messageFileText(vscode.Uri.joinPath(folder.uri, path)),
			),
		);
		const record = await textIfThere(vscode.Uri.joinPath(folder.uri, recordFile));
		return this.#languageServer.request('nearglot/messageProgress', {
			fileName: family.source,
			source: source ?? '',
			target: text ?? '',
			to: target.to,
			...(record === undefined ? {} : { recorded: { text: record, path: target.path } }),
		});
	}

	/** Families of the workspace that have translations. */
	families(): Promise<readonly FamilyNode[]> {
		this.#families ??= Promise.all(
			(vscode.workspace.workspaceFolders ?? []).map(async (folder) => {
				const families = await familiesIn(this.#languageServer, folder);
				return families
					.filter(({ targets }) => targets.length > 0)
					.map((family) => ({ folder, family }));
			}),
		).then((lists) => lists.flat());
		return this.#families;
	}

	#soon(): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			void this.look();
			this.#changed.fire(undefined);
		}, quietMs);
	}
}

function describe({ total, missing, unused, stale }: MessageProgress): string {
	const parts = [shareBar(total - missing, total)];
	if (missing > 0) parts.push(vscode.l10n.t('{0} missing', shownNumber(missing)));
	if (stale > 0) parts.push(vscode.l10n.t('{0} changed in the source', shownNumber(stale)));
	if (unused > 0) parts.push(vscode.l10n.t('{0} no longer used', shownNumber(unused)));
	return parts.join(' · ');
}
