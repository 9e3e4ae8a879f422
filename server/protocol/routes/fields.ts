/**
 * The fields of requests: zod schemas whose error texts are phrases that go behind "must be" (check.ts). A field
 * that may be absent may also be `null`, because clients send that for "default".
 */

import * as z from 'zod';
import { isRecord } from '../errorBody.ts';
import { asObject, asRule, invalid, missingField, Refused, read } from './check.ts';

/** A JSON Schema as it stands in openapi.json. */
export type SchemaObject = Readonly<Record<string, unknown>>;

export interface NumberLimits {
	readonly min?: number;
	readonly max?: number;
}

/** The phrase behind "must be" of a number. */
export function range(kind: string, { min, max }: NumberLimits): string {
	if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
	if (min !== undefined) return `${kind} of at least ${min}`;
	return max === undefined ? kind : `${kind} of at most ${max}`;
}

function limited(kind: z.ZodNumber, { min, max }: NumberLimits, should: string): z.ZodNumber {
	const above = min === undefined ? kind : kind.min(min, should);
	return max === undefined ? above : above.max(max, should);
}

export function number(limits: NumberLimits = {}): z.ZodNumber {
	const should = range('a number', limits);
	return limited(z.number(should), limits, should);
}

export function integer(limits: NumberLimits = {}): z.ZodNumber {
	const should = range('an integer', limits);
	return limited(z.number(should).int(should), limits, should);
}

export const boolean = z.boolean('true or false');

export interface TextLimits {
	/** UTF-16 units. */
	readonly maxLength?: number;
	readonly minLength?: number;
}

export function string({ minLength = 0, maxLength }: TextLimits = {}): z.ZodString {
	const text = z.string('a string');
	const filled = minLength > 0 ? text.min(minLength, 'a string that is not empty') : text;
	return maxLength === undefined
		? filled
		: filled.max(maxLength, `a string of at most ${maxLength} characters`);
}

export function oneOf<const T extends string>(...values: readonly T[]) {
	return z.enum(values, `one of ${values.map((value) => `'${value}'`).join(', ')}`);
}

export function array<S extends z.ZodType>(
	item: S,
	{ min = 0, max = 1000 }: { readonly min?: number; readonly max?: number } = {},
): z.ZodArray<S> {
	const list = z.array(item, 'an array').max(max, `an array of at most ${max} entries`);
	return min === 0 ? list : list.min(min, `an array with at least ${min} entry`);
}

/** A long list of integers, read in one loop: a schema for each of a million takes a second. */
export function integers({ min, max }: Required<NumberLimits>, maxItems: number) {
	const should = range('an integer', { min, max });
	const items = { type: 'integer', minimum: min, maximum: max };
	return ruled({ type: 'array', items, maxItems }, (value): number[] => {
		if (!Array.isArray(value)) throw invalid('', 'an array', value);
		if (value.length > maxItems)
			throw invalid('', `an array of at most ${maxItems} entries`, value);
		const wrong = value.findIndex(
			(each: unknown) => !Number.isInteger(each) || Number(each) < min || Number(each) > max,
		);
		if (wrong >= 0) throw invalid(`[${wrong}]`, should, value[wrong]);
		return value;
	});
}

/** An object with any keys. */
export function record<S extends z.ZodType>(item: S, maxKeys = 10_000) {
	return z
		.record(z.string(), item, 'an object')
		.refine(
			(found) => Object.keys(found).length <= maxKeys,
			`an object of at most ${maxKeys} keys`,
		);
}

/** JSON of any shape, up to the size of the body: schemas, metadata. */
export const anything = z.unknown();

/** A field that may be absent or `null`. */
export function optional<S extends z.ZodType>(inner: S) {
	return z
		.optional(z.nullable(inner))
		.transform((value): Exclude<z.output<S>, null> | undefined =>
			value === null ? undefined : (value as Exclude<z.output<S>, null>),
		);
}

export type Fields = Readonly<Record<string, z.ZodType>>;
type IsOptional<S> = S extends z.ZodPipe<z.ZodOptional, z.ZodTransform> ? true : false;
export type ObjectOf<F extends Fields> = {
	readonly [K in keyof F as IsOptional<F[K]> extends true ? never : K]: z.output<F[K]>;
} & {
	readonly [K in keyof F as IsOptional<F[K]> extends true ? K : never]?: Exclude<
		z.output<F[K]>,
		undefined
	>;
};

