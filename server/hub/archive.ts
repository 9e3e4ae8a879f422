/** Unpacks model archives for closed networks. Only plain files with checked names come out. */

import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { type Entry, open, type ZipFile } from 'yauzl';
import { AppError } from '../protocol/index.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { openPath } from '../store/openPath.ts';
import { inside, pathFault } from './names.ts';
import { type ArchiveListener, isPackedTar, tarEntries } from './tarReader.ts';

/** Most entries an archive may have, and most bytes they may unpack to. */
const maxEntries = 10_000;
const maxBytes = 200 * 2 ** 30;

export function isArchive(path: string): boolean {
	return /\.(tar|tar\.gz|tgz|zip)$/i.test(path);
}

/** Asked before anything is written, with the bytes that will be; rejects where there is no room. */
export type CheckRoom = (bytes: number) => Promise<void>;

/**
 * Unpacks into a new folder; links, devices and names that leave the folder are refused.
 * @throws AppError `invalid_request`, `cancelled`, or the system's own errors
 */
export async function unpack(
	path: string,
	folder: string,
	signal: AbortSignal,
	onRead: ArchiveListener = () => {},
	checkRoom: CheckRoom = async () => {},
): Promise<void> {
	makeFolder(folder);
	if (isZip(path)) await unpackZip(path, folder, { onRead, checkRoom }, signal);
	else await unpackTar(path, folder, { onRead, checkRoom }, signal);
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

interface Unpacking {
	readonly onRead: ArchiveListener;
	readonly checkRoom: CheckRoom;
}

const isZip = (path: string): boolean => /\.zip$/i.test(path);

class Budget {
	/** Names as disks have them that do not tell capitals and accents apart. */
	readonly #seen = new Map<string, string>();
	#entries = 0;
	#bytes = 0;
	get bytes(): number {
		return this.#bytes;
	}
	/** Of a folder, or of a file. */
	any(): void {
		if (++this.#entries > maxEntries) throw bad(`it has more than ${maxEntries} entries`);
	}
	entry(name: string): void {
		this.any();
		const fault = pathFault(name);
		if (fault !== undefined) throw bad(`${JSON.stringify(name)} ${fault}`);
		const folded = name.normalize('NFC').toLowerCase();
		const other = this.#seen.get(folded);
		if (other === name) throw bad(`it holds ${JSON.stringify(name)} twice`);
		if (other !== undefined)
			throw bad(
				`it holds ${JSON.stringify(other)} and ${JSON.stringify(name)}, which are one file on disks that do not tell capitals or forms of accents apart`,
			);
		this.#seen.set(folded, name);
	}
	/** Of an entry that is passed over. */
	skip(bytes: number): void {
		this.#bytes += bytes;
		if (this.#bytes > maxBytes) throw bad('it unpacks to more than 200 GiB');
	}
	async *count(
		source: AsyncIterable<Buffer>,
		onChunk: (chunk: Buffer) => void,
	): AsyncIterable<Buffer> {
		for await (const chunk of source) {
			this.skip(chunk.length);
			onChunk(chunk);
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
	onChunk: (chunk: Buffer) => void = () => {},
): Promise<void> {
	makeFolder(dirname(target));
	const counted = (chunks: AsyncIterable<Buffer>) => budget.count(chunks, onChunk);
	await pipeline(source, counted, createWriteStream(target), { signal });
}

async function findInTar(
	path: string,
	wanted: Pick<RegExp, 'test'>,
	onRead: ArchiveListener,
	signal: AbortSignal,
): Promise<string | undefined> {
	const budget = new Budget();
	try {
		for await (const { kind, size, ...entry } of tarEntries(path, onRead, signal)) {
			const name = clean(entry.name);
			if (kind === 'file' && wanted.test(name)) return name;
			if (name === '') budget.any();
			else budget.entry(name);
			budget.skip(size);
		}
		return undefined;
	} catch (error) {
		throw damaged(error, signal);
	}
}

async function unpackTar(
	path: string,
	folder: string,
	{ onRead, checkRoom }: Unpacking,
	signal: AbortSignal,
): Promise<void> {
	// What speaks against one that is not packed is known before gigabytes of it are written.
	await checkRoom(
		isPackedTar(path) ? await minUnpackedBytes(path) : await readTar(path, () => {}, signal),
	);
	await readTar(path, onRead, signal, (content, name, budget) =>
		write(Readable.from(content), inside(folder, name), budget, signal),
	);
}

/**
 * At least how many bytes a packed archive unpacks to, without unpacking it: its end tells those of its last member,
 * modulo 4 GiB, and what is packed is hardly more than what it was.
 */
async function minUnpackedBytes(path: string): Promise<number> {
	const { size } = await stat(path);
	await using file = await openPath(path, 'r');
	const end = Buffer.alloc(4);
	if (size < 18 || (await file.read(end, 0, 4, size - 4)).bytesRead < 4) return 0;
	const atLeast = Math.max(end.readUInt32LE(), Math.floor(size * 0.99));
	return atLeast;
}

/** Goes through all entries, and refuses those that no model has. Resolves to their bytes. */
async function readTar(
	path: string,
	onRead: ArchiveListener,
	signal: AbortSignal,
	onFile?: (content: AsyncIterable<Buffer>, name: string, budget: Budget) => Promise<void>,
): Promise<number> {
	const budget = new Budget();
	try {
		for await (const entry of tarEntries(path, onRead, signal)) {
			const name = clean(entry.name);
			if (name === '' || entry.kind === 'folder') {
				budget.any();
				continue;
			}
			if (entry.kind !== 'file') throw bad(`${JSON.stringify(name)} is a ${entry.kind}`);
			budget.entry(name);
			if (onFile === undefined) budget.skip(entry.size);
			else await onFile(entry.content(), name, budget);
		}
		return budget.bytes;
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

/** Of one whose list of files is not where its end should be. */
const damagedZip = (error: NodeJS.ErrnoException): Error =>
	error.syscall === undefined
		? bad(`it is cut off or damaged (${error.message.replace(/\.+$/, '')})`)
		: error;

function openZip(path: string): Promise<ZipFile> {
	return new Promise<ZipFile>((resolve, reject) => {
		open(path, { lazyEntries: true, autoClose: true, strictFileNames: true }, (error, file) =>
			error ? reject(damagedZip(error)) : resolve(file),
		);
	});
}

/** Hands every entry to `visit`, until that says that it has seen enough. */
async function readZip(
	path: string,
	visit: (entry: Entry, zip: ZipFile) => Promise<boolean> | boolean,
	signal: AbortSignal,
): Promise<void> {
	const zip = await openZip(path);
	try {
		await new Promise<void>((resolve, reject) => {
			zip.on('error', (error) => reject(bad(error.message)));
			zip.on('end', resolve);
			const next = async (entry: Entry) => {
				if (signal.aborted) throw new AppError('cancelled');
				if (await visit(entry, zip)) resolve();
				else zip.readEntry();
			};
			zip.on('entry', (entry) => void next(entry).catch(reject));
			zip.readEntry();
		});
	} catch (error) {
		throw damaged(error, signal);
	} finally {
		zip.close();
	}
}

async function findInZip(
	path: string,
	wanted: Pick<RegExp, 'test'>,
	signal: AbortSignal,
): Promise<string | undefined> {
	const budget = new Budget();
	let found: string | undefined;
	const visit = ({ fileName }: Entry) => {
		const name = clean(fileName);
		if (name === '') budget.any();
		else budget.entry(name);
		if (wanted.test(name)) found = name;
		return found !== undefined;
	};
	await readZip(path, visit, signal);
	return found;
}

async function unpackZip(
	path: string,
	folder: string,
	{ onRead, checkRoom }: Unpacking,
	signal: AbortSignal,
): Promise<void> {
	const { size } = await stat(path);
	// What its list of files tells against it is known before gigabytes of them are written.
	const listed = new Budget();
	await readZip(
		path,
		(entry) => {
			checkZipEntry(entry, listed);
			listed.skip(entry.uncompressedSize);
			return false;
		},
		signal,
	);
	await checkRoom(listed.bytes);
	let read = 0;
	const budget = new Budget();
	const unpackEntry = async (entry: Entry, zip: ZipFile) => {
		const name = checkZipEntry(entry, budget);
		if (name === undefined) return false;
		const stream = await new Promise<Readable>((give, fail) => {
			zip.openReadStream(entry, (error, opened) => (error ? fail(error) : give(opened)));
		});
		const { compressedSize, uncompressedSize } = entry;
		const share = uncompressedSize > 0 ? compressedSize / uncompressedSize : 0;
		let written = 0;
		let sum = 0;
		await write(stream, inside(folder, name), budget, signal, (chunk) => {
			written += chunk.length;
			sum = crc32(chunk, sum);
			onRead(Math.round(read + share * written), size);
		});
		if (sum !== entry.crc32) throw new Error(`the sum of ${JSON.stringify(name)} is another one`);
		read += compressedSize;
		return false;
	};
	await readZip(path, unpackEntry, signal);
}

/** Methods that entries of a zip file may be packed by: none, and deflate. */
const zipMethods: ReadonlySet<number> = new Set([0, 8]);

/** Name of a plain file that can be unpacked; `undefined` for a folder. */
function checkZipEntry(entry: Entry, budget: Budget): string | undefined {
	if (entry.fileName.endsWith('/')) {
		budget.any();
		return undefined;
	}
	const name = clean(entry.fileName);
	const shown = JSON.stringify(name);
	const type = (entry.externalFileAttributes >>> 28) & 0xf;
	if (type !== 0 && type !== 8) throw bad(`${shown} is not a plain file`);
	if (entry.isEncrypted()) throw bad(`${shown} is encrypted`);
	if (!zipMethods.has(entry.compressionMethod))
		throw bad(`${shown} is packed by a method that is not read here`);
	budget.entry(name);
	return name;
}

function bad(why: string): AppError {
	const reason = why.replace(/\.+$/, '');
	return new AppError('invalid_request', `The archive is refused: ${reason}.`, { param: 'path' });
}
