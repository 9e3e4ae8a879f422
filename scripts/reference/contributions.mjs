/** Settings and commands of the extension, from package.json and its texts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node.mjs';
import { cell, code, page, table } from './markdown.mjs';

const json = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));

const manifest = json('package.json');
const texts = json('package.nls.json');
const said = (text = '') => text.replace(/^%(.*)%$/, (_, key) => texts[key] ?? key);

function type({ type, enum: values, minimum, maximum, items }) {
	const name = Array.isArray(type) ? type.join(' or ') : (type ?? 'any');
	if (values) return values.map((value) => code(value === '' ? '""' : value)).join(', ');
	const range = [
		minimum !== undefined && `from ${minimum}`,
		maximum !== undefined && `to ${maximum}`,
	];
	const of = items?.type ? ` of ${items.type}` : '';
	return [name + of, ...range.filter(Boolean)].join(' ');
}

/** Links between settings (`#nearglot.x#`) as VS Code shows them. */
const linked = (text) => text.replaceAll(/`#([\w.]+)#`/g, '`$1`');

export function settings() {
	const { configuration } = manifest.contributes;
	const sections = Array.isArray(configuration) ? configuration : [configuration];
	const rows = sections
		.flatMap(({ properties }) => Object.entries(properties))
		.map(([name, value]) => [
			code(name),
			cell(linked(said(value.markdownDescription ?? value.description))),
			type(value),
			code(JSON.stringify(value.default)),
			value.scope ?? 'window',
		]);
	return page(
		'Settings',
		'package.json',
		'Settings of the VS Code extension. *Scope* says where each can be set: `machine` and `application` settings are yours alone, no workspace can change them.',
		table(['Setting', 'What it does', 'Values', 'Default', 'Scope'], rows),
	);
}

export function commands() {
	const { commands: all, keybindings = [] } = manifest.contributes;
	const keys = new Map(
		keybindings.map(({ command, key, mac }) => [command, mac ? `${key} (Mac: ${mac})` : key]),
	);
	const rows = all.map(({ command, title }) => [
		cell(said(title)),
		code(command),
		...(keys.size > 0 ? [keys.has(command) ? code(keys.get(command)) : ''] : []),
	]);
	return page(
		'Commands of the extension',
		'package.json',
		'All of them are in the command palette under *Nearglot* where they can be used at that moment.',
		table(['Title', 'Identifier', ...(keys.size > 0 ? ['Keys'] : [])], rows),
	);
}
