/** Documents of batches, listed, read and written wherever they lie. */

import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { AppError, errno, systemError } from '../protocol/index.ts';
import { isBelow } from '../store/isBelow.ts';
import { listFolder } from '../store/listFolder.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { removePath } from '../store/movePath.ts';
import { linkPath, openPath, readPathBytes } from '../store/openPath.ts';
import { realPath } from '../store/realPath.ts';
import {
	type DocumentPlace,
	type FoundDocument,
	lastPart,
	targetExists,
	tooLarge,
} from './documentAddresses.ts';
import type { StoredFiles } from './storedFiles.ts';
import type { WebDocuments } from './webDocuments.ts';

export interface DocumentFilter {
	readonly prefix?: string;
	readonly suffix?: string;
}

/** A file that a translation becomes in the store of this server. */
export interface ResultFile {
	readonly id: string;
	readonly name: string;
	readonly expiresInS: number;
}

export class DocumentStores {
	readonly #files: () => Promise<StoredFiles>;
	readonly #web: WebDocuments;

	constructor(files: () => Promise<StoredFiles>, web: WebDocuments) {
		this.#files = files;
		this.#web = web;
	}

	/**
	 * The documents of a folder.
	 * @throws AppError `invalid_request` for more than `most`, `not_found`, `upstream_failed`
	 */
	async list(
		place: DocumentPlace,
		{ prefix = '', suffix = '' }: DocumentFilter,
		person: string,
		most: number,
		signal: AbortSignal,
	): Promise<FoundDocument[]> {
		const found: FoundDocument[] = [];
		const all =
			place.kind === 'own'
				? this.#uploaded(person)
				: place.kind === 'folder'
					? filesBelow(place.root, place.path)
					: this.#web.list(place.url, prefix, signal);
		for await (const document of all) {
			signal.throwIfAborted();
			if (!document.name.startsWith(prefix) || !document.name.endsWith(suffix)) continue;
			if (found.length === most)
				throw new AppError(
					'invalid_request',
					`A batch may have ${most} documents; filter the folder, or name other folders.`,
				);
			found.push(document);
		}
		return found;
	}

