/** Unpacks model archives for closed networks. Only plain files with checked names come out. */

import { createReadStream, createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { open, type ZipFile } from 'yauzl';
import { AppError } from '../protocol/index.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { inside, pathFault } from './names.ts';

/** Most entries an archive may have, and most bytes they may unpack to. */
const maxEntries = 10_000;
const maxBytes = 200 * 2 ** 30;

export function isArchive(path: string): boolean {
	return /\.(tar|tar\.gz|tgz|zip)$/i.test(path);
}

/** Unpacks into a new folder; links, devices and names that leave the folder are refused. */
export async function unpack(path: string, folder: string, signal: AbortSignal): Promise<void> {
	makeFolder(folder);
	if (/\.zip$/i.test(path)) await unpackZip(path, folder, signal);
	else await unpackTar(path, folder, signal);
}

/** Name of the first plain file of an archive that matches, asked in their order; nothing is unpacked. */
export async function findInArchive(
	path: string,
	wanted: Pick<RegExp, 'test'>,
	signal?: AbortSignal,
): Promise<string | undefined> {
	return /\.zip$/i.test(path) ? findInZip(path, wanted) : findInTar(path, wanted, signal);
}

class Budget {
	/** Names as disks have them that do not tell capitals and accents apart. */
	readonly #seen = new Set<string>();
	#entries = 0;
	#bytes = 0;
	entry(name: string): void {
		if (++this.#entries > maxEntries) throw bad(`it has more than ${maxEntries} entries`);
		const fault = pathFault(name);
		if (fault !== undefined) throw bad(`${JSON.stringify(name)} ${fault}`);
		const folded = name.normalize('NFC').toLowerCase();
		if (this.#seen.has(folded))
			throw bad(
				`it holds ${JSON.stringify(name)} twice, on disks that take capitals for small letters`,
			);
		this.#seen.add(folded);
	}
	/** Of an entry that is passed over. */
	skip(bytes: number): void {
		this.#bytes += bytes;
		if (this.#bytes > maxBytes) throw bad('it unpacks to more than 200 GiB');
	}
	async *count(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
		for await (const chunk of source) {
			this.#bytes += chunk.length;
			if (this.#bytes > maxBytes) throw bad('it unpacks to more than 200 GiB');
			yield chunk;
		}
	}
}

const clean = (name: string) => name.replace(/^(\.\/)+/, '').replace(/\/+$/, '');

async function write(source: Readable, target: string, budget: Budget, signal: AbortSignal) {
	makeFolder(dirname(target));
	await pipeline(source, (chunks) => budget.count(chunks), createWriteStream(target), { signal });
}

/** Entries of an archive; the loop over them reports what goes wrong. */
function readTar(path: string, signal: AbortSignal | undefined) {
	const tar = extract();
	const options = signal === undefined ? {} : { signal };
	const feed = /\.(tgz|gz)$/i.test(path)
		? pipeline(createReadStream(path), createGunzip(), tar, options)
		: pipeline(createReadStream(path), tar, options);
	// Without a handler the pipe's copy of what went wrong would be unhandled.
	feed.catch(() => undefined);
	return { tar, feed };
}

async function findInTar(
	path: string,
	wanted: Pick<RegExp, 'test'>,
	signal: AbortSignal | undefined,
): Promise<string | undefined> {
	const budget = new Budget();
	const { tar } = readTar(path, signal);
	try {
		for await (const entry of tar) {
			const name = clean(entry.header.name);
			if (entry.header.type === 'file' && wanted.test(name)) return name;
			if (name !== '') budget.entry(name);
			budget.skip(entry.header.size ?? 0);
			entry.resume();
		}
		return undefined;
	} catch (error) {
		throw damaged(error, signal);
	}
}

async function unpackTar(path: string, folder: string, signal: AbortSignal): Promise<void> {
	const budget = new Budget();
	const { tar, feed } = readTar(path, signal);
	try {
		for await (const entry of tar) {
			const name = clean(entry.header.name);
			if (name === '' || entry.header.type === 'directory') {
				entry.resume();
				continue;
			}
			if (entry.header.type !== 'file')
				throw bad(`${JSON.stringify(name)} is a ${entry.header.type}`);
			budget.entry(name);
			await write(entry as unknown as Readable, inside(folder, name), budget, signal);
		}
		await feed;
	} catch (error) {
		throw damaged(error, signal);
	}
}

/** What an archive that is cut off or damaged stops with, as an error of the sender. */
function damaged(error: unknown, signal: AbortSignal | undefined): unknown {
	const isOurs = error instanceof AppError || signal?.aborted === true;
	const { syscall, message } = error as NodeJS.ErrnoException;
	return isOurs || syscall !== undefined ? error : bad(`it is cut off or damaged (${message})`);
}

function openZip(path: string): Promise<ZipFile> {
	return new Promise<ZipFile>((resolve, reject) => {
		open(path, { lazyEntries: true, autoClose: true, strictFileNames: true }, (error, file) =>
			error ? reject(bad(error.message)) : resolve(file),
		);
	});
}

async function findInZip(path: string, wanted: Pick<RegExp, 'test'>): Promise<string | undefined> {
	const budget = new Budget();
	const zip = await openZip(path);
	return new Promise((resolve, reject) => {
		zip.on('error', (error) => reject(bad(error.message)));
		zip.on('end', () => resolve(undefined));
		zip.on('entry', (entry) => {
			const name = clean(entry.fileName);
			try {
				budget.entry(name);
			} catch (error) {
				zip.close();
				reject(error);
				return;
			}
			if (!wanted.test(name)) return zip.readEntry();
			zip.close();
			resolve(name);
		});
		zip.readEntry();
	});
}

async function unpackZip(path: string, folder: string, signal: AbortSignal): Promise<void> {
	const budget = new Budget();
	const zip = await openZip(path);
	await new Promise<void>((resolve, reject) => {
		zip.on('error', (error) => reject(bad(error.message)));
		zip.on('end', resolve);
		zip.on('entry', (entry) => {
			const name = clean(entry.fileName);
			if (entry.fileName.endsWith('/')) return zip.readEntry();
			const type = (entry.externalFileAttributes >>> 28) & 0xf;
			const work = async () => {
				if (type !== 0 && type !== 8) throw bad(`${JSON.stringify(name)} is not a plain file`);
				budget.entry(name);
				const stream = await new Promise<Readable>((give, fail) => {
					zip.openReadStream(entry, (error, opened) => (error ? fail(error) : give(opened)));
				});
				await write(stream, inside(folder, name), budget, signal);
				zip.readEntry();
			};
			work().catch((error: unknown) => {
				zip.close();
				reject(error);
			});
		});
		zip.readEntry();
	});
}

function bad(why: string): AppError {
	const reason = why.replace(/\.+$/, '');
	return new AppError('invalid_request', `The archive is refused: ${reason}.`, { param: 'path' });
}
