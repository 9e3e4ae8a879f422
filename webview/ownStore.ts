/**
 * What a page keeps in the browser, of the person it was made for and nobody else. Whatever another person
 * has left there is removed before anything is read. Nothing else here touches the browser's stores, but for `chatShelf.ts`.
 */

import { browserStorePrefix as prefix } from '../server/protocol/index.ts';
import { forgetChats } from './chatShelf.ts';
import { personId } from './signedInPerson.ts';

const ownerKey = `${prefix}owner`;

/** One of the browser's stores, as far as it belongs to this page's person. */
class OwnStore {
	readonly #storage: Storage;
	readonly #person: string;

	constructor(storage: Storage, person: string) {
		this.#storage = storage;
		this.#person = person;
		if (this.isOwn()) return;
		this.forget();
		storage.setItem(ownerKey, person);
	}

	/** Whether it still is this person's: another tab may have been opened by somebody else since. */
	isOwn(): boolean {
		return this.#storage.getItem(ownerKey) === this.#person;
	}

	get(name: string): string | undefined {
		return this.isOwn() ? (this.#storage.getItem(prefix + name) ?? undefined) : undefined;
	}

	/** Keeps nothing when the store has become somebody else's, or nobody's. */
	set(name: string, value: string): void {
		if (this.isOwn()) this.#storage.setItem(prefix + name, value);
	}

	remove(name: string): void {
		if (this.isOwn()) this.#storage.removeItem(prefix + name);
	}

	/** Removes everything, and the owner. */
	forget(): void {
		for (const name of Object.keys(this.#storage))
			if (name.startsWith(prefix)) this.#storage.removeItem(name);
	}
}

let stores: { readonly browser: OwnStore; readonly tab: OwnStore } | undefined;

/** `browser` lasts, `tab` ends with the tab. */
export function ownStores(): { readonly browser: OwnStore; readonly tab: OwnStore } {
	stores ??= {
		browser: new OwnStore(localStorage, personId()),
		tab: new OwnStore(sessionStorage, personId()),
	};
	return stores;
}

/** Loads the page anew once it is no longer its person's: what it shows is not for the next one. */
export function leaveWithOwner(): void {
	const { browser } = ownStores();
	const look = () => {
		if (!browser.isOwn()) location.reload();
	};
	addEventListener('storage', look);
	// A page the browser brings back from before, with all it showed.
	addEventListener('pageshow', ({ persisted }) => persisted && look());
}

/** Before signing out: nothing stays. */
export async function forgetAll(): Promise<void> {
	const { browser, tab } = ownStores();
	browser.forget();
	tab.forget();
	await forgetChats();
}
