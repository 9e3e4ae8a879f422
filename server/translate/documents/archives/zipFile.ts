/**
 * Zip files whose parts are documents. Read from memory, by name, never written to a disk; written again
 * with some parts replaced, where all others keep their compressed bytes, their order and their attributes.
 */

import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise } from 'yauzl';
import { AppError } from '../../../protocol/errors.ts';
import { withoutEnd } from '../../whiteSpace.ts';

/** One part of a zip file. */
export interface ZipPart {
	readonly name: string;
	readonly entry: Entry;
	/** Local extra fields, without those that sizes of the entry make. */
	readonly extra: Buffer;
	/** As it is stored. */
	readonly data: Buffer;
}

const maxParts = 10_000;
/** What all parts that are read may unpack to. */
const maxUnpacked = 96 * 2 ** 20;
const encryptedFlag = 1;
const sizesFollowFlag = 8;
const zip64Id = 1;

/**
 * The parts of a zip file, in its order.
 *
 * @param fileName what the file is called in messages
 * @throws AppError `invalid_request` for what is damaged, encrypted or made to be dangerous
 */
export async function zipParts(bytes: Uint8Array, fileName: string): Promise<ZipPart[]> {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const parts: ZipPart[] = [];
	const names = new Set<string>();
	try {
		const zip = await fromBufferPromise(buffer, { strictFileNames: true });
		if (zip.entryCount > maxParts) throw refused(fileName, `it has more than ${maxParts} parts`);
		for await (const entry of zip.eachEntry()) {
			const name = entry.fileName;
			if (names.has(name)) throw refused(fileName, `two of its parts have the name ${shown(name)}`);
			names.add(name);
			if (entry.isEncrypted() || (entry.generalPurposeBitFlag & encryptedFlag) !== 0)
				throw protectedFile(fileName);
			if (Math.max(entry.uncompressedSize, entry.compressedSize) > 0xffff_ffff)
				throw refused(fileName, `${shown(name)} says that it unpacks to more than 4 GiB`);
			const local = await zip.readLocalFileHeaderPromise(entry);
			const end = local.fileDataStart + entry.compressedSize;
			if (end > buffer.length) throw refused(fileName, `${shown(name)} is cut off`);
			const data = buffer.subarray(local.fileDataStart, end);
			parts.push({ name, entry, extra: withoutZip64(local.extraField), data });
		}
	} catch (error) {
		if (error instanceof AppError) throw error;
		throw refused(fileName, zipFaultOf(error instanceof Error ? error.message : ''));
	}
	checkOverlaps(parts, fileName);
	return parts;
}

/** What the reader of zip files means, in words of our own. */
function zipFaultOf(message: string): string {
	if (/encryption/i.test(message)) return 'it is encrypted';
	if (/multi-disk/i.test(message)) return 'it is a part of several';
	if (/signature not found|eof|overflows|truncated/i.test(message))
		return 'it is cut off, or no such file';
	if (/path|characters in fileName/i.test(message))
		return 'one of its parts has a name that leads out of it';
	return 'its list of parts is damaged';
}

/** Parts that share their bytes unpack to far more than the file has. */
function checkOverlaps(parts: readonly ZipPart[], fileName: string): void {
	const ordered = [...parts].sort((a, b) => a.data.byteOffset - b.data.byteOffset);
	let end = 0;
	for (const { name, data } of ordered) {
		if (data.byteOffset < end)
			throw refused(fileName, `${shown(name)} lies inside of another part`);
		end = data.byteOffset + data.length;
	}
}

/** Unpacks parts of one file, all together within a limit. */
export class PartReader {
	readonly #fileName: string;
	#left = maxUnpacked;
	readonly #texts = new Map<ZipPart, string>();

	constructor(fileName: string) {
		this.#fileName = fileName;
	}

