/** Objects as files of a folder, which several machines may share. Private to its user; complete or absent. */

import { randomBytes } from 'node:crypto';
import { readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, errno, systemError } from '../protocol/index.ts';
import { makePrivateDir } from '../store/files.ts';
import { listFolder } from '../store/listFolder.ts';
import { movePath, removePath } from '../store/movePath.ts';
import { linkPath, openPath } from '../store/openPath.ts';
import { checkKey, notStored, type ObjectContent, type ObjectStore } from './objectStore.ts';

/** Drafts that are older are those of ended processes. */
const oldestDraftMs = 24 * 3600_000;
/** Folders that have had no change for so long have nobody who is about to write there. */
const emptyMs = 24 * 3600_000;

/**
 * Opens, or makes, the store of a folder.
 * @param now milliseconds since 1970
 * @throws AppError `store_unavailable` for a folder that cannot be written, `invalid_request` for one whose disk knows no
 * second name of a file, by which one of two that finish at once is refused
 */
export async function openFolderStore(root: string, now: () => number): Promise<ObjectStore> {
	const store = new FolderStore(root, now);
	await makePrivateDir(join(root, '.drafts'));
	const probe = `probe-${randomBytes(6).toString('hex')}`;
	try {
		await store.putIfAbsent(probe, new Uint8Array(1));
		if (await store.putIfAbsent(probe, new Uint8Array(1)))
			throw new AppError(
				'invalid_request',
				`The disk of ${root} lets a file be made twice, so results could be doubled. Choose a folder on another disk.`,
			);
	} finally {
		await store.remove(probe).catch(() => {});
	}
	await store.removeOldDrafts(now());
	return store;
}

class FolderStore implements ObjectStore {
	readonly #root: string;
	readonly #made = new Set<string>();
	readonly #now: () => number;

	constructor(root: string, now: () => number) {
		this.#root = root;
		this.#now = now;
	}

	async put(key: string, content: ObjectContent): Promise<void> {
		const path = this.#path(key);
		await this.#write(path, content, (draft) => movePath(draft, path));
	}

	async putIfAbsent(key: string, content: ObjectContent): Promise<boolean> {
		const path = this.#path(key);
		if ((await this.size(key)) !== undefined) return false;
		return this.#write(path, content, async (draft) => {
			try {
				// A second name is made only where there is none of that name.
				await linkPath(draft, path);
				return true;
			} catch (error) {
				if (errno(error) === 'EEXIST') return false;
				throw error;
			}
		});
	}

	async *read(key: string, start = 0, end?: number): AsyncIterable<Uint8Array> {
		if (end !== undefined && end <= start) return;
		const path = this.#path(key);
		const range = end === undefined ? { start } : { start, end: end - 1 };
		try {
			const file = await openPath(path);
			for await (const chunk of file.createReadStream(range)) yield chunk as Uint8Array;
		} catch (error) {
			if (errno(error) === 'ENOENT') throw notStored(key);
			throw this.#unusable(error, path, 'read');
		}
	}

	async size(key: string): Promise<number | undefined> {
		const path = this.#path(key);
		try {
			return (await stat(path)).size;
		} catch (error) {
			if (/^(?:ENOENT|ENOTDIR)$/.test(errno(error) ?? '')) return undefined;
			throw this.#unusable(error, path, 'read');
		}
	}

	async remove(key: string): Promise<void> {
		await removePath(this.#path(key), { force: true });
	}

	async *list(prefix: string): AsyncIterable<string> {
		yield* this.#listFolder(join(this.#root, prefix), prefix);
	}

	async tidy(prefix: string, signal?: AbortSignal): Promise<void> {
		await this.#removeEmpty(join(this.#root, prefix), signal);
	}

	/** Removes empty folders below one; whether it is empty then, and has been left alone for long. */
	async #removeEmpty(folder: string, signal?: AbortSignal): Promise<boolean> {
		signal?.throwIfAborted();
		const found = await stat(folder).catch(() => undefined);
		const entries = found && (await listFolder(folder).catch(() => undefined));
		if (found === undefined || entries === undefined) return false;
		let isEmpty = true;
		for (const { name, kind } of entries) {
			const inner = join(folder, name);
			// What gets something in this moment is not removed: the system sees to that.
			const isGone =
				kind === 'folder' &&
				(await this.#removeEmpty(inner, signal)) &&
				(await rmdir(inner).then(
					() => true,
					() => false,
				));
			isEmpty &&= isGone;
		}
		return isEmpty && this.#now() - found.mtimeMs > emptyMs;
	}

	/** Removes what killed processes have begun to write. */
	async removeOldDrafts(now: number): Promise<void> {
		const folder = join(this.#root, '.drafts');
		for (const name of await readdir(folder).catch(() => [])) {
			const found = await stat(join(folder, name)).catch(() => undefined);
			if (found && now - found.mtimeMs > oldestDraftMs)
				await removePath(join(folder, name), { force: true }).catch(() => {});
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {}

	#path(key: string): string {
		return join(this.#root, checkKey(key));
	}

	async *#listFolder(folder: string, prefix: string): AsyncIterable<string> {
		const found = await listFolder(folder).catch((error) => {
			if (errno(error) === 'ENOENT') return [];
			throw this.#unusable(error, folder, 'read');
		});
		for (const entry of found) {
			if (entry.name.startsWith('.')) continue;
			const key = prefix + entry.name;
			if (entry.kind === 'folder') yield* this.#listFolder(join(folder, entry.name), `${key}/`);
			else if (entry.kind === 'file') yield key;
		}
	}

	async #write<T>(
		path: string,
		content: ObjectContent,
		place: (draft: string) => Promise<T>,
	): Promise<T> {
		const draft = join(this.#root, '.drafts', randomBytes(12).toString('hex'));
		try {
			await this.#makeFolder(dirname(path));
			const file = await openPath(draft, 'wx', 0o600);
			try {
				if (content instanceof Uint8Array) await file.writeFile(content);
				else for await (const part of content) await file.writeFile(part);
				await file.datasync();
			} finally {
				await file.close();
			}
			const placed = await place(draft).catch(async (error) => {
				if (errno(error) !== 'ENOENT') throw error;
				// Another machine has taken away the folder, in which nothing was.
				this.#made.clear();
				await this.#makeFolder(dirname(path));
				return place(draft);
			});
			await syncFolder(dirname(path));
			// One that has a second name has its first one still.
			await removePath(draft, { force: true });
			return placed;
		} catch (error) {
			await removePath(draft, { force: true }).catch(() => {});
			this.#made.clear();
			throw this.#unusable(error, path, 'written');
		}
	}

	async #makeFolder(folder: string): Promise<void> {
		if (this.#made.has(folder)) return;
		await makePrivateDir(folder);
		if (this.#made.size > 1000) this.#made.clear();
		this.#made.add(folder);
	}

	#unusable(error: unknown, path: string, verb: 'read' | 'written'): unknown {
		if (error instanceof AppError) return error;
		const elsewhere = 'Free some space, or choose another folder with serve --store.';
		return systemError(error, { path, verb, elsewhere }) ?? error;
	}
}

/** Has the name on the disk, too. Windows does so by itself and knows no such call. */
async function syncFolder(path: string): Promise<void> {
	if (process.platform === 'win32') return;
	try {
		await using folder = await openPath(path);
		await folder.sync();
	} catch {
		// Some network and FUSE folders know no such call either.
	}
}
