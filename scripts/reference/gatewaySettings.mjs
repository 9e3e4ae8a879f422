/** Settings of the gateway, from the schema that `nearglot gateway --schema` prints. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node.mjs';
import { cell, code, page, table } from './markdown.mjs';

/** Providers other than the built-in ones have the same fields; their table stands once. */
const maxDepth = 6;

function values({ type, enum: listed, const: one, minimum, maximum, items, default: usual }) {
	const parts = [
		one !== undefined
			? code(JSON.stringify(one))
			: listed
				? listed.map((value) => code(value)).join(', ')
				: type,
		type === 'array' && items?.type ? `of ${items.type}` : '',
		minimum !== undefined ? `from ${minimum}` : '',
		maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `to ${maximum}` : '',
		usual !== undefined ? `(${code(JSON.stringify(usual))})` : '',
	];
	return parts.filter(Boolean).join(' ');
}

/** One row for each field that says something, nested names joined by dots. */
function rows(schema, prefix = '', depth = 0) {
	return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
		const path = `${prefix}${name}`;
		const own =
			field.description || !field.properties
				? [[code(path), values(field), cell(field.description)]]
				: [];
		return depth < maxDepth ? [...own, ...rows(field, `${path}.`, depth + 1)] : own;
	});
}

export function gatewaySettings() {
	const schema = JSON.parse(readFileSync(join(root, 'deploy/auth.schema.json'), 'utf8'));
	// The same fields stand once more in `properties`, as portals export them.
	const { properties: wrapped, ...properties } = schema.properties;
	if (wrapped === undefined) throw new Error('The schema has lost its outer form.');
	const sections = Object.entries(properties)
		.map(([name, field]) => [name, rows(field)])
		.filter(([, list]) => list.length > 0)
		.map(
			([name, list]) =>
				`## ${name}\n\n${table(['Field', 'Values (default)', 'What it does'], list)}`,
		);
	return page(
		'Settings of the gateway',
		'deploy/auth.schema.json',
		'Fields of the settings file of `nearglot gateway --config`, below each section’s name. `nearglot gateway --schema` prints the schema, `--check` says whether a file can be used, paths count from its folder (`keysFile` is `gateway-keys.json` there, the store\n`gateway-sessions.db`), and the same fields may stand inside `properties`, as portals export them.\n[A team server](../team-server.md) explains what the settings are for.',
		...sections,
	);
}
