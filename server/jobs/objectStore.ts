/**
 * Where files and results of bulk work lie: objects under keys, each complete or absent. The folder and S3 are two of
 * them; what is true of a batch is what is in here, whatever a queue says.
 */

import { AppError } from '../protocol/index.ts';

/** What an object is made of. */
export type ObjectContent = Uint8Array | AsyncIterable<Uint8Array>;

/** All calls reject with `store_unavailable` or `disk_full` when the store cannot be used. */
export interface ObjectStore extends AsyncDisposable {
	/** Puts an object in the place of one that may be there. It is on the disk when this resolves. */
	put(key: string, content: ObjectContent): Promise<void>;
	/** As {@link put}, unless there is one: then false. Of several at once exactly one succeeds. */
	putIfAbsent(key: string, content: ObjectContent): Promise<boolean>;
	/**
	 * The bytes from `start` up to, and without, `end`; default all.
	 * Iterating rejects with `not_found` when there is no such object.
	 */
	read(key: string, start?: number, end?: number): AsyncIterable<Uint8Array>;
	/** Bytes of an object; `undefined` when there is none. */
	size(key: string): Promise<number | undefined>;
	/** No error when there is none. */
	remove(key: string): Promise<void>;
	/** Keys of the objects that begin so, in their order. The prefix ends with `/`. */
	list(prefix: string): AsyncIterable<string>;
	/** Removes what a store has of places in which no object has been for long. Its time is over when the signal is aborted. */
	tidy?(prefix: string, signal?: AbortSignal): Promise<void>;
}

/** Keys are parts of letters, digits, `_`, `-` and `.` between slashes; no part begins with a dot. */
export function checkKey(key: string): string {
	if (/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/.test(key)) return key;
	throw new AppError('not_found', `There is no object '${key.slice(0, 100)}'.`);
}

export const notStored = (key: string): AppError =>
	new AppError('not_found', `There is no object '${key.slice(0, 100)}' in the store.`);

/** All of an object, or of a part of it. @throws AppError `not_found` */
export async function readObject(
	store: ObjectStore,
	key: string,
	start?: number,
	end?: number,
): Promise<Buffer> {
	const parts: Uint8Array[] = [];
	for await (const part of store.read(key, start, end)) parts.push(part);
	return Buffer.concat(parts);
}

/** The JSON of an object; `undefined` when there is none. */
export async function readJsonObject<T>(store: ObjectStore, key: string): Promise<T | undefined> {
	try {
		return JSON.parse((await readObject(store, key)).toString('utf8')) as T;
	} catch (error) {
		if (error instanceof AppError && error.code === 'not_found') return undefined;
		if (error instanceof SyntaxError)
			throw new AppError(
				'store_unavailable',
				`The object '${key}' of the batch store is damaged. Remove it, or restore it from a backup.`,
				{ cause: error },
			);
		throw error;
	}
}

export const jsonContent = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