	/** The text of a part. Throws `invalid_request`, and `too_expensive` when it unpacks to too much. */
	text(part: ZipPart): string {
		const known = this.#texts.get(part);
		if (known !== undefined) return known;
		const bytes = this.#unpacked(part);
		try {
			const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
			this.#texts.set(part, text);
			return text;
		} catch {
			throw refused(this.#fileName, `${shown(part.name)} is not in UTF-8`);
		}
	}

	#unpacked({ name, entry, data }: ZipPart): Buffer {
		const { compressionMethod, uncompressedSize } = entry;
		if (uncompressedSize > this.#left)
			throw new AppError(
				'too_expensive',
				`The texts of ${this.#fileName} are larger than ${maxUnpacked / 2 ** 20} MiB. Send it in smaller parts.`,
			);
		let made: Buffer;
		if (compressionMethod === 0) made = data;
		else if (compressionMethod === 8)
			try {
				// A part that unpacks to more than it says is no accident.
				made = inflateRawSync(data, { maxOutputLength: uncompressedSize + 1 });
			} catch {
				throw refused(this.#fileName, `${shown(name)} is damaged`);
			}
		else
			throw refused(this.#fileName, `${shown(name)} is compressed in a way that is not read here`);
		if (made.length !== uncompressedSize || crc32(made) !== entry.crc32)
			throw refused(this.#fileName, `${shown(name)} is damaged`);
		this.#left -= made.length;
		return made;
	}
}

/** The file with some parts replaced, by name. */
export function zipWith(
	parts: readonly ZipPart[],
	texts: ReadonlyMap<string, string>,
): Uint8Array<ArrayBuffer> {
	const chunks: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const part of parts) {
		const { entry, extra } = part;
		const text = texts.get(part.name);
		const changed = text === undefined ? undefined : Buffer.from(text);
		const method = entry.compressionMethod;
		const data = changed ? (method === 0 ? changed : deflateRawSync(changed)) : part.data;
		const flags = entry.generalPurposeBitFlag & ~sizesFollowFlag;
		const common = Buffer.alloc(26);
		common.writeUInt16LE(Math.min(entry.versionNeededToExtract, 20), 0);
		common.writeUInt16LE(flags, 2);
		common.writeUInt16LE(method, 4);
		common.writeUInt16LE(entry.lastModFileTime, 6);
		common.writeUInt16LE(entry.lastModFileDate, 8);
		common.writeUInt32LE(changed ? crc32(changed) : entry.crc32, 10);
		common.writeUInt32LE(data.length, 14);
		common.writeUInt32LE(changed ? changed.length : entry.uncompressedSize, 18);
		common.writeUInt16LE(entry.fileNameRaw.length, 22);
		const local = Buffer.from(common);
		local.writeUInt16LE(extra.length, 24);
		const head = [signature(0x04034b50), local, entry.fileNameRaw, extra];
		const centralExtra = withoutZip64(entry.extraFieldRaw);
		common.writeUInt16LE(centralExtra.length, 24);
		const made = Buffer.alloc(2);
		made.writeUInt16LE(entry.versionMadeBy, 0);
		const tail = Buffer.alloc(14);
		tail.writeUInt16LE(entry.fileCommentRaw.length, 0);
		tail.writeUInt16LE(entry.internalFileAttributes, 4);
		tail.writeUInt32LE(entry.externalFileAttributes >>> 0, 6);
		tail.writeUInt32LE(offset, 10);
		directory.push(signature(0x02014b50), made, common, tail);
		directory.push(entry.fileNameRaw, centralExtra, entry.fileCommentRaw);
		for (const chunk of [...head, data]) {
			chunks.push(chunk);
			offset += chunk.length;
		}
	}
	const size = directory.reduce((sum, { length }) => sum + length, 0);
	const end = Buffer.alloc(18);
	end.writeUInt16LE(parts.length, 4);
	end.writeUInt16LE(parts.length, 6);
	end.writeUInt32LE(size, 8);
	end.writeUInt32LE(offset, 12);
	return whole([...chunks, ...directory, signature(0x06054b50), end]);
}

function whole(chunks: readonly Buffer[]): Uint8Array<ArrayBuffer> {
	const size = chunks.reduce((sum, { length }) => sum + length, 0);
	// A buffer of its own, which can be handed over.
	const all = new Uint8Array(size);
	let at = 0;
	for (const chunk of chunks) {
		all.set(chunk, at);
		at += chunk.length;
	}
	return all;
}

function signature(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value, 0);
	return bytes;
}

/** Extra fields without the sizes of large files, which are in their usual places here. */
function withoutZip64(extra: Buffer): Buffer {
	const kept: Buffer[] = [];
	for (let at = 0; at + 4 <= extra.length; ) {
		const end = at + 4 + extra.readUInt16LE(at + 2);
		if (end > extra.length) break;
		if (extra.readUInt16LE(at) !== zip64Id) kept.push(extra.subarray(at, end));
		at = end;
	}
	return Buffer.concat(kept);
}

const shown = (name: string) => JSON.stringify(name.slice(0, 100));

/** What a file is refused with. */
export function refused(fileName: string, why: string): AppError {
	return new AppError(
		'invalid_request',
		`${fileName} cannot be translated: ${withoutEnd(why, '.')}.`,
		{ param: 'fileName' },
	);
}

/** A file that only opens with a password. */
export function protectedFile(fileName: string): AppError {
	return refused(
		fileName,
		'it is encrypted. Open it with its password, save it without one, and try again',
	);
}
