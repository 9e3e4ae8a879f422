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

	constructor(folder: string, workspaceFolder: string) {
		this.#folder = folder;
		this.#workspaceFolder = workspaceFolder;
	}

	/** Where the agent keeps what files held before it changed them, one file a chat. */
	get changesFolder(): string {
		return join(this.#folder, 'changes');
	}

	/** Keeps a chat with what another window has added to it; resolves with both. One that was deleted stays away. */
	save(conversation: Conversation): Promise<Conversation | 'deleted'> {
		return this.#inTurn(async () => {
			await makePrivateFolder(this.#folder);
			return await this.#file(conversation.id).change<Conversation | 'deleted'>((now) => {
				if (now.deleted !== undefined) return [now, 'deleted'];
				const chat = now.chat ? mergeConversations(conversation, now.chat) : conversation;
				return [{ chat }, chat];
			});
		});
	}

	/** Keeps a chat that was deleted elsewhere after all. */
	restore(chat: Conversation): Promise<void> {
		return this.#inTurn(() =>
			this.#file(chat.id).change((now) => [
				// Another window may have kept it before, and gone on.
				{ chat: now.chat ? mergeConversations(chat, now.chat) : chat },
				undefined,
			]),
		);
	}

	/** Gives a chat another title, or pins it; one that is gone stays away. */
	relabel(id: string, label: Pick<Conversation, 'title' | 'pinned'>): Promise<void> {
		return this.#inTurn(async () => {
			if (!(await this.load(id))) return;
			await this.#file(id).change((now) => [
				now.chat ? { chat: { ...now.chat, ...label } } : now,
				undefined,
			]);
		});
	}

	/** What there is of a chat: a window that shows one must know when another has deleted it. */
	async kept(id: string): Promise<Conversation | 'deleted' | undefined> {
		if (!isId(id)) return undefined;
		const { chat, deleted } = await this.#file(id).read();
		return deleted === undefined ? chat : 'deleted';
	}

	/** The chat, or `undefined` when there is none; a damaged one is set aside. */
	async load(id: string): Promise<Conversation | undefined> {
		return isId(id) ? (await this.#file(id).read()).chat : undefined;
	}

	/** Newest first. */
	async list(): Promise<ChatSummary[]> {
		const chats = await Promise.all((await this.#ids()).map((id) => this.load(id)));
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

	/** Deletes a chat. A mark takes its place for a while: no answer that is still being written brings it back. */
	remove(id: string): Promise<void> {
		return this.#inTurn(async () => {
			if (!isId(id)) return;
			await this.#removeChanges(id);
			try {
				await makePrivateFolder(this.#folder);
				const deleted = new Date().toISOString();
				await this.#file(id).change(() => [{ deleted }, undefined]);
			} catch {
				// No room for a mark: deleting is what makes some.
				await removePath(this.#file(id).path, { force: true });
			}
			await this.#removeOldMarks();
		});
	}

	async #removeOldMarks(): Promise<void> {
		const before = new Date(Date.now() - markForMs).toISOString();
		for (const id of await this.#ids()) {
			const file = this.#file(id);
			const { deleted } = await file.read();
			if (deleted === undefined) continue;
			// A tool that ran as the chat was deleted has noted what it did.
			await this.#removeChanges(id);
			if (deleted < before) await removePath(file.path, { force: true });
		}
	}

	/** Removes what files held before the agent of a chat changed them. */
	async #removeChanges(id: string): Promise<void> {
		await removePath(join(this.changesFolder, `${id}.json`), { force: true });
	}

	async #ids(): Promise<string[]> {
		const names = await readdir(this.#folder).catch(() => []);
		return names.flatMap((name) => /^([\w-]+)\.json$/.exec(name)?.[1] ?? []);
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
	/** When it was deleted, ISO 8601; nothing else is kept of it then. */
	readonly deleted?: string;
}

/** Milliseconds that a mark stays: windows that showed the chat are closed by then. */
const markForMs = 30 * 86_400_000;

const isId = (id: string): boolean => /^[\w-]+$/.test(id);

const format: JsonFormat<KeptChat> = {
	holds: 'A chat',
	fresh: () => ({}),
	parse: (fields) => {
		const { deleted } = fields;
		if (typeof deleted === 'string') return { deleted };
		// Earlier versions kept a chat's fields by themselves.
		const chat = parseConversation(fields['chat'] ?? fields);
		return chat && { chat };
	},
};
