/** Takes a batch out of the store. */

import { keys } from './jobTypes.ts';
import type { ObjectStore } from './objectStore.ts';

/** Removes a batch, whatever is left of it. */
export async function removeBatch(store: ObjectStore, folder: string, id: string): Promise<void> {
	// Without its record nobody goes on with it, and nobody finds it.
	await store.remove(keys.record(id));
	await removeAll(store, keys.folder(id));
	await store.remove(keys.openBatch(id));
	await store.remove(keys.batchOf(folder, id));
}

/** Removes all objects that begin so. */
export async function removeAll(store: ObjectStore, prefix: string): Promise<void> {
	for await (const key of store.list(prefix)) await store.remove(key);
}
