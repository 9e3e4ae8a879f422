/**
 * Chats on disk: one JSON file each in the extension's own storage folder, written whole or not. The
 * disk is written without the file service of the window, which goes away with the window.
 */

import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Conversation } from '../../server/protocol/index.ts';
import { makePrivateFolder, writePrivately } from '../privateFiles.ts';

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
	readonly #folder: string;
	readonly #workspaceFolder: string;
	/** Writes to one file follow each other. */
	#last: Promise<void> = Promise.resolve();
	/** Deleted chats: an answer that is still being written to one must not bring it back. */
	readonly #removed = new Set<string>();

	constructor(folder: string, workspaceFolder: string) {
		this.#folder = folder;
		this.#workspaceFolder = workspaceFolder;
	}

	save(conversation: Conversation): Promise<void> {
		return this.#inTurn(async () => {
			if (this.#removed.has(conversation.id)) return;
			const target = this.#file(conversation.id);
			const temporary = `${target}.${process.pid}.tmp`;
			await makePrivateFolder(this.#folder);
			await writePrivately(temporary, JSON.stringify(conversation));
			await rename(temporary, target);
		});
	}

	/** The chat, or `undefined` when it is absent or unreadable. */
	async load(id: string): Promise<Conversation | undefined> {
		if (!/^[\w-]+$/.test(id)) return undefined;
		try {
			return parseConversation(JSON.parse(await readFile(this.#file(id), 'utf8')));
		} catch {
			return undefined;
		}
	}

	/** Newest first. */
	async list(): Promise<ChatSummary[]> {
		const names = await readdir(this.#folder).catch(() => []);
		const ids = names.map((name) => /^([\w-]+)\.json$/.exec(name)?.[1]);
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
		await mkdir(this.#workspaceFolder, { recursive: true, mode: 0o700 });
		await writePrivately(this.#current(), id);
	}

	/** The chat this workspace showed last. */
	async current(): Promise<Conversation | undefined> {
		const id = await readFile(this.#current(), 'utf8').catch(() => undefined);
		return id === undefined ? undefined : this.load(id);
	}

	/** Deletes a chat; nothing of it is saved any more. */
	remove(id: string): Promise<void> {
		this.#removed.add(id);
		return this.#inTurn(() => rm(this.#file(id)));
	}

	#inTurn(work: () => Promise<void>): Promise<void> {
		this.#last = this.#last.then(work, work);
		return this.#last;
	}

	#current(): string {
		return join(this.#workspaceFolder, 'current-chat');
	}

	#file(id: string): string {
		return join(this.#folder, `${id}.json`);
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
