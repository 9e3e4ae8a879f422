/**
 * The one place that opens and reads files of a model folder: names as `modelFile` allows them, sizes,
 * counts and depths as the limits allow them. The architecture test lists who may open files otherwise.
 */

import { closeSync, constants, fstatSync } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { isRecord } from '../../protocol/errorBody.ts';
import { AppError } from '../../protocol/index.ts';
import { openPath, openPathNow } from '../../store/openPath.ts';
import { modelFile } from '../modelFile.ts';
import { jsonFault } from './boundedJson.ts';
import { beyondLimit, graphLimits, limitsOf } from './fileLimits.ts';
import { tokenizerFault, vocabularyFault } from './tokenizerCounts.ts';

/** A JSON object whose fields have not been looked at yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/**
 * A file of the folder; `undefined` when it is not there.
 * @throws AppError `unsupported_model` when it cannot be read, leaves the folder, is too large, or is JSON beyond its limits
 */
export async function readModelBytes(folder: string, file: string): Promise<Buffer | undefined> {
	const path = await modelFile(folder, file);
	let handle: FileHandle | undefined;
	try {
		handle = await openPlain(path);
		const { size } = await handle.stat();
		const tooLong = sizeFault(file, size);
		if (tooLong !== undefined) throw tooLong;
		const bytes = Buffer.alloc(size);
		let filled = 0;
		while (filled < size) {
			const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
			if (bytesRead === 0) break;
			filled += bytesRead;
		}
		const content = bytes.subarray(0, filled);
		// It must be measured before it is parsed.
		if (file.endsWith('.json')) measureJson(file, content);
		const fault = vocabularyFault(file, content);
		if (fault !== undefined) throw beyondLimit(file, fault);
		return content;
	} catch (error) {
		if (error instanceof AppError) throw error;
		const code = (error as NodeJS.ErrnoException).code;
		if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
		throw new AppError(
			'unsupported_model',
			`The file ${file} of the model cannot be read (${code}).`,
			{ cause: error },
		);
	} finally {
		await handle?.close();
	}
}

/** Why a file of the folder would not be read, by its name and size alone; `undefined` when it is absent or would be. */
export async function unreadable(folder: string, file: string): Promise<string | undefined> {
	try {
		const { size } = await stat(await modelFile(folder, file));
		return sizeFault(file, size)?.message;
	} catch (error) {
		return error instanceof AppError ? error.message : undefined;
	}
}

function sizeFault(file: string, size: number): AppError | undefined {
	const { maxBytes } = limitsOf(file);
	return size > maxBytes
		? beyondLimit(file, `is ${size} bytes long; at most ${maxBytes} are read`)
		: undefined;
}

/** {@link readModelBytes} as UTF-8 text, without a byte order mark. */
export async function readModelText(folder: string, file: string): Promise<string | undefined> {
	const text = (await readModelBytes(folder, file))?.toString('utf8');
	return text?.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/**
 * A JSON object of the folder; `undefined` when the file is not there.
 * @throws AppError `unsupported_model` when it is not a JSON object or beyond the limits
 */
export async function readModelJson(folder: string, file: string): Promise<JsonRecord | undefined> {
	const bytes = await readModelBytes(folder, file);
	if (bytes === undefined) return undefined;
	if (!file.endsWith('.json')) measureJson(file, bytes);
	let value: unknown;
	try {
		const text = bytes.toString('utf8');
		value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
	} catch (error) {
		throw new AppError(
			'unsupported_model',
			`The file ${file} of the model is not valid JSON; download the model again.`,
			{ cause: error },
		);
	}
	if (!isRecord(value))
		throw new AppError('unsupported_model', `The file ${file} of the model is not a JSON object.`);
	const counts = tokenizerFault(file, value as JsonRecord);
	if (counts !== undefined) throw beyondLimit(file, counts);
	return value as JsonRecord;
}

function measureJson(file: string, bytes: Uint8Array): void {
	const fault = jsonFault(bytes, limitsOf(file));
	if (fault !== undefined) throw beyondLimit(file, fault);
}

/**
 * Opens a graph or a weights file, to be read by position.
 * @param path as {@link modelFile} gave it
 * @throws AppError `unsupported_model` when it is no plain file or too large; the system's error when it cannot be opened
 */
export async function openModelPath(path: string): Promise<{ handle: FileHandle; size: number }> {
	const handle = await openPlain(path);
	try {
		return { handle, size: graphSize(path, (await handle.stat()).size) };
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/** {@link openModelPath} for mapping the file into memory; `handle` is the system's number of it. */
export function openModelPathSync(path: string): { handle: number; size: number } {
	const handle = openPathNow(path, readOnly);
	try {
		const found = fstatSync(handle);
		if (!found.isFile()) throw notPlain(path);
		return { handle, size: graphSize(path, found.size) };
	} catch (error) {
		closeSync(handle);
		throw error;
	}
}

function graphSize(path: string, size: number): number {
	const { maxBytes } = graphLimits;
	if (size > maxBytes)
		throw beyondLimit(basename(path), `is ${size} bytes long; at most ${maxBytes} are read`);
	return size;
}

/** Opening a pipe does not wait. */
const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Whatever was there when the name was checked, what is opened is a plain file. */
async function openPlain(path: string): Promise<FileHandle> {
	const handle = await openPath(path, readOnly);
	if ((await handle.stat()).isFile()) return handle;
	await handle.close();
	throw notPlain(path);
}

function notPlain(path: string): AppError {
	return new AppError(
		'unsupported_model',
		`The file ${basename(path)} of the model is not a plain file, so it is not opened.`,
	);
}
