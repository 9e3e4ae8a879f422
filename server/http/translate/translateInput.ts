/** Reading the array bodies and the query of the translate interface, with its limits. */

import type { Context } from 'hono';
import { isRecord } from '../../protocol/errorBody.ts';
import { translateLimits } from '../../protocol/textBatches.ts';
import { priorityOf, type TranslateWork } from '../../services/translate/translateAdmission.ts';
import type { AppEnv } from '../env.ts';
import { announcedBytes } from '../requestBody.ts';
import { translatorError } from './translateErrors.ts';

export interface OperationLimits {
	/** UTF-16 units of one text. */
	readonly element: number;
	/** Texts of a request. */
	readonly elements: number;
	/** UTF-16 units of all texts; for translate, times the number of targets. */
	readonly request: number;
}

export interface Limits {
	readonly translate: OperationLimits;
	readonly transliterate: OperationLimits;
	readonly detect: OperationLimits;
	readonly breaksentence: OperationLimits;
	readonly lookup: OperationLimits;
	readonly examples: OperationLimits;
}

/** The documented limits. */
const defaultLimits: Limits = {
	translate: {
		element: translateLimits.characters,
		elements: translateLimits.texts,
		request: translateLimits.characters,
	},
	transliterate: { element: 5000, elements: 10, request: 5000 },
	detect: { element: 50_000, elements: 100, request: 50_000 },
	breaksentence: { element: 50_000, elements: 100, request: 50_000 },
	lookup: { element: 100, elements: 10, request: 1000 },
	examples: { element: 200, elements: 10, request: 2000 },
};

/** Limits from the environment: `NEARGLOT_TRANSLATE_LIMITS='{"translate":{"elements":50}}'`. */
export function limitsFrom(text: string | undefined): Limits {
	if (text === undefined || text.trim() === '') return defaultLimits;
	let given: unknown;
	try {
		given = JSON.parse(text);
	} catch {
		throw translatorError(500000, 'NEARGLOT_TRANSLATE_LIMITS is not valid JSON.');
	}
	const rows =
		typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
	const merged: Record<string, OperationLimits> = {};
	for (const [name, limits] of Object.entries(defaultLimits)) {
		const own = rows[name];
		const change = typeof own === 'object' && own !== null ? (own as Record<string, unknown>) : {};
		const number = (key: keyof OperationLimits): number => {
			const value = change[key];
			return typeof value === 'number' && value >= 0 ? value : limits[key];
		};
		merged[name] = {
			element: number('element'),
			elements: number('elements'),
			request: number('request'),
		};
	}
	return merged as unknown as Limits;
}

/** What a request whose body has not been read yet may be: half of it is texts. */
export function announcedWork(context: Context<AppEnv>): TranslateWork {
	const bytes = announcedBytes(context);
	return { characters: bytes / 2, priority: priorityOf(bytes) };
}

/** All values of a parameter, repeated or comma-separated; its name in any case. */
export function alwaysArray(query: URLSearchParams, name: string): string[] {
	const wanted = name.toLowerCase();
	const values: string[] = [];
	for (const [key, value] of query)
		if (key.toLowerCase() === wanted) values.push(...value.split(','));
	return values.map((value) => value.trim()).filter((value) => value !== '');
}

/** The last value of a parameter; its name in any case. */
export function queryParam(query: URLSearchParams, name: string): string | undefined {
	const wanted = name.toLowerCase();
	let found: string | undefined;
	for (const [key, value] of query) if (key.toLowerCase() === wanted) found = value.trim();
	return found;
}

/** The objects of an array body. Shape and number are checked, sizes are not. */
export function readItems(body: unknown, limits: OperationLimits): Record<string, unknown>[] {
	if (!Array.isArray(body))
		throw translatorError(400000, 'The body is a JSON array: [{"Text":"…"}].');
	if (body.length === 0) throw translatorError(400005, 'The array is empty.');
	const items = body.map((item: unknown): Record<string, unknown> => {
		if (!isRecord(item)) throw translatorError(400020);
		return Object.fromEntries(
			Object.entries(item).map(([key, value]) => [key.toLowerCase(), value]),
		);
	});
	if (items.length > limits.elements)
		throw translatorError(400072, `${items.length} texts; ${limits.elements} are allowed.`);
	return items;
}

/** The texts of `[{"Text":"…"}]`, name in any case, other fields ignored. */
export function readTexts(body: unknown, limits: OperationLimits): string[] {
	return textsOf(readItems(body, limits));
}

/** The texts of the objects of an array body. */
export function textsOf(items: readonly Readonly<Record<string, unknown>>[]): string[] {
	return items.map(({ text }) => {
		if (typeof text !== 'string') throw translatorError(400005);
		return text;
	});
}

/** Element and request sizes of the operations that have no targets. */
export function checkSizes(texts: readonly string[], limits: OperationLimits): void {
	if (texts.some((text) => text.length > limits.element)) throw translatorError(400050);
	if (texts.reduce((sum, text) => sum + text.length, 0) > limits.request)
		throw translatorError(400077);
}
