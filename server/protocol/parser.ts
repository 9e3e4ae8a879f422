/**
 * Parsers for what comes from outside: each checks a value, names the field at fault in our words,
 * and describes itself as a JSON Schema, from which openapi.json is made.
 */

import { AppError } from './errors.ts';

export type SchemaObject = Readonly<Record<string, unknown>>;

export interface Parser<T> {
	/** Returns the value as `T` or throws `invalid_request` with `param` = path. */
	parse(value: unknown, path: string): T;
	readonly schema: SchemaObject;
	/** Paths of the fields in a value that has been parsed which nobody reads; absent: there can be none. */
	unread?(value: unknown, path: string): string[];
}

/** The value a parser makes. */
export type Parsed<P> = P extends Parser<infer T> ? T : never;

/** A field that may be absent; `null` counts as absent, because clients send it for "default". */
export interface OptionalParser<T> extends Parser<T | undefined> {
	readonly optional: true;
}

/** What is wrong with a field, as an error that names it. */
export function invalid(path: string, should: string, value?: unknown): AppError {
	const was = value === undefined ? '' : `, but it is ${show(value)}`;
	const name = path === '' ? 'The body' : `'${path}'`;
	return new AppError('invalid_request', `${name} must be ${should}${was}.`, {
		...(path === '' ? {} : { param: path }),
	});
}

/** A short picture of a value that never repeats long user text. */
function show(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return `an array of ${value.length}`;
	if (typeof value === 'object') return 'an object';
	if (typeof value === 'string') return value.length > 40 ? 'a longer text' : `'${value}'`;
	return String(value);
}

export interface NumberLimits {
	readonly min?: number;
	readonly max?: number;
	readonly integer?: boolean;
}

export function number(limits: NumberLimits = {}): Parser<number> {
	const { min, max, integer = false } = limits;
	const kind = integer ? 'an integer' : 'a number';
	const range =
		min !== undefined && max !== undefined
			? ` from ${min} to ${max}`
			: min !== undefined
				? ` of at least ${min}`
				: max !== undefined
					? ` of at most ${max}`
					: '';
	return {
		schema: {
			type: integer ? 'integer' : 'number',
			...(min === undefined ? {} : { minimum: min }),
			...(max === undefined ? {} : { maximum: max }),
		},
		parse: (value, path) => {
			const fits =
				typeof value === 'number' &&
				Number.isFinite(value) &&
				(!integer || Number.isSafeInteger(value)) &&
				value >= (min ?? value) &&
				value <= (max ?? value);
			if (!fits) throw invalid(path, `${kind}${range}`, value);
			return value;
		},
	};
}

export const integer = (limits: Omit<NumberLimits, 'integer'> = {}): Parser<number> =>
	number({ ...limits, integer: true });

export const boolean: Parser<boolean> = {
	schema: { type: 'boolean' },
	parse: (value, path) => {
		if (typeof value !== 'boolean') throw invalid(path, 'true or false', value);
		return value;
	},
};

export interface TextLimits {
	/** UTF-16 units. */
	readonly maxLength?: number;
	readonly minLength?: number;
}

export function string(limits: TextLimits = {}): Parser<string> {
	const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = limits;
	return {
		schema: {
			type: 'string',
			...(minLength > 0 ? { minLength } : {}),
			...(maxLength < Number.POSITIVE_INFINITY ? { maxLength } : {}),
		},
		parse: (value, path) => {
			if (typeof value !== 'string') throw invalid(path, 'a string', value);
			if (value.length < minLength) throw invalid(path, 'a string that is not empty');
			if (value.length > maxLength)
				throw invalid(path, `a string of at most ${maxLength} characters`);
			return value;
		},
	};
}

export function oneOf<const T extends string>(...values: readonly T[]): Parser<T> {
	return {
		schema: { type: 'string', enum: values },
		parse: (value, path) => {
			const found = values.find((each) => each === value);
			if (found === undefined)
				throw invalid(path, `one of ${values.map((v) => `'${v}'`).join(', ')}`, value);
			return found;
		},
	};
}

