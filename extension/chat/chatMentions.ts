/** What `/`, `@` and `#` offer in a chat: commands and prompts, files and parts of the editor, symbols. */

import * as vscode from 'vscode';
import { type Attachment, type Mention, slashCommands } from '../../server/protocol/index.ts';
import { fileAttachment, problemsAttachment, selectionAttachment } from './attachSelection.ts';
import { findSymbols, symbolAttachment } from './attachSymbol.ts';
import { changesAttachment } from './gitChanges.ts';
import { promptFiles } from './questionContext.ts';

const maxItems = 30;
/** Files that are looked through; more are found by the paper clip. */
const maxFiles = 20_000;
/** Milliseconds for which the list of files is taken for the same. */
const filesKeepMs = 10_000;

type Attach = () => Promise<Attachment | undefined>;

/** Offers, and knows again what it has offered: a page decides no path. */
export class ChatMentions {
	#offered = new Map<string, Attach>();
	#files: { readonly at: number; readonly uris: Thenable<vscode.Uri[]> } | undefined;

	async offer(query: string): Promise<Mention[]> {
		const words = query.slice(1).toLowerCase();
		if (query.startsWith('/')) return this.#commands(words);
		const offered = new Map<string, Attach>();
		const items: Mention[] = [];
		const add = (id: string, label: string, detail: string, attach: Attach) => {
			if (items.length >= maxItems) return;
			offered.set(id, attach);
			items.push({ id, label, detail });
		};
		if (query.startsWith('@')) {
			for (const [name, detail, attach] of parts())
				if (name.startsWith(words)) add(name, `@${name}`, detail, attach);
			for (const uri of await this.#filesLike(words)) {
				const path = vscode.workspace.asRelativePath(uri);
				const name = path.split('/').at(-1) ?? path;
				add(uri.toString(), name, path, () => fileAttachment(uri));
			}
		} else
			for (const symbol of await findSymbols(words)) {
				const { label, description = '' } = symbol;
				const id = `${symbol.uri} ${symbol.range.start.line} ${label}`;
				add(id, label, description, () => symbolAttachment(symbol));
			}
		this.#offered = offered;
		return items;
	}

	/** What was chosen of the last offer; `undefined` for anything else. */
	async attachment(id: string): Promise<Attachment | undefined> {
		return this.#offered.get(id)?.();
	}

	async #commands(words: string): Promise<Mention[]> {
		const own = [...slashCommands.keys(), 'translate'].map((name) => ({
			name,
			detail: commandDetails()[name] ?? '',
		}));
		const kept = (await promptFiles()).map(({ name, description, words: text }) => ({
			name,
			detail: description || text.slice(0, 80),
		}));
		return [...own, ...kept.filter(({ name }) => !own.some((one) => one.name === name))]
			.filter(({ name }) => name.toLowerCase().startsWith(words))
			.slice(0, maxItems)
			.map(({ name, detail }) => ({ id: name, label: `/${name}`, detail, insert: `/${name} ` }));
	}

	/** Files whose path holds the words; those whose name begins with them first, then short paths. */
	async #filesLike(words: string): Promise<vscode.Uri[]> {
		const now = performance.now();
		if (!this.#files || now - this.#files.at > filesKeepMs)
			this.#files = {
				at: now,
				uris: vscode.workspace.findFiles('**/*', undefined, maxFiles),
			};
		const rank = (path: string) => {
			const lower = path.toLowerCase();
			const name = lower.split('/').at(-1) ?? '';
			return (name.startsWith(words) ? 0 : name.includes(words) ? 1000 : 2000) + path.length;
		};
		return (await this.#files.uris)
			.map((uri) => ({ uri, path: vscode.workspace.asRelativePath(uri) }))
			.filter(({ path }) => path.toLowerCase().includes(words))
			.sort((a, b) => rank(a.path) - rank(b.path))
			.slice(0, maxItems)
			.map(({ uri }) => uri);
	}
}

/** What the commands do, in the language of the editor; what a model is told by them is English. */
const commandDetails = (): Readonly<Record<string, string>> => ({
	explain: vscode.l10n.t('Explain the code and why it is so'),
	fix: vscode.l10n.t('Find mistakes in the code and correct them'),
	tests: vscode.l10n.t('Write unit tests for the code'),
	docs: vscode.l10n.t('Write a documentation comment for the code'),
	commit: vscode.l10n.t('Write a commit message for the changes'),
	translate: vscode.l10n.t('Translate the selection or the text'),
});

/** Parts of the editor that have a name of their own. */
const parts = (): readonly (readonly [string, string, Attach])[] => [
	['selection', vscode.l10n.t('Selection or open file'), async () => selectionAttachment()],
	['problems', vscode.l10n.t('Problems of the open file'), async () => problemsAttachment()],
	['changes', vscode.l10n.t('What has changed in git'), changesAttachment],
];
