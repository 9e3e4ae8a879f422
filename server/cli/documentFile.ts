/** Documents on the disk, read and written in the encoding they came in. */

import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { archiveTypeOf, maxArchiveBytes } from '../protocol/archiveTypes.ts';
import { systemError } from '../protocol/index.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { decodeText, encodeText } from '../translate/documents/textEncoding.ts';
import { hashOf, textHash } from '../translate/documents/translationRecord.ts';
import { UsageError } from './command.ts';
import { checkTarget, writeOutput } from './outputFile.ts';

const maxBytes = 20 * 2 ** 20;

export interface DocumentFile {
	readonly bytes: Uint8Array;
	readonly text: string;
	/** As the encoding standard names it. */
	readonly encoding: string;
}

/** @throws UsageError, AppError that name the file */
export async function readDocument(path: string, encoding?: string): Promise<DocumentFile> {
	try {
		const found = await stat(path);
		if (!found.isFile()) throw new UsageError(`${path} is no file.`);
		if (found.size > maxBytes)
			throw new UsageError(`${path} is larger than ${maxBytes / 2 ** 20} MiB.`);
		const bytes = await readFile(path);
		return { bytes, ...decodeText(bytes, path, encoding) };
	} catch (error) {
		throw systemError(error, { path, verb: 'read' }) ?? error;
	}
}

/** A document that is no text, such as one of Word. Throws as {@link readDocument}. */
export async function readArchive(path: string): Promise<Uint8Array> {
	try {
		const { size } = await stat(path);
		if (size > maxArchiveBytes)
			throw new UsageError(`${path} is larger than ${maxArchiveBytes / 2 ** 20} MiB.`);
		return await readFile(path);
	} catch (error) {
		throw systemError(error, { path, verb: 'read' }) ?? error;
	}
}

/** The hash that the record has of a document of either kind, whatever its encoding. */
export async function documentHash(path: string): Promise<string> {
	const bytes = await readArchive(path);
	return archiveTypeOf(path) === undefined ? textHash(bytes) : hashOf(bytes);
}

/** {@link readDocument} of a file that need not be there. */
export async function readIfThere(
	path: string,
	encoding?: string,
): Promise<DocumentFile | undefined> {
	if ((await stat(path).catch(() => undefined)) === undefined) return undefined;
	return readDocument(path, encoding);
}

/**
 * Writes a document, with the folders it lies in.
 *
 * @returns what was written, and in which encoding: UTF-8 where the wanted one lacks letters
 */
export async function writeDocument(
	path: string,
	text: string,
	encoding: string,
): Promise<{ readonly bytes: Uint8Array; readonly encoding: string }> {
	const made = encodeText(text, encoding, path);
	await writeBytes(path, made.bytes);
	return made;
}

/** What is said of a file that is in another encoding than before; nothing of others, and of none. */
export const encodingNote = (now: string | undefined, before: string): string =>
	now === undefined || now === before ? '' : `, in ${now.toUpperCase()}`;

/** Writes a file, with the folders it lies in. */
export async function writeBytes(path: string, bytes: Uint8Array): Promise<void> {
	try {
		makeFolder(dirname(path));
	} catch (error) {
		throw systemError(error, { path: dirname(path), verb: 'made' }) ?? error;
	}
	await checkTarget(path, true);
	await writeOutput(path, bytes);
}
