/**
 * Checks values from outside against schemas, and says in the house's sentences what is wrong: "'n' must be an
 * integer from 1 to 128, but it is 0." A schema's own error text is the phrase behind "must be" (see fields.ts);
 * for those without one the phrase is made from the kind of the issue here.
 */

import * as z from 'zod';
import { isRecord } from '../errorBody.ts';
import { AppError, type ErrorCode } from '../errors.ts';

/** What is wrong with a value, before it is known where in a request the value stands. */
export class Refused extends Error {
	/** Path below the value, as `.content[0]`; empty for the value itself. */
	readonly at: string;
	/** The sentence, given the name of the field at fault in quotation marks. */
	readonly sentence: (name: string) => string;
	readonly code: ErrorCode;

	constructor(
		at: string,
		sentence: (name: string) => string,
		code: ErrorCode = 'invalid_request',
		options: ErrorOptions = {},
	) {
		super(sentence(nameOf(at)), options);
		this.at = at;
		this.sentence = sentence;
		this.code = code;
	}

	/** The same, of a value that contains this one. */
	below(path: string): Refused {
		return new Refused(`${path}${this.at}`, this.sentence, this.code, { cause: this });
	}

	/** As the answer of a route. */
	error(): AppError {
		const param = this.at.replace(/^\./, '');
		return new AppError(this.code, this.sentence(nameOf(param)), param === '' ? {} : { param });
	}
}

const nameOf = (path: string) => (path === '' ? 'The body' : `'${path.replace(/^\./, '')}'`);

/**
 * What is wrong with a field.
 * @param at path below the value that is read
 * @param should phrase behind "must be"
 */
export function invalid(at: string, should: string, value?: unknown): Refused {
	const was = value === undefined ? '' : `, but it is ${show(value)}`;
	return new Refused(at, (name) => `${name} must be ${should}${was}.`);
}

export const missingField = (at: string): Refused =>
	new Refused(at, (name) => `${name} is missing.`);

export function asObject(value: unknown, at: string): Record<string, unknown> {
	if (value === undefined) throw missingField(at);
	if (!isRecord(value)) throw invalid(at, 'an object', value);
	return value as Record<string, unknown>;
}

/** A short picture of a value that never repeats long user text. */
function show(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return `an array of ${value.length}`;
	if (typeof value === 'object') return 'an object';
	if (typeof value === 'string') return value.length > 40 ? 'a longer text' : `'${value}'`;
	return String(value);
}

/**
 * The value as a schema reads it.
 * @throws AppError `invalid_request` or what a field's own rule says, with `param` = path of the field
 * @example
 * const { model } = check(object({ model: string() }), await readJson(context));
 */
export function check<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
	try {
		return read(schema, value, '');
	} catch (error) {
		throw error instanceof Refused ? error.error() : error;
	}
}

/** As {@link check}, inside the rule of a field: what is refused stands at a path below that field. */
export function read<S extends z.ZodType>(schema: S, value: unknown, at: string): z.output<S> {
	// Only the first fault is told, so no more of them than one is made into words.
	const { value: found, issues } = schema._zod.run(
		{ value, issues: [] },
		{
			async: false,
		},
	) as z.core.ParsePayload<z.output<S>>;
	const [issue] = issues;
	if (issue === undefined) return found;
	throw refusalOf(issue, value).below(at);
}

/** The rule of a field as zod calls it: what it refuses becomes an issue of the field. */
export function asRule<A, B>(
	rule: (value: A) => B,
): (value: A, context: z.core.$RefinementCtx<A>) => B {
	return (value, context) => {
		try {
			return rule(value);
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			context.issues.push({ code: 'custom', input: value, params: { refused: error } });
			return z.NEVER;
		}
	};
}

function refusalOf(issue: z.core.$ZodRawIssue, root: unknown): Refused {
	const path = issue.path ?? [];
	const at = pathText(path);
	if (issue.code === 'custom' && issue.params?.['refused'] instanceof Refused)
		return issue.params['refused'].below(at);
	const deeper = issue.code === 'invalid_union' ? deeperOf(issue.errors) : undefined;
	if (deeper !== undefined) return refusalOf(deeper, valueAt(root, path)).below(at);
	const value = valueAt(root, path);
	if (value === undefined) return missingField(at);
	// What a text of the wrong length or of a rule of its own is, its phrase says.
	const tellsValue = issue.code !== 'custom' && (issue as { origin?: unknown }).origin !== 'string';
	return invalid(at, phraseOf(issue), tellsValue ? value : undefined);
}

/** Of the ways in which a value could be read, the fault of the last that went into it. */
function deeperOf(ways: readonly (readonly z.core.$ZodIssue[])[]): z.core.$ZodRawIssue | undefined {
	const found = ways.findLast(([first]) => first !== undefined && isDeeper(first))?.[0];
	return found === undefined ? undefined : { ...found, input: undefined };
}

const isDeeper = (issue: z.core.$ZodIssue): boolean =>
	issue.path.length > 0 ||
	(issue.code === 'custom' &&
		issue.params?.['refused'] instanceof Refused &&
		issue.params['refused'].at !== '');

/** The phrase behind "must be". */
function phraseOf(issue: z.core.$ZodRawIssue): string {
	const map = issue.inst?._zod.def.error as z.core.$ZodErrorMap | undefined;
	const own = issue.message ?? map?.(issue);
	if (own !== undefined && own !== null) return typeof own === 'string' ? own : own.message;
	switch (issue.code) {
		case 'invalid_type':
			return article(issue.expected);
		case 'invalid_value':
			return issue.values.length === 1
				? quoted(issue.values[0])
				: `one of ${issue.values.map(quoted).join(', ')}`;
		case 'too_small':
			return `${article(issue.origin)} of at least ${issue.minimum}`;
		case 'too_big':
			return `${article(issue.origin)} of at most ${issue.maximum}`;
		default:
			return 'in the form that the description of this route gives';
	}
}

const quoted = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));

const article = (kind: string) =>
	kind === 'boolean' ? 'true or false' : `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;

export const pathText = (path: readonly PropertyKey[]): string =>
	path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(value, key) =>
			typeof value === 'object' && value !== null && Object.hasOwn(value, key)
				? (value as Record<PropertyKey, unknown>)[key]
				: undefined,
		root,
	);
}