export function array<T>(
	item: Parser<T>,
	{ min = 0, max = 1000 }: { readonly min?: number; readonly max?: number } = {},
): Parser<T[]> {
	return {
		schema: {
			type: 'array',
			items: item.schema,
			...(min > 0 ? { minItems: min } : {}),
			maxItems: max,
		},
		parse: (value, path) => {
			if (!Array.isArray(value)) throw invalid(path, 'an array', value);
			if (value.length < min) throw invalid(path, `an array with at least ${min} entry`, value);
			if (value.length > max) throw invalid(path, `an array of at most ${max} entries`, value);
			return value.map((each, index) => item.parse(each, `${path}[${index}]`));
		},
		unread: (value, path) =>
			Array.isArray(value)
				? value.flatMap((each, index) => item.unread?.(each, `${path}[${index}]`) ?? [])
				: [],
	};
}

/** An object with any keys. */
export function record<T>(item: Parser<T>, maxKeys = 10_000): Parser<Record<string, T>> {
	return {
		schema: { type: 'object', additionalProperties: item.schema },
		parse: (value, path) => {
			const found = asObject(value, path);
			const keys = Object.keys(found);
			if (keys.length > maxKeys) throw invalid(path, `an object of at most ${maxKeys} keys`);
			return Object.fromEntries(keys.map((key) => [key, item.parse(found[key], `${path}.${key}`)]));
		},
	};
}

/** JSON of any shape, up to a size: schemas, metadata. */
export const anything: Parser<unknown> = { schema: {}, parse: (value) => value };

export function asObject(value: unknown, path: string): Record<string, unknown> {
	if (typeof value !== 'object' || value === null || Array.isArray(value))
		throw invalid(path, 'an object', value);
	return value as Record<string, unknown>;
}

export function optional<T>(inner: Parser<T>): OptionalParser<T> {
	return {
		optional: true,
		schema: inner.schema,
		parse: (value, path) =>
			value === undefined || value === null ? undefined : inner.parse(value, path),
		unread: (value, path) => inner.unread?.(value, path) ?? [],
	};
}

type Fields = Readonly<Record<string, Parser<unknown>>>;
type OptionalKeys<F extends Fields> = {
	[K in keyof F]: F[K] extends OptionalParser<unknown> ? K : never;
}[keyof F];
type ObjectOf<F extends Fields> = {
	readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Parsed<F[K]>;
} & { readonly [K in OptionalKeys<F>]?: Exclude<Parsed<F[K]>, undefined> };

/** An object with known fields; others are left out, and named by `unread`. */
export function object<F extends Fields>(fields: F): Parser<ObjectOf<F>> & { readonly fields: F } {
	const required = Object.keys(fields).filter((key) => !isOptional(fields[key]));
	return {
		fields,
		schema: {
			type: 'object',
			properties: Object.fromEntries(
				Object.entries(fields).map(([key, field]) => [key, field.schema]),
			),
			...(required.length === 0 ? {} : { required }),
		},
		parse: (value, path) => {
			const found = asObject(value, path);
			const out: Record<string, unknown> = {};
			for (const [key, field] of Object.entries(fields)) {
				const at = path === '' ? key : `${path}.${key}`;
				if (found[key] === undefined && !isOptional(field))
					throw new AppError('invalid_request', `'${at}' is missing.`, { param: at });
				const parsed = field.parse(found[key], at);
				if (parsed !== undefined) out[key] = parsed;
			}
			return out as ObjectOf<F>;
		},
		unread: (value, path) => unreadFields(value, path, fields),
	};
}

/** Fields of an object, and of what is in it, that none of the parsers reads. */
export function unreadFields(value: unknown, path: string, fields: Fields): string[] {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
	return Object.entries(value).flatMap(([key, each]) => {
		const at = path === '' ? key : `${path}.${key}`;
		const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
		return field === undefined ? [at] : (field.unread?.(each, at) ?? []);
	});
}

function isOptional(field: Parser<unknown> | undefined): boolean {
	return field !== undefined && 'optional' in field;
}

/** The first parser that takes the value; `should` says what all of them want. */
export function either<A, B>(first: Parser<A>, second: Parser<B>, should: string): Parser<A | B> {
	return {
		schema: { anyOf: [first.schema, second.schema] },
		parse: (value, path) => {
			try {
				return first.parse(value, path);
			} catch {
				try {
					return second.parse(value, path);
				} catch (error) {
					const deeper = error instanceof AppError && error.param !== path ? error : undefined;
					throw deeper ?? invalid(path, should, value);
				}
			}
		},
	};
}

/** Another value made of a parsed one. */
export function mapped<A, B>(inner: Parser<A>, change: (value: A, path: string) => B): Parser<B> {
	return {
		schema: inner.schema,
		parse: (value, path) => change(inner.parse(value, path), path),
		unread: (value, path) => inner.unread?.(value, path) ?? [],
	};
}
