/** Checks a JSON value against a zod schema, and says of every place in it what is wrong there. */

import type * as z from 'zod';
import { pathText } from '../../protocol/routes/check.ts';
import { isOpen } from './schemaFields.ts';

/** A place in the file and what is wrong there. */
export interface Finding {
	/** Dotted path, `identityProviders.google.registration`. */
	readonly path: string;
	readonly message: string;
}

export interface SchemaReport<T> {
	/** The value with its defaults; of use only without errors. */
	readonly value: T;
	readonly errors: Finding[];
	/** Keys the schema does not know, in sections that are open to them: read, not used. */
	readonly warnings: Finding[];
}

/** Wrong types, enums and patterns are errors, and unknown keys where the schema allows no others. */
export function checkSchema<S extends z.ZodType>(
	value: unknown,
	schema: S,
): SchemaReport<z.output<S>> {
	const found = schema._zod.run({ value, issues: [] }, { async: false }) as z.core.ParsePayload<
		z.output<S>
	>;
	const report: SchemaReport<z.output<S>> = { value: found.value, errors: [], warnings: [] };
	for (const issue of found.issues) {
		const path = [...(issue.path ?? [])];
		if (issue.code === 'unrecognized_keys') addUnknown(issue, path, report);
		else if (issue.code === 'invalid_type' && issue.input === undefined && path.length > 0) {
			const key = String(path.pop());
			report.errors.push({ path: placeOf(path), message: `lacks '${key}'.` });
		} else if (!report.errors.some((error) => error.path === placeOf(path)))
			report.errors.push({ path: placeOf(path), message: sentenceOf(issue) });
	}
	return report;
}

function addUnknown(
	issue: z.core.$ZodRawIssue<z.core.$ZodIssueUnrecognizedKeys>,
	path: readonly PropertyKey[],
	report: SchemaReport<unknown>,
): void {
	const known = Object.keys((issue.inst as z.ZodObject).shape).join(', ') || 'none';
	for (const key of issue.keys) {
		const at = placeOf([...path, key]);
		if (isOpen(issue.inst))
			report.warnings.push({ path: at, message: 'is not a known setting; it has no effect.' });
		else
			report.errors.push({
				path: at,
				message: `is not a known setting. Correct or remove it; known here: ${known}.`,
			});
	}
}

const placeOf = (path: readonly PropertyKey[]): string =>
	path.length === 0 ? '(whole file)' : pathText(path).replace(/^\./, '');

function sentenceOf(issue: z.core.$ZodRawIssue): string {
	const { input } = issue;
	switch (issue.code) {
		case 'invalid_type':
			return `${messageOf(issue) ?? `must be ${kindOf(issue.expected)}`}, is ${typeName(input)}.`;
		case 'invalid_value':
			return typeof input === 'string'
				? `must be one of ${issue.values.join(', ')}, is '${input}'.`
				: `must be of type string, is ${typeName(input)}.`;
		case 'invalid_format':
			return `must match ${String(issue['pattern']).slice(1, -1).replaceAll('\\/', '/')}, is '${String(input)}'.`;
		case 'too_small':
			if (issue.origin === 'string') return 'must not be empty.';
			if (issue.origin === 'array') return 'must not be empty: leave it out, or list some.';
			return `${messageOf(issue)}, is ${String(input)}.`;
		case 'too_big':
			return `${messageOf(issue)}, is ${String(input)}.`;
		default:
			return messageOf(issue) ?? 'is not as it must be.';
	}
}

const kindOf = (expected: string): string =>
	expected === 'object' || expected === 'record'
		? 'an object'
		: `of type ${expected === 'int' ? 'integer' : expected}`;

/** The schema's own sentence, or the beginning of one. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
	const map = issue.inst?._zod.def.error as z.core.$ZodErrorMap | undefined;
	const own = issue.message ?? map?.(issue);
	return typeof own === 'string' ? own : own?.message;
}

function typeName(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
