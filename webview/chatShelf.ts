/**
 * The chats of the studio page, in the browser's database: of the person the page was made for and nobody else. Only what is
 * deleted goes, and that can be taken back while the page is open.
 */

import type { Conversation } from '../server/protocol/index.ts';
import { mergeConversations } from '../server/protocol/mergeConversations.ts';
import { personId } from './signedInPerson.ts';

const databaseName = 'nearglot.chats';
const storeName = 'chats';

/** What is kept of a chat. */
export interface ShelvedChat {
	readonly id: string;
	readonly person: string;
	/** Given by the reader; absent: the conversation's own. */
	readonly title?: string;
	readonly pinned?: boolean;
	readonly conversation: Conversation;
}

/** A deleted chat: nothing is kept of it, and another tab that still shows it does not bring it back. */
interface DeletedMark {
	readonly id: string;
	readonly person: string;
	/** Milliseconds since 1970. */
	readonly deletedAt: number;
}

/** Milliseconds that a mark stays: tabs that showed the chat are closed by then. */
const markForMs = 30 * 86_400_000;

type Kept = ShelvedChat | DeletedMark;

const isMark = (kept: Kept | undefined): kept is DeletedMark =>
	kept !== undefined && 'deletedAt' in kept;

/** Chats by their ids. Where the browser keeps no database (as in some private windows), they last as long as the page. */
export class ChatShelf {
	readonly #database: IDBDatabase | undefined;
	readonly #memory = new Map<string, Kept>();
	readonly #person = personId();

	private constructor(database: IDBDatabase | undefined) {
		this.#database = database;
	}

	/** Opens the shelf; what another person has left on it is removed first. */
	static async open(): Promise<ChatShelf> {
		const shelf = new ChatShelf(await openDatabase().catch(() => undefined));
		const before = Date.now() - markForMs;
		for (const kept of await shelf.#everything())
			if (kept.person !== shelf.#person || (isMark(kept) && kept.deletedAt < before))
				await shelf.#forget(kept.id);
		return shelf;
	}

	/** The newest first. */
	async list(): Promise<ShelvedChat[]> {
		const own = (await this.#everything()).flatMap((kept) =>
			isMark(kept) || kept.person !== this.#person ? [] : [kept],
		);
		return own.sort((a, b) => b.conversation.updatedAt.localeCompare(a.conversation.updatedAt));
	}

	async get(id: string): Promise<ShelvedChat | undefined> {
		const kept = this.#database
			? ((await this.#ask('readonly', (store) => store.get(id))) as Kept | undefined)
			: this.#memory.get(id);
		return !kept || isMark(kept) || kept.person !== this.#person ? undefined : kept;
	}

	/** Keeps a conversation with what another tab has added to it; resolves with both. Title and pin stay, and a deleted one stays away. */
	async save(conversation: Conversation): Promise<Conversation | 'deleted'> {
		const { id } = conversation;
		const next = (known: Kept | undefined): Kept => {
			const own = known?.person === this.#person ? known : undefined;
			if (isMark(own)) return own;
			const merged = own ? mergeConversations(conversation, own.conversation) : conversation;
			return { ...own, id, person: this.#person, conversation: merged };
		};
		let kept: Kept | undefined;
		// In one transaction: another tab may save the same chat.
		if (this.#database)
			await this.#ask('readwrite', (store) => {
				const request = store.get(id);
				request.onsuccess = () => {
					kept = next(request.result as Kept | undefined);
					store.put(kept);
				};
				return request;
			});
		else {
			kept = next(this.#memory.get(id));
			this.#memory.set(id, kept);
		}
		if (isMark(kept)) return 'deleted';
		return kept?.conversation ?? conversation;
	}

	/** Keeps a chat as it is, a deleted one too. */
	put(chat: ShelvedChat): Promise<void> {
		return this.#put(chat);
	}

	/** Deletes a chat, also for tabs that show it. */
	async remove(id: string): Promise<void> {
		try {
			await this.#put({ id, person: this.#person, deletedAt: Date.now() });
		} catch {
			// The browser has no room for a mark: deleting is what makes some.
			await this.#forget(id);
		}
	}

	async #put(kept: Kept): Promise<void> {
		if (!this.#database) this.#memory.set(kept.id, kept);
		else await this.#ask('readwrite', (store) => store.put(kept));
	}

	async #forget(id: string): Promise<void> {
		if (!this.#database) this.#memory.delete(id);
		else await this.#ask('readwrite', (store) => store.delete(id));
	}

	async #everything(): Promise<Kept[]> {
		if (!this.#database) return [...this.#memory.values()];
		return (await this.#ask('readonly', (store) => store.getAll())) as Kept[];
	}

	#ask(mode: IDBTransactionMode, run: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
		return new Promise((resolve, reject) => {
			const transaction = this.#database?.transaction(storeName, mode);
			if (!transaction) return;
			const request = run(transaction.objectStore(storeName));
			transaction.oncomplete = () => resolve(request.result);
			transaction.onerror = () => reject(transaction.error);
			transaction.onabort = () => reject(transaction.error);
		});
	}
}

/** Removes all chats of this browser, before somebody signs out. */
export function forgetChats(): Promise<void> {
	return new Promise((resolve) => {
		const request = indexedDB.deleteDatabase(databaseName);
		request.onsuccess = () => resolve();
		request.onerror = () => resolve();
		// Another tab has it open: that tab closes it at once.
		request.onblocked = () => resolve();
	});
}

function openDatabase(): Promise<IDBDatabase> {
	return new Promise((resolve, reject) => {
		const request = indexedDB.open(databaseName, 1);
		request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: 'id' });
		request.onsuccess = () => {
			request.result.onversionchange = () => request.result.close();
			resolve(request.result);
		};
		request.onerror = () => reject(request.error);
		request.onblocked = () => reject(new Error('The database is held.'));
	});
}
