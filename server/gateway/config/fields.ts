/** Typed reading of a JSON value that has already passed the schema. */

export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? (value as Fields)
		: {};
}

/** The object at a path of keys; empty when there is none. */
export function section(value: unknown, ...path: readonly string[]): Fields {
	let here = asFields(value);
	for (const key of path) here = asFields(Object.hasOwn(here, key) ? here[key] : undefined);
	return here;
}

export function textOf(fields: Fields, key: string): string | undefined {
	const value = fields[key];
	return typeof value === 'string' ? value : undefined;
}

export function flagOf(fields: Fields, key: string, standard: boolean): boolean {
	const value = fields[key];
	return typeof value === 'boolean' ? value : standard;
}

export function numberOf(fields: Fields, key: string, standard: number): number {
	const value = fields[key];
	return typeof value === 'number' ? value : standard;
}

export function listOf(fields: Fields, key: string): readonly string[] {
	const value = fields[key];
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
