/** Unpacks model archives for closed networks. Only plain files with checked names come out. */

import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
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

/** Told how much of an archive was read, of how much. */
export type ArchiveListener = (readBytes: number, sizeBytes: number) => void;

/**
 * Unpacks into a new folder; links, devices and names that leave the folder are refused.
 * @throws AppError `invalid_request`, `cancelled`, or the system's own errors
 */
export async function unpack(
	path: string,
	folder: string,
	signal: AbortSignal,
	onRead: ArchiveListener = () => {},
): Promise<void> {
	makeFolder(folder);
	if (isZip(path)) await unpackZip(path, folder, onRead, signal);
	else await unpackTar(path, folder, onRead, signal);
}

/**
 * Name of the first plain file of an archive that matches, asked in their order; nothing is unpacked.
 * @throws AppError `invalid_request`, `cancelled`, or the system's own errors
 */
export async function findInArchive(
	path: string,
	wanted: Pick<RegExp, 'test'>,
	signal: AbortSignal,
	onRead: ArchiveListener = () => {},
): Promise<string | undefined> {
	return isZip(path) ? findInZip(path, wanted, signal) : findInTar(path, wanted, onRead, signal);
}

const isZip = (path: string): boolean => /\.zip$/i.test(path);

class Budget {
	/** Names as disks have them that do not tell capitals and accents apart. */
	readonly #seen = new Set<string>();
	#entries = 0;
	#bytes = 0;
	/** Of a folder, or of a file. */
	any(): void {
		if (++this.#entries > maxEntries) throw bad(`it has more than ${maxEntries} entries`);
	}
	entry(name: string): void {
		this.any();
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
	/** @param onBytes told how many of this entry have come */
	async *count(
		source: AsyncIterable<Buffer>,
		onBytes: (written: number) => void,
	): AsyncIterable<Buffer> {
		let written = 0;
		for await (const chunk of source) {
			written += chunk.length;
			this.skip(chunk.length);
			onBytes(written);
			yield chunk;
		}
	}
}

const clean = (name: string) => name.replace(/^(\.\/)+/, '').replace(/\/+$/, '');

async function write(
	source: Readable,
	target: string,
	budget: Budget,
	signal: AbortSignal,
	onBytes: (written: number) => void = () => {},
): Promise<void> {
	makeFolder(dirname(target));
	const counted = (chunks: AsyncIterable<Buffer>) => budget.count(chunks, onBytes);
	await pipeline(source, counted, createWriteStream(target), { signal });
}

/** Entries of an archive; the loop over them reports what goes wrong. */
async function readTar(path: string, onRead: ArchiveListener, signal: AbortSignal) {
	const { size } = await stat(path);
	// A reader that begins with nothing to come would wait for ever.
	if (signal.aborted) throw new AppError('cancelled');
	async function* counted(file: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
		let read = 0;
		for await (const chunk of file) {
			read += chunk.length;
			onRead(read, size);
			yield chunk;
		}
	}
	const tar = extract();
	const file = createReadStream(path);
	const feed = /\.(tgz|gz)$/i.test(path)
		? pipeline(file, counted, createGunzip(), tar, { signal })
		: pipeline(file, counted, tar, { signal });
	// Without a handler the pipe's copy of what went wrong would be unhandled.
	feed.catch(() => undefined);
	return { tar, feed };
}

async function findInTar(
	path: string,
	wanted: Pick<RegExp, 'test'>,
	onRead: ArchiveListener,
	signal: AbortSignal,
): Promise<string | undefined> {
	const budget = new Budget();
	const { tar } = await readTar(path, onRead, signal);
	try {
		for await (const entry of tar) {
			const name = clean(entry.header.name);
			if (entry.header.type === 'file' && wanted.test(name)) return name;
			if (name === '') budget.any();
			else budget.entry(name);
			budget.skip(entry.header.size ?? 0);
			entry.resume();
		}
		return undefined;
	} catch (error) {
		throw damaged(error, signal);
	}
}

async function unpackTar(
	path: string,
	folder: string,
	onRead: ArchiveListener,
	signal: AbortSignal,
): Promise<void> {
	const budget = new Budget();
	const { tar, feed } = await readTar(path, onRead, signal);
	try {
		for await (const entry of tar) {
			const name = clean(entry.header.name);
			if (name === '' || entry.header.type === 'directory') {
				budget.any();
				budget.skip(entry.header.size ?? 0);
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
function damaged(error: unknown, signal: AbortSignal): unknown {
	if (signal.aborted) return new AppError('cancelled');
	const { syscall, message } = error as NodeJS.ErrnoException;
	const isOurs = error instanceof AppError || syscall !== undefined;
	return isOurs ? error : bad(`it is cut off or damaged (${message})`);
}

function openZip(path: string): Promise<ZipFile> {
	return new Promise<ZipFile>((resolve, reject) => {
		open(path, { lazyEntries: true, autoClose: true, strictFileNames: true }, (error, file) =>
			error ? reject(bad(error.message)) : resolve(file),
		);
	});
}

async function findInZip(
	path: string,
	wanted: Pick<RegExp, 'test'>,
	signal: AbortSignal,
): Promise<string | undefined> {
	const budget = new Budget();
	const zip = await openZip(path);
	return new Promise((resolve, reject) => {
		zip.on('error', (error) => reject(bad(error.message)));
		zip.on('end', () => resolve(undefined));
		zip.on('entry', (entry) => {
			const name = clean(entry.fileName);
			try {
				if (signal.aborted) throw new AppError('cancelled');
				if (name === '') budget.any();
				else budget.entry(name);
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

async function unpackZip(
	path: string,
	folder: string,
	onRead: ArchiveListener,
	signal: AbortSignal,
): Promise<void> {
	const { size } = await stat(path);
	let read = 0;
	const budget = new Budget();
	const zip = await openZip(path);
	await new Promise<void>((resolve, reject) => {
		zip.on('error', (error) => reject(bad(error.message)));
		zip.on('end', resolve);
		zip.on('entry', (entry) => {
			const name = clean(entry.fileName);
			const type = (entry.externalFileAttributes >>> 28) & 0xf;
			const work = async () => {
				if (signal.aborted) throw new AppError('cancelled');
				if (entry.fileName.endsWith('/')) {
					budget.any();
					return zip.readEntry();
				}
				if (type !== 0 && type !== 8) throw bad(`${JSON.stringify(name)} is not a plain file`);
				budget.entry(name);
				const stream = await new Promise<Readable>((give, fail) => {
					zip.openReadStream(entry, (error, opened) => (error ? fail(error) : give(opened)));
				});
				const { compressedSize, uncompressedSize } = entry;
				const share = uncompressedSize > 0 ? compressedSize / uncompressedSize : 0;
				const onBytes = (written: number) => onRead(Math.round(read + share * written), size);
				await write(stream, inside(folder, name), budget, signal, onBytes);
				read += compressedSize;
				zip.readEntry();
			};
			work().catch((error: unknown) => {
				zip.close();
				reject(signal.aborted ? new AppError('cancelled') : error);
			});
		});
		zip.readEntry();
	});
}

function bad(why: string): AppError {
	const reason = why.replace(/\.+$/, '');
	return new AppError('invalid_request', `The archive is refused: ${reason}.`, { param: 'path' });
}
