/** Tuples as drafts up to 7 write them (`items` as a list), in the words of later ones. */

import { defined } from '../../protocol/defined.ts';
import { isRecord } from '../../protocol/errorBody.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose values are values, not schemas. */
const valueKeywords = new Set(['const', 'enum', 'default', 'examples', 'required']);
/** Keywords that hold schemas by names of the schema's author. */
const mapKeywords = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const maxDepth = 64;

/** The schema with `prefixItems` for lists of `items`, and `items` for `additionalItems`. */
export function withTuples(schema: unknown, depth = 0): unknown {
	if (depth > maxDepth) return schema;
	if (Array.isArray(schema)) return schema.map((each) => withTuples(each, depth + 1));
	if (!isRecord(schema)) return schema;
	return mapped(renamed(schema), (value, key) => {
		if (valueKeywords.has(key)) return value;
		if (mapKeywords.has(key) && isRecord(value))
			return mapped(value, (each) => withTuples(each, depth + 2));
		return withTuples(value, depth + 1);
	});
}

function renamed(schema: Schema): Schema {
	const { additionalItems, items, ...rest } = schema;
	if (!Array.isArray(items)) return schema;
	return {
		...rest,
		...(items.length === 0 ? {} : { prefixItems: items }),
		...defined({ items: additionalItems }),
	};
}

function mapped(schema: Schema, change: (value: unknown, key: string) => unknown): Schema {
	return Object.fromEntries(
		Object.entries(schema).map(([key, value]) => [key, change(value, key)]),
	);
}
