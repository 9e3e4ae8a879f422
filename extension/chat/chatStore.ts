/** Chats on disk: one JSON file each in the extension's own storage folder, written whole or not. */

import * as vscode from 'vscode';
import type { Conversation } from '../../server/protocol/index.ts';

/** A chat in the list of chats. */
export interface ChatSummary {
	readonly id: string;
	readonly title: string;
	/** ISO 8601. */
	readonly updatedAt: string;
	/** Everything said, in lower case, for searching. */
	readonly text: string;
}

/** Reads and writes chats below `folder`; which one a workspace shows is kept in `workspaceFolder`. */
export class ChatStore {
	readonly #folder: vscode.Uri;
	readonly #current: vscode.Uri;
	/** Writes to one file follow each other. */
	#last: Promise<void> = Promise.resolve();
	/** Deleted chats: an answer that is still being written to one must not bring it back. */
	readonly #removed = new Set<string>();

	constructor(folder: vscode.Uri, workspaceFolder: vscode.Uri) {
		this.#folder = folder;
		this.#current = vscode.Uri.joinPath(workspaceFolder, 'current-chat');
	}

	save(conversation: Conversation): Promise<void> {
		return this.#inTurn(async () => {
			if (this.#removed.has(conversation.id)) return;
			const bytes = new TextEncoder().encode(JSON.stringify(conversation));
			const target = this.#file(conversation.id);
			const temporary = target.with({ path: `${target.path}.${process.pid}.tmp` });
			await vscode.workspace.fs.createDirectory(this.#folder);
			await vscode.workspace.fs.writeFile(temporary, bytes);
			await vscode.workspace.fs.rename(temporary, target, { overwrite: true });
		});
	}

	/** The chat, or `undefined` when it is absent or unreadable. */
	async load(id: string): Promise<Conversation | undefined> {
		if (!/^[\w-]+$/.test(id)) return undefined;
		try {
			const bytes = await vscode.workspace.fs.readFile(this.#file(id));
			return parseConversation(JSON.parse(new TextDecoder().decode(bytes)));
		} catch {
			return undefined;
		}
	}

	/** Newest first. */
	async list(): Promise<ChatSummary[]> {
		let names: [string, vscode.FileType][];
		try {
			names = await vscode.workspace.fs.readDirectory(this.#folder);
		} catch {
			return [];
		}
		const ids = names.map(([name]) => /^([\w-]+)\.json$/.exec(name)?.[1]);
		const chats = await Promise.all(ids.map((id) => (id ? this.load(id) : undefined)));
		return chats
			.filter((chat) => chat !== undefined)
			.map(({ id, title, updatedAt, turns }) => ({
				id,
				title,
				updatedAt,
				text: turns
					.map((turn) => turn.text)
					.join('\n')
					.toLowerCase(),
			}))
			.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
	}

	/** Notes which chat this workspace shows. A file, because a memento may be lost by a reload. */
	async remember(id: string): Promise<void> {
		await vscode.workspace.fs.writeFile(this.#current, new TextEncoder().encode(id));
	}

	/** The chat this workspace showed last. */
	async current(): Promise<Conversation | undefined> {
		try {
			const bytes = await vscode.workspace.fs.readFile(this.#current);
			return await this.load(new TextDecoder().decode(bytes));
		} catch {
			return undefined;
		}
	}

	/** Deletes a chat; nothing of it is saved any more. */
	remove(id: string): Promise<void> {
		this.#removed.add(id);
		return this.#inTurn(async () => vscode.workspace.fs.delete(this.#file(id)));
	}

	#inTurn(work: () => Promise<void>): Promise<void> {
		this.#last = this.#last.then(work, work);
		return this.#last;
	}

	#file(id: string): vscode.Uri {
		return vscode.Uri.joinPath(this.#folder, `${id}.json`);
	}
}

function parseConversation(value: unknown): Conversation | undefined {
	const chat = value as Partial<Conversation> | null;
	const sound =
		typeof chat === 'object' &&
		typeof chat?.id === 'string' &&
		typeof chat.title === 'string' &&
		typeof chat.updatedAt === 'string' &&
		Array.isArray(chat.turns);
	return sound ? (chat as Conversation) : undefined;
}
