/**
 * Chats on disk: one JSON file each in the extension's own storage folder, written whole or not. The
 * disk is written without the file service of the window, which goes away with the window.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../server/protocol/defined.ts';
import type { Conversation } from '../../server/protocol/index.ts';
import { mergeConversations } from '../../server/protocol/mergeConversations.ts';
import { makePrivateDir, readPlainText, writePrivateFile } from '../../server/store/files.ts';
import { JsonFile, type JsonFormat } from '../../server/store/jsonFile.ts';
import { removePath } from '../../server/store/movePath.ts';
import { makePrivateFolder } from '../privateFiles.ts';

/** A chat in the list of chats. */
export interface ChatSummary {
	readonly id: string;
	readonly title: string;
	readonly pinned: boolean;
	/** Model of the last answer, if one is known. */
	readonly model?: string;
	/** ISO 8601. */
	readonly updatedAt: string;
	/** Everything said, for searching. */
	readonly text: string;
}

/** Reads and writes chats below `folder`; which one a workspace shows is kept in `workspaceFolder`. */
export class ChatStore {
	readonly #folder: string;
	readonly #workspaceFolder: string;
	/** Writes to one file follow each other. */
	#last: Promise<unknown> = Promise.resolve();
	/** Deleted chats: an answer that is still being written to one must not bring it back. */
	readonly #removed = new Set<string>();

	constructor(folder: string, workspaceFolder: string) {
		this.#folder = folder;
		this.#workspaceFolder = workspaceFolder;
	}

	/** Where the agent keeps what files held before it changed them, one file a chat. */
	get changesFolder(): string {
		return join(this.#folder, 'changes');
	}

	/** Keeps a chat with what another window has added to it; resolves with both, `undefined` when it was deleted. */
	save(conversation: Conversation): Promise<Conversation | undefined> {
		return this.#inTurn(async () => {
			if (this.#removed.has(conversation.id)) return undefined;
			await makePrivateFolder(this.#folder);
			return await this.#file(conversation.id).change(({ chat: kept }) => {
				const chat = kept ? mergeConversations(conversation, kept) : conversation;
				return [{ chat }, chat];
			});
		});
	}

	/** Gives a chat another title, or pins it; one that is gone stays away. */
	relabel(id: string, label: Pick<Conversation, 'title' | 'pinned'>): Promise<void> {
		return this.#inTurn(async () => {
			if (this.#removed.has(id) || !(await this.load(id))) return;
			await this.#file(id).change((now) => [
				now.chat ? { chat: { ...now.chat, ...label } } : now,
				undefined,
			]);
		});
	}

	/** The chat, or `undefined` when there is none; a damaged one is set aside. */
	async load(id: string): Promise<Conversation | undefined> {
		if (!/^[\w-]+$/.test(id)) return undefined;
		return (await this.#file(id).read()).chat;
	}

	/** Newest first. */
	async list(): Promise<ChatSummary[]> {
		const names = await readdir(this.#folder).catch(() => []);
		const ids = names.map((name) => /^([\w-]+)\.json$/.exec(name)?.[1]);
		const chats = await Promise.all(ids.map((id) => (id ? this.load(id) : undefined)));
		return chats
			.filter((chat) => chat !== undefined)
			.map(({ id, title, pinned = false, updatedAt, turns }) => ({
				id,
				title,
				pinned,
				...defined({ model: turns.findLast(({ model }) => model !== undefined)?.model }),
				updatedAt,
				text: turns.map((turn) => turn.text).join('\n'),
			}))
			.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
	}

	/** Notes which chat this workspace shows. A file, because a memento may be lost by a reload. */
	async remember(id: string): Promise<void> {
		await makePrivateDir(this.#workspaceFolder);
		await writePrivateFile(this.#current(), id);
	}

	/** The chat this workspace showed last. */
	async current(): Promise<Conversation | undefined> {
		const id = await readPlainText(this.#current()).catch(() => undefined);
		return id === undefined ? undefined : this.load(id);
	}

	/** Deletes a chat; nothing of it is saved any more. */
	remove(id: string): Promise<void> {
		this.#removed.add(id);
		return this.#inTurn(async () => {
			await removePath(this.#file(id).path);
			// What files held before the agent of the chat changed them.
			await removePath(join(this.changesFolder, `${id}.json`), { force: true });
		});
	}

	#inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
		const done = this.#last.then(work, work);
		this.#last = done;
		return done;
	}

	#current(): string {
		return join(this.#workspaceFolder, 'current-chat');
	}

	#file(id: string): JsonFile<KeptChat> {
		return new JsonFile(join(this.#folder, `${id}.json`), format);
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

interface KeptChat {
	readonly chat?: Conversation;
}

const format: JsonFormat<KeptChat> = {
	holds: 'A chat',
	fresh: () => ({}),
	parse: (fields) => {
		// Earlier versions kept a chat's fields by themselves.
		const chat = parseConversation(fields['chat'] ?? fields);
		return chat && { chat };
	},
};