	/** Name of a document that was named by itself. @throws AppError `not_found` for a file that is not there */
	async nameOf(place: DocumentPlace, person: string): Promise<string> {
		if (place.kind === 'folder') return basename(place.path);
		if (place.kind === 'web') return lastPart(place.url);
		if (place.id === undefined)
			throw new AppError('invalid_request', 'Name a file by its id: /v1/files/ID.');
		return (await (await this.#files()).get(person, place.id)).filename;
	}

	/** @throws AppError `not_found`, `payload_too_large`, `upstream_failed` */
	async read(
		place: DocumentPlace,
		person: string,
		maxBytes: number,
		signal: AbortSignal,
	): Promise<Uint8Array> {
		if (place.kind === 'web') return this.#web.read(place.url, maxBytes, signal);
		if (place.kind === 'folder') return readInside(place.root, place.path, maxBytes);
		const files = await this.#files();
		const { bytes } = await files.get(person, place.id ?? '');
		if (bytes > maxBytes) throw tooLarge(maxBytes);
		const parts: Uint8Array[] = [];
		for await (const part of await files.content(person, place.id ?? '')) parts.push(part);
		return Buffer.concat(parts);
	}

	/**
	 * Writes a document. One that is there is not replaced; it may be what an earlier try has written.
	 * @returns where it lies
	 * @throws AppError `conflict` for another document at the place, `upstream_failed`
	 */
	async write(
		place: DocumentPlace,
		bytes: Uint8Array,
		person: string,
		{ id, name, expiresInS }: ResultFile,
		signal: AbortSignal,
	): Promise<DocumentPlace> {
		if (place.kind === 'web') await this.#web.write(place.url, bytes, signal);
		else if (place.kind === 'folder') await writeInside(place.root, place.path, bytes);
		else {
			const content = (async function* () {
				yield bytes;
			})();
			const made = { id, filename: name, purpose: 'batch_output', expiresInS };
			await (await this.#files()).add(person, content, made);
			return { kind: 'own', id };
		}
		return place;
	}

	async *#uploaded(person: string): AsyncIterable<FoundDocument> {
		const files = await this.#files();
		for (let after: string | undefined; ; ) {
			const range = {
				limit: 1000,
				order: 'asc',
				...(after === undefined ? {} : { after }),
			} as const;
			const { items, hasMore } = await files.list(person, range, 'user_data');
			for (const { id, filename } of items) yield { place: { kind: 'own', id }, name: filename };
			after = items.at(-1)?.id;
			if (!hasMore || after === undefined) return;
		}
	}
}

/** Files below a folder; names with a dot and links are left out. */
async function* filesBelow(root: string, folder: string): AsyncIterable<FoundDocument> {
	const start = await insideOf(root, folder);
	const walk = async function* (path: string): AsyncIterable<FoundDocument> {
		const entries = await listFolder(path).catch((error) => {
			throw readable(error, path);
		});
		for (const entry of entries) {
			if (entry.name.startsWith('.')) continue;
			const own = join(path, entry.name);
			if (entry.kind === 'folder') yield* walk(own);
			else if (entry.kind === 'file')
				yield {
					place: { kind: 'folder', root, path: own },
					name: relative(start, own).split(sep).join('/'),
				};
		}
	};
	yield* walk(start);
}

/** A path of what is there, links followed. @throws AppError `not_found` for one outside of the root */
async function insideOf(root: string, path: string): Promise<string> {
	const [real, base] = await Promise.all([realPath(path), realPath(root)]).catch((error) => {
		throw readable(error, path);
	});
	if (real === base || isBelow(real, base)) return real;
	throw new AppError('not_found', `${path} leads out of ${root}.`);
}

async function readInside(root: string, path: string, maxBytes: number): Promise<Uint8Array> {
	const real = await insideOf(root, path);
	const found = await stat(real);
	if (!found.isFile()) throw new AppError('not_found', `${path} is no file.`);
	if (found.size > maxBytes) throw tooLarge(maxBytes);
	return readPathBytes(real).catch((error) => {
		throw readable(error, path);
	});
}

async function writeInside(root: string, path: string, bytes: Uint8Array): Promise<void> {
	// Before folders are made on the way, what is there of it must lie inside.
	let above = dirname(resolve(path));
	while (
		above.length > resolve(root).length &&
		(await stat(above).catch(() => undefined)) === undefined
	)
		above = dirname(above);
	const real = await insideOf(root, above);
	const folder = join(real, relative(above, dirname(resolve(path))));
	const draft = join(folder, `.${randomBytes(9).toString('hex')}.part`);
	try {
		makeFolder(folder, 0o777);
		const file = await openPath(draft, 'wx');
		try {
			await file.writeFile(bytes);
			await file.datasync();
		} finally {
			await file.close();
		}
		// A second name is made only where there is none of that name.
		await linkPath(draft, join(folder, basename(path)));
		await removePath(draft, { force: true });
	} catch (error) {
		await removePath(draft, { force: true }).catch(() => {});
		if (errno(error) === 'EEXIST') {
			const there = await readInside(root, path, bytes.length).catch(() => undefined);
			if (there && Buffer.compare(there, bytes) === 0) return;
			throw targetExists(path);
		}
		if (error instanceof AppError) throw error;
		throw systemError(error, { path, verb: 'written', elsewhere: 'Name another folder.' }) ?? error;
	}
}

function readable(error: unknown, path: string): unknown {
	if (error instanceof AppError) return error;
	if (/^(?:ENOENT|ENOTDIR|ELOOP)$/.test(errno(error) ?? ''))
		return new AppError('not_found', `There is no ${path}.`);
	return systemError(error, { path, verb: 'read' }) ?? error;
}
