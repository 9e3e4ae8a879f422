/** Checks a JSON value against the subset of JSON Schema in schema.ts. */

import type { Schema } from './schema.ts';

/** A place in the file and what is wrong there. */
export interface Finding {
	/** Dotted path, `identityProviders.google.registration`. */
	readonly path: string;
	readonly message: string;
}

export interface SchemaReport {
	readonly errors: Finding[];
	/** Keys the schema does not know, in sections that are open to them: read, not used. */
	readonly warnings: Finding[];
}

/** Wrong types, enums and patterns are errors, and unknown keys where the schema allows no others. */
export function checkSchema(value: unknown, schema: Schema): SchemaReport {
	const report: SchemaReport = { errors: [], warnings: [] };
	check(value, schema, '', report);
	return report;
}

function check(value: unknown, schema: Schema, path: string, report: SchemaReport): void {
	const fail = (message: string) => {
		report.errors.push({ path: path === '' ? '(whole file)' : path, message });
	};
	if (schema.type !== undefined && !hasType(value, schema.type)) {
		fail(
			`must be ${schema.type === 'object' ? 'an object' : `of type ${schema.type}`}, is ${typeName(value)}.`,
		);
		return;
	}
	if (typeof value === 'string') checkString(value, schema, fail);
	if (typeof value === 'number') {
		const { minimum = -Infinity, maximum = Infinity } = schema;
		if (value < minimum || value > maximum) fail(`must be ${minimum} to ${maximum}, is ${value}.`);
	}
	if (Array.isArray(value)) {
		if (value.length < (schema.minItems ?? 0))
			fail('must not be empty: leave it out, or list some.');
		const items = schema.items;
		for (const [index, item] of value.entries()) {
			if (items) check(item, items, `${path}[${index}]`, report);
		}
		return;
	}
	if (typeof value !== 'object' || value === null) return;
	for (const key of schema.required ?? []) {
		if (!Object.hasOwn(value, key)) fail(`lacks '${key}'.`);
	}
	const known = Object.keys(schema.properties ?? {});
	if (Object.keys(value).length < (schema.minProperties ?? 0))
		fail(`must hold one of ${known.join(', ')}: leave it out, or fill it.`);
	for (const [key, item] of Object.entries(value)) {
		const at = path === '' ? key : `${path}.${key}`;
		const rule = known.includes(key) ? schema.properties?.[key] : schema.additionalProperties;
		if (rule) check(item, rule, at, report);
		else if (rule === false)
			report.errors.push({
				path: at,
				message: `is not a known setting. Correct or remove it; known here: ${known.join(', ') || 'none'}.`,
			});
		else if (schema.properties)
			report.warnings.push({ path: at, message: 'is not a known setting; it has no effect.' });
	}
}

function checkString(value: string, schema: Schema, fail: (message: string) => void): void {
	if (schema.enum && !schema.enum.includes(value)) {
		fail(`must be one of ${schema.enum.join(', ')}, is '${value}'.`);
	}
	if (value.length < (schema.minLength ?? 0)) fail('must not be empty.');
	if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
		fail(`must match ${schema.pattern}, is '${value}'.`);
	}
}

function hasType(value: unknown, type: NonNullable<Schema['type']>): boolean {
	if (type === 'array') return Array.isArray(value);
	if (type === 'object')
		return typeof value === 'object' && value !== null && !Array.isArray(value);
	if (type === 'integer') return Number.isInteger(value);
	return typeof value === type;
}

function typeName(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
