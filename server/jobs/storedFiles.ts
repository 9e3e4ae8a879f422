/** Files that people have uploaded, and those that batches have made: immutable, each of one person. */

import { createHash, hash, randomBytes } from 'node:crypto';
import { AppError } from '../protocol/index.ts';
import { type FileRecord, keys } from './jobTypes.ts';
import { jsonContent, type ObjectStore, readJsonObject } from './objectStore.ts';

export interface NewFile {
	readonly filename: string;
	readonly purpose: string;
	readonly expiresInS?: number;
	/** Makes it the same file however often it is added. */
	readonly id?: string;
}

/** A part of a list. */
export interface ListRange {
	readonly limit: number;
	readonly order: 'asc' | 'desc';
	readonly after?: string;
}

export interface ListPage<T> {
	readonly items: readonly T[];
	readonly hasMore: boolean;
}

/** An id that sorts by its time: `file-` and 9 digits of milliseconds, then 16 of chance. */
export const timedId = (prefix: string, nowMs: number): string =>
	`${prefix}${nowMs.toString(36).padStart(9, '0')}${randomBytes(8).toString('hex')}`;

/** Milliseconds since 1970 that an id of {@link timedId} was made at. */
export const timeOfId = (id: string): number =>
	Number.parseInt(id.slice(id.search(/[-_]/) + 1).slice(0, 9), 36);

/** Whose folder: people's names are no names of files. */
export const personFolder = (person: string): string => hash('sha256', person, 'hex').slice(0, 32);

export class StoredFiles {
	readonly #store: ObjectStore;
	readonly #now: () => number;

	/** @param now milliseconds since 1970 */
	constructor(store: ObjectStore, now: () => number) {
		this.#store = store;
		this.#now = now;
	}

	async add(
		person: string,
		content: AsyncIterable<Uint8Array>,
		{ filename, purpose, expiresInS, id = timedId('file-', this.#now()) }: NewFile,
	): Promise<FileRecord> {
		const digest = createHash('sha256');
		let bytes = 0;
		const counted = async function* (): AsyncIterable<Uint8Array> {
			for await (const part of content) {
				digest.update(part);
				bytes += part.byteLength;
				yield part;
			}
		};
		await this.#store.put(keys.fileContent(id), counted());
		const createdAt = Math.floor(this.#now() / 1000);
		const record: FileRecord = {
			...{ id, filename, purpose, bytes, createdAt, sha256: digest.digest('hex') },
			...(expiresInS === undefined ? {} : { expiresAt: createdAt + expiresInS }),
		};
		await this.#store.put(keys.file(personFolder(person), id), jsonContent(record));
		return record;
	}

	/** @throws AppError `not_found` */
	async get(person: string, id: string): Promise<FileRecord> {
		const found = isFileId(id)
			? await readJsonObject<FileRecord>(this.#store, keys.file(personFolder(person), id))
			: undefined;
		if (found === undefined || (found.expiresAt ?? Number.POSITIVE_INFINITY) * 1000 <= this.#now())
			throw new AppError(
				'not_found',
				`There is no file '${id.slice(0, 100)}' of yours. It may be deleted, too old, or somebody else's.`,
			);
		return found;
	}

	/** @throws AppError `not_found` */
	async content(person: string, id: string): Promise<AsyncIterable<Uint8Array>> {
		await this.get(person, id);
		return this.#store.read(keys.fileContent(id));
	}

	/** @throws AppError `not_found` */
	async delete(person: string, id: string): Promise<void> {
		await this.get(person, id);
		await this.#store.remove(keys.file(personFolder(person), id));
		await this.#store.remove(keys.fileContent(id));
	}

	list(person: string, range: ListRange, purpose?: string): Promise<ListPage<FileRecord>> {
		return listPage(this.#store, keys.filesOf(personFolder(person)), range, async (id) => {
			const record = await this.get(person, id).catch(() => undefined);
			return purpose === undefined || record?.purpose === purpose ? record : undefined;
		});
	}

	/** Removes those whose time is over, of everybody, but for these. */
	async sweep(but: ReadonlySet<string>): Promise<void> {
		for await (const key of this.#store.list('files-of/')) {
			const record = await readJsonObject<FileRecord>(this.#store, key);
			if (record?.expiresAt === undefined || record.expiresAt * 1000 > this.#now()) continue;
			if (but.has(record.id)) continue;
			await this.#store.remove(key);
			await this.#store.remove(keys.fileContent(record.id));
		}
	}
}

export const isFileId = (id: string): boolean => /^file-[0-9a-z]{25}$/.test(id);

/** A page of what has ids that sort by their time. */
export async function listPage<T>(
	store: ObjectStore,
	prefix: string,
	{ limit, order, after }: ListRange,
	read: (id: string) => Promise<T | undefined>,
): Promise<ListPage<T>> {
	const ids: string[] = [];
	for await (const key of store.list(prefix)) ids.push(key.slice(prefix.length));
	if (order === 'desc') ids.reverse();
	const from = after === undefined ? 0 : ids.indexOf(after) + 1;
	if (after !== undefined && from === 0)
		throw new AppError(
			'not_found',
			`There is no '${after.slice(0, 100)}' of yours to go on after.`,
			{
				param: 'after',
			},
		);
	const items: T[] = [];
	for (const id of ids.slice(from)) {
		const item = await read(id);
		if (item === undefined) continue;
		if (items.length === limit) return { items, hasMore: true };
		items.push(item);
	}
	return { items, hasMore: false };
}
