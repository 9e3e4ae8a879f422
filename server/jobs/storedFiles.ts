/** Files that people have uploaded, and those that batches have made: immutable, each of one person. */

import { createHash, hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../protocol/index.ts';
import { LruMap } from '../protocol/lruMap.ts';
import type { JobLimits } from './batchLimits.ts';
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

/** What uploads have to fit into. */
export interface FileRoom extends Pick<JobLimits, 'personBytes' | 'personFiles'> {
	/** Bytes that are free where files are written; `undefined` where nobody can say. */
	freeBytes?(): Promise<number | undefined>;
}

const mib = 1_048_576;
/** What uploads leave free: databases and downloads on the same disk need some. */
const spareBytes = 256 * mib;
const none = { bytes: 0, files: 0 };
/** Content of this age that has no record gets none. */
const withoutRecordMs = 24 * 3600_000;
/** So long at most it takes from the end of a content to its record. */
const settleMs = 60_000;

/** Rejects when the signal is aborted. */
export type Settle = (signal?: AbortSignal) => Promise<void>;

export const usualSettle: Settle = async (signal) => {
	await sleep(settleMs, undefined, { ref: false, ...(signal && { signal }) });
};
/** Milliseconds for which a count holds: others write to the store, too. What is refused is counted anew sooner. */
const countHoldsMs = { room: 10_000, refusal: 1000 };

interface FileFacts {
	readonly bytes: number;
	/** Seconds since 1970. */
	readonly expiresAt: number;
}

/** What a person keeps. */
interface Kept {
	/** Milliseconds since 1970 that it was counted at. */
	readonly at: number;
	bytes: number;
	files: number;
}

export class StoredFiles {
	readonly #store: ObjectStore;
	readonly #now: () => number;

	readonly #room: FileRoom | undefined;
	/** Uploads that are being written, by person. */
	readonly #coming = new Map<string, { bytes: number; files: number }>();
	/** Of the records, which never change, what is asked of all of them again and again. */
	readonly #facts = new LruMap<string, FileFacts>(100_000);
	readonly #kept = new LruMap<string, Kept>(10_000);
	/** Counts that are being made: uploads that come together wait for one. */
	readonly #counting = new Map<string, Promise<Kept>>();

	/**
	 * @param now milliseconds since 1970
	 * @param room what {@link upload} keeps to
	 */
	constructor(store: ObjectStore, now: () => number, room?: FileRoom) {
		this.#store = store;
		this.#now = now;
		this.#room = room;
	}

	/**
	 * Keeps what somebody sends, if there is room for it.
	 * @param sizeBytes of the content
	 * @throws AppError `payload_too_large` beyond what one person may keep, `disk_full`
	 */
	async upload(
		person: string,
		content: AsyncIterable<Uint8Array>,
		sizeBytes: number,
		file: NewFile,
	): Promise<FileRecord> {
		const coming = this.#coming.get(person) ?? { bytes: 0, files: 0 };
		this.#coming.set(person, coming);
		coming.bytes += sizeBytes;
		coming.files++;
		try {
			await this.checkRoom(person, 0);
			return await this.add(person, content, file);
		} finally {
			coming.bytes -= sizeBytes;
			coming.files--;
			if (coming.files === 0) this.#coming.delete(person);
		}
	}

	/**
	 * Whether so many bytes more of one person can be kept, beside what is on its way.
	 * @throws AppError `payload_too_large`, `disk_full`
	 */
	async checkRoom(person: string, moreBytes: number): Promise<void> {
		if (this.#room === undefined) return;
		const { personBytes, personFiles, freeBytes } = this.#room;
		let kept = await this.#keptOf(person, countHoldsMs.room);
		// Both change while others upload, so they are read together.
		const wanted = () => {
			const coming = this.#coming.get(person) ?? none;
			const files = kept.files + coming.files + (moreBytes > 0 ? 1 : 0);
			const bytes = kept.bytes + coming.bytes + moreBytes;
			return { files, isOver: files > personFiles || bytes > personBytes };
		};
		if (wanted().isOver) kept = await this.#keptOf(person, countHoldsMs.refusal);
		const { files, isOver } = wanted();
		if (isOver) {
			const most =
				files > personFiles
					? `${personFiles} files`
					: `${Math.floor(personBytes / mib)} MB in files`;
			throw new AppError(
				'payload_too_large',
				`One person may keep ${most} on this server, results of batches included. Delete some (DELETE /v1/files/ID), or ask whoever runs it for more.`,
				{ param: 'file' },
			);
		}
		const free = await freeBytes?.();
		if (free === undefined || free - moreBytes - this.#allComing() >= spareBytes) return;
		throw new AppError(
			'disk_full',
			`The disk of this server has ${Math.floor(free / mib)} MB left, too little for this file. Delete files that are no longer needed, or tell whoever runs the server.`,
		);
	}

	/** Counts what a person keeps, unless that was done not longer ago than so many milliseconds. */
	async #keptOf(person: string, holdsMs: number): Promise<Kept> {
		const running = this.#counting.get(person);
		if (running !== undefined) return await running;
		const known = this.#kept.get(person);
		if (known !== undefined && this.#now() - known.at < holdsMs) return known;
		const counting = this.#count(person);
		this.#counting.set(person, counting);
		try {
			return await counting;
		} catch (error) {
			this.#kept.delete(person);
			throw error;
		} finally {
			this.#counting.delete(person);
		}
	}

	async #count(person: string): Promise<Kept> {
		const kept: Kept = { at: this.#now(), bytes: 0, files: 0 };
		this.#kept.set(person, kept);
		for await (const key of this.#store.list(keys.filesOf(personFolder(person)))) {
			kept.files++;
			kept.bytes += (await this.#factsOf(key)).bytes;
		}
		return kept;
	}

	#changeKept(person: string, bytes: number, files: number): void {
		const kept = this.#kept.get(person);
		if (kept === undefined) return;
		kept.bytes += bytes;
		kept.files += files;
	}

	#allComing(): number {
		return [...this.#coming.values()].reduce((sum, { bytes }) => sum + bytes, 0);
	}

	async #factsOf(key: string): Promise<FileFacts> {
		const known = this.#facts.get(key);
		if (known !== undefined) return known;
		const record = await readJsonObject<FileRecord>(this.#store, key);
		const { bytes = 0, expiresAt = Number.POSITIVE_INFINITY } = record ?? {};
		if (record !== undefined) this.#facts.set(key, { bytes, expiresAt });
		return { bytes, expiresAt };
	}

	/** Keeps a file whatever is kept already: what a batch has made is not lost. */
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
		try {
			await this.#store.put(keys.file(personFolder(person), id), jsonContent(record));
		} catch (error) {
			// Nobody would find it, and nobody would delete it.
			await this.#store.remove(keys.fileContent(id)).catch(() => {});
			throw error;
		}
		this.#changeKept(person, bytes, 1);
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
		const { bytes } = await this.get(person, id);
		await this.#store.remove(keys.file(personFolder(person), id));
		this.#changeKept(person, -bytes, -1);
		await this.#store.remove(keys.fileContent(id));
	}

	/** Removes what there is of a file, also where whoever wrote it ended before it was whole. */
	async discard(person: string, id: string): Promise<void> {
		const bytes = (await this.get(person, id).catch(ignoreMissing))?.bytes;
		await this.#store.remove(keys.file(personFolder(person), id));
		if (bytes !== undefined) this.#changeKept(person, -bytes, -1);
		await this.#store.remove(keys.fileContent(id));
	}

	list(person: string, range: ListRange, purpose?: string): Promise<ListPage<FileRecord>> {
		const read = async (id: string) => {
			const record = await this.get(person, id).catch(ignoreMissing);
			return purpose === undefined || record?.purpose === purpose ? record : undefined;
		};
		return listPage(this.#store, keys.filesOf(personFolder(person)), range, isFileId, read);
	}

	/**
	 * Removes those whose time is over, of everybody, but for these.
	 * @param settle waits until content that has no record is looked at again: a translation has had its id for as long
	 * as its batch takes, and may be written at this moment
	 */
	async sweep(
		but: ReadonlySet<string>,
		signal?: AbortSignal,
		settle: Settle = usualSettle,
	): Promise<void> {
		// Listed before the records: a file that is written meanwhile has one.
		const contents = new Set<string>();
		for await (const key of this.#store.list(keys.files)) {
			const id = key.slice(keys.files.length);
			if (isFileId(id) && timeOfId(id) < this.#now() - withoutRecordMs) contents.add(id);
		}
		for await (const key of this.#store.list(keys.filesOfAll)) {
			signal?.throwIfAborted();
			const id = key.slice(key.lastIndexOf('/') + 1);
			contents.delete(id);
			const { expiresAt } = await this.#factsOf(key);
			if (expiresAt * 1000 > this.#now() || but.has(id)) continue;
			await this.#store.remove(key);
			await this.#store.remove(keys.fileContent(id));
		}
		if (contents.size === 0) return;
		await settle(signal);
		for await (const key of this.#store.list(keys.filesOfAll))
			contents.delete(key.slice(key.lastIndexOf('/') + 1));
		// Whoever wrote these ended before it could say whose they are: nobody finds them.
		for (const id of contents) {
			signal?.throwIfAborted();
			await this.#store.remove(keys.fileContent(id));
		}
	}
}

/** What cannot be read for another reason is not said to be absent. */
function ignoreMissing(error: unknown): undefined {
	if (error instanceof AppError && error.code === 'not_found') return undefined;
	throw error;
}

export const isFileId = (id: string): boolean => /^file-[0-9a-z]{25}$/.test(id);

/**
 * A page of what has ids that sort by their time. It begins after the place of an id, whether that is still there or not:
 * whoever deletes what a page had goes on with the next one.
 */
export async function listPage<T>(
	store: ObjectStore,
	prefix: string,
	{ limit, order, after }: ListRange,
	isId: (id: string) => boolean,
	read: (id: string) => Promise<T | undefined>,
): Promise<ListPage<T>> {
	if (after !== undefined && !isId(after))
		throw new AppError('not_found', `There is no '${after.slice(0, 100)}' to go on after.`, {
			param: 'after',
		});
	const isBeyond = (id: string): boolean =>
		after === undefined || (order === 'asc' ? id > after : id < after);
	const ids: string[] = [];
	for await (const key of store.list(prefix)) ids.push(key.slice(prefix.length));
	if (order === 'desc') ids.reverse();
	const items: T[] = [];
	for (const id of ids.filter(isBeyond)) {
		const item = await read(id);
		if (item === undefined) continue;
		if (items.length === limit) return { items, hasMore: true };
		items.push(item);
	}
	return { items, hasMore: false };
}