/** An object with known fields; others are left out, and named by {@link unreadFields}. */
export function object<F extends Fields>(fields: F) {
	return z.object(fields, 'an object').transform((found): ObjectOf<F> => {
		const given: Record<string, unknown> = found;
		for (const key of Object.keys(given)) if (given[key] === undefined) delete given[key];
		return given as ObjectOf<F>;
	});
}

/** The first form that takes the value; `should` says what both want. */
export function either<A extends z.ZodType, B extends z.ZodType>(
	first: A,
	second: B,
	should: string,
) {
	return z.union([first, second], should);
}

/** Another value made of one that was read; what the rule throws with `invalid` is said of the field. */
export function mapped<S extends z.ZodType, B>(inner: S, rule: (value: z.output<S>) => B) {
	return inner.transform(asRule(rule));
}

/** A field with rules that no schema says; `described` is what openapi.json says of it. */
export function ruled<T>(described: SchemaObject, rule: (value: unknown) => T) {
	return z
		.unknown()
		.meta(described)
		.transform(
			asRule((value: unknown) => {
				if (value === undefined) throw missingField('');
				return rule(value);
			}),
		);
}

/** Which fields of a value nobody reads, for fields that no schema lists. */
const unreadBy = new WeakMap<z.ZodType, (value: unknown, path: string) => string[]>();

/** Names what the rule of a field leaves unread. */
export function leaving<S extends z.ZodType>(
	schema: S,
	unread: (value: unknown, path: string) => string[],
): S {
	unreadBy.set(schema, unread);
	return schema;
}

/** Paths of the fields in a value, which was read, that the schema leaves out. */
export function unreadFields(schema: z.core.$ZodType, value: unknown, path = ''): string[] {
	const own = schema instanceof z.ZodType ? unreadBy.get(schema) : undefined;
	if (own) return own(value, path);
	if (schema instanceof z.ZodPipe) return unreadFields(schema.in, value, path);
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
		return unreadFields(schema.unwrap(), value, path);
	if (schema instanceof z.ZodArray && Array.isArray(value))
		return value.flatMap((each, index) => unreadFields(schema.element, each, `${path}[${index}]`));
	if (!(schema instanceof z.ZodObject)) return [];
	if (!isRecord(value)) return [];
	const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
	return Object.entries(value).flatMap(([key, each]) => {
		const at = path === '' ? key : `${path}.${key}`;
		const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
		return field === undefined ? [at] : unreadFields(field, each, at);
	});
}

/** An object whose names may come in any letter case, each in one spelling. */
export function anyCase<F extends Fields>(fields: F) {
	const inner = object(fields);
	const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
	const spelled = (value: unknown): Record<string, unknown> => {
		const sent = new Map<string, string>();
		return Object.fromEntries(
			Object.entries(asObject(value, '')).map(([name, each]) => {
				const key = name.toLowerCase();
				const other = sent.get(key);
				if (other !== undefined)
					throw new Refused(
						`.${name}`,
						(field) => `${field} and '${other}' are the same field; send one of them.`,
					);
				sent.set(key, name);
				return [names.get(key) ?? name, each];
			}),
		);
	};
	return leaving(
		ruled(requestSchema(inner), (value): ObjectOf<F> => read(inner, spelled(value), '')),
		(value, path) => (isRecord(value) ? unreadFields(inner, spelled(value), path) : []),
	);
}

/** What a request must look like, as openapi.json says it. That a field may be `null` goes without saying. */
export const requestSchema = (schema: z.ZodType): SchemaObject => jsonSchema(schema, 'input');
/** What an answer looks like. Fields may be added, so none are excluded. */
export const answerSchema = (schema: z.ZodType): SchemaObject => jsonSchema(schema, 'output');

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): SchemaObject {
	const { $schema: _, ...rest } = z.toJSONSchema(schema, {
		io,
		unrepresentable: 'any',
		override: ({ zodSchema, jsonSchema }) => {
			if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
			if (io !== 'input' || !(zodSchema instanceof z.ZodNullable)) return;
			const [inner] = jsonSchema.anyOf ?? [];
			if (inner === undefined) return;
			delete jsonSchema.anyOf;
			Object.assign(jsonSchema, inner);
		},
	});
	return rest;
}
