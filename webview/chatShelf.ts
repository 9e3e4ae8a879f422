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

/** Chats by their ids. Where the browser keeps no database (as in some private windows), they last as long as the page. */
export class ChatShelf {
	readonly #database: IDBDatabase | undefined;
	readonly #memory = new Map<string, ShelvedChat>();
	readonly #person = personId();

	private constructor(database: IDBDatabase | undefined) {
		this.#database = database;
	}

	/** Opens the shelf; what another person has left on it is removed first. */
	static async open(): Promise<ChatShelf> {
		const shelf = new ChatShelf(await openDatabase().catch(() => undefined));
		for (const chat of await shelf.#everything())
			if (chat.person !== shelf.#person) await shelf.remove(chat.id);
		return shelf;
	}

	/** The newest first. */
	async list(): Promise<ShelvedChat[]> {
		const own = (await this.#everything()).filter(({ person }) => person === this.#person);
		return own.sort((a, b) => b.conversation.updatedAt.localeCompare(a.conversation.updatedAt));
	}

	async get(id: string): Promise<ShelvedChat | undefined> {
		if (!this.#database) return this.#memory.get(id);
		const chat = (await this.#ask('readonly', (store) => store.get(id))) as ShelvedChat | undefined;
		return chat?.person === this.#person ? chat : undefined;
	}

	/** Keeps a conversation with what another tab has added to it; resolves with both. Title and pin stay. */
	async save(conversation: Conversation): Promise<Conversation> {
		const { id } = conversation;
		const next = (known: ShelvedChat | undefined): ShelvedChat => {
			const own = known?.person === this.#person ? known : undefined;
			const merged = own ? mergeConversations(conversation, own.conversation) : conversation;
			return { ...own, id, person: this.#person, conversation: merged };
		};
		if (!this.#database) {
			const chat = next(this.#memory.get(id));
			this.#memory.set(id, chat);
			return chat.conversation;
		}
		let chat: ShelvedChat | undefined;
		// In one transaction: another tab may save the same chat.
		await this.#ask('readwrite', (store) => {
			const request = store.get(id);
			request.onsuccess = () => {
				chat = next(request.result as ShelvedChat | undefined);
				store.put(chat);
			};
			return request;
		});
		return chat?.conversation ?? conversation;
	}

	async put(chat: ShelvedChat): Promise<void> {
		if (!this.#database) this.#memory.set(chat.id, chat);
		else await this.#ask('readwrite', (store) => store.put(chat));
	}

	async remove(id: string): Promise<void> {
		if (!this.#database) this.#memory.delete(id);
		else await this.#ask('readwrite', (store) => store.delete(id));
	}

	async #everything(): Promise<ShelvedChat[]> {
		if (!this.#database) return [...this.#memory.values()];
		return (await this.#ask('readonly', (store) => store.getAll())) as ShelvedChat[];
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
