/** Reading of JSON from elsewhere whose fields may be anything. */

import { isRecord } from '../../protocol/errorBody.ts';

export type ConfigFields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): ConfigFields {
	return isRecord(value) ? value : {};
}

/** The object at a path of keys; empty when there is none. */
export function section(value: unknown, ...path: readonly string[]): ConfigFields {
	let here = asFields(value);
	for (const key of path) here = asFields(Object.hasOwn(here, key) ? here[key] : undefined);
	return here;
}

export function textOf(fields: ConfigFields, key: string): string | undefined {
	const value = fields[key];
	return typeof value === 'string' ? value : undefined;
}

export function numberOf(fields: ConfigFields, key: string, standard: number): number {
	const value = fields[key];
	return typeof value === 'number' ? value : standard;
}
