/** Reading the JSON files of a model folder: absent is `undefined`, broken is an error that names the file. */

import { readFile } from 'node:fs/promises';
import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';

/** A JSON object whose fields have not been looked at yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** `value` when it is a plain object, otherwise `undefined`. */
export function asRecord(value: unknown): JsonRecord | undefined {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as JsonRecord)
		: undefined;
}

/** `value` when it is a finite number, otherwise `undefined`. */
export function asNumber(value: unknown): number | undefined {
	return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** `value` when it is a string, otherwise `undefined`. */
export function asString(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** A number or a list of numbers as a list; anything else gives an empty list. */
export function asNumbers(value: unknown): number[] {
	if (Array.isArray(value)) return value.filter((item): item is number => Number.isInteger(item));
	return Number.isInteger(value) ? [value as number] : [];
}

/**
 * Reads a file of the folder; `undefined` when it is not there.
 * @throws AppError `unsupported_model` when it exists but cannot be read, or leaves the folder
 */
export async function readBinaryFile(folder: string, file: string): Promise<Buffer | undefined> {
	const path = await modelFile(folder, file);
	try {
		return await readFile(path);
	} catch (error) {
		const code = (error as { code?: string }).code;
		if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
		throw new AppError(
			'unsupported_model',
			`The file ${file} of the model cannot be read (${code}).`,
			{
				cause: error,
			},
		);
	}
}

/** {@link readBinaryFile} as UTF-8 text, without a byte order mark. */
export async function readTextFile(folder: string, file: string): Promise<string | undefined> {
	const text = (await readBinaryFile(folder, file))?.toString('utf8');
	return text?.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/**
 * Reads a JSON file of the folder; `undefined` when it is not there.
 * @throws AppError `unsupported_model` when it is not a JSON object
 */
export async function readJsonFile(folder: string, file: string): Promise<JsonRecord | undefined> {
	const text = await readTextFile(folder, file);
	if (text === undefined) return undefined;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		throw new AppError(
			'unsupported_model',
			`The file ${file} of the model is not valid JSON; download the model again.`,
			{ cause: error },
		);
	}
	const record = asRecord(value);
	if (record === undefined) {
		throw new AppError('unsupported_model', `The file ${file} of the model is not a JSON object.`);
	}
	return record;
}
