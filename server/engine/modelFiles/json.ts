/** Fields of the JSON files of a model folder: absent is `undefined`, broken is an error that names the file. */

import type { JsonRecord } from '../../hub/modelData/readModelFile.ts';
import { isRecord } from '../../protocol/errorBody.ts';

export {
	type JsonRecord,
	readModelBytes as readBinaryFile,
	readModelJson as readJsonFile,
	readModelText as readTextFile,
} from '../../hub/modelData/readModelFile.ts';

/** `value` when it is a plain object, otherwise `undefined`. */
export function asRecord(value: unknown): JsonRecord | undefined {
	return isRecord(value) ? value : undefined;
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
