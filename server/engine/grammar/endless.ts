/** Finds parts of schemas that can never be written to their end because they contain themselves. */

import type { JsonSchema } from '../../protocol/index.ts';

type Schema = Record<string, unknown>;

/**
 * Path of a part of a prepared schema that only endless JSON would satisfy: `#/properties/next` where everything has
 * to have a `next` of its own. `undefined` when every part that is reached has an end.
 */
export function endlessPlace(root: JsonSchema): string | undefined {
	const paths = new Map<Schema, string>();
	const targets = new Map<Schema, unknown>();
	const visit = (value: unknown, path: string): void => {
		if (!isObject(value) || paths.has(value)) return;
		paths.set(value, path);
		if (typeof value['$ref'] === 'string') {
			const target = follow(root, value['$ref']);
			targets.set(value, target);
			visit(target, path);
		}
		for (const [key, child] of partsOf(value)) visit(child, `${path}/${key}`);
	};
	visit(root, '#');
	const open = new Set(paths.keys());
	const all = (values: readonly unknown[]) =>
		values.every((value) => !isObject(value) || !open.has(value));
	const ends = (schema: Schema): boolean => {
		const target = targets.get(schema);
		if (target !== undefined) return all([target]);
		for (const key of ['anyOf', 'oneOf'])
			if (Array.isArray(schema[key])) return schema[key].some((each) => all([each]));
		if (schema['enum'] !== undefined || schema['const'] !== undefined) return true;
		const types = typesOf(schema);
		return types.some((type) => {
			if (type === 'object') return all(neededOf(schema));
			return type === 'array' ? all(firstItems(schema)) : true;
		});
	};
	// The least fixed point: each round finds those that end if those of earlier rounds do.
	for (let before = -1; before !== open.size; ) {
		before = open.size;
		for (const schema of open) if (ends(schema)) open.delete(schema);
	}
	return [...paths].find(([schema]) => open.has(schema))?.[1];
}

function partsOf(schema: Schema): [string, unknown][] {
	const parts: [string, unknown][] = [];
	for (const key of ['items', 'additionalProperties']) parts.push([key, schema[key]]);
	for (const key of ['anyOf', 'oneOf', 'prefixItems', 'properties', 'patternProperties'])
		for (const [name, child] of Object.entries(Object(schema[key])))
			parts.push([`${key}/${name}`, child]);
	return parts;
}

/** Values that every object has. */
function neededOf(schema: Schema): unknown[] {
	const properties = isObject(schema['properties']) ? schema['properties'] : {};
	const required = Array.isArray(schema['required']) ? schema['required'] : [];
	return required.map((name) =>
		Object.hasOwn(properties, String(name))
			? properties[String(name)]
			: schema['additionalProperties'],
	);
}

/** Items that every array has. */
function firstItems(schema: Schema): unknown[] {
	const listed = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
	const min = Number(schema['minItems'] ?? 0);
	return min > listed.length ? [...listed, schema['items']] : listed;
}

function typesOf({ type, properties, items, prefixItems }: Schema): unknown[] {
	if (type !== undefined) return Array.isArray(type) ? type : [type];
	if (properties !== undefined) return ['object'];
	return items !== undefined || prefixItems !== undefined ? ['array'] : ['anything'];
}

function follow(root: unknown, ref: string): unknown {
	let target = root;
	for (const part of ref.slice(1).split('/').slice(1)) {
		const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
		target = Object(target)[name];
	}
	return target;
}

const isObject = (value: unknown): value is Schema =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
