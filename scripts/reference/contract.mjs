/** Errors, models of the catalogue and JSON-RPC messages, from the tables that the program uses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorKinds } from '../../server/protocol/errors.ts';
import { root } from '../node.mjs';
import { cell, code, page, table } from './markdown.mjs';

export function errors() {
	const rows = Object.entries(errorKinds).map(
		([name, { httpStatus, rpcCode, type, retryable, sentence }]) => [
			code(name),
			httpStatus,
			rpcCode,
			code(type),
			retryable ? 'yes' : 'no',
			cell(sentence),
		],
	);
	return page(
		'Errors',
		'server/protocol/errors.ts',
		'`error.code` over HTTP, with the status and type; the number over JSON-RPC. *Again* says whether the same request may succeed later.\nMost messages say more than the sentence here: which parameter, which file, what to do. The translator’s routes have the numbers of the\npublished interface instead ([translation](../translation.md)).',
		table(['Code', 'HTTP', 'JSON-RPC', 'Type', 'Again', 'Meaning'], rows),
	);
}

export function catalogue() {
	const { models } = JSON.parse(readFileSync(join(root, 'server/hub/catalogue.json'), 'utf8'));
	const tasks = Map.groupBy(models, ({ task }) => task);
	const sections = [...tasks].map(([task, list]) => {
		const rows = list.map((model) => [
			code(model.alias),
			cell(model.displayName),
			cell(model.license),
			model.contextLength ?? '',
			[...new Set(model.variants.map(({ repository }) => repository))].map(code).join(', '),
		]);
		return `## ${task}\n\n${table(['Name', 'Model', 'Licence', 'Context', 'Repository'], rows)}`;
	});
	return page(
		'Models of the catalogue',
		'server/hub/catalogue.json',
		'`nearglot models pull NAME` downloads one of these. They are a beginning, not a limit: `nearglot models pull OWNER/NAME` takes any repository of the hub that\n[runs here](../models.md), and `nearglot models search` looks in both.',
		...sections,
	);
}

/** Signature of each request, as it stands in the source. */
export function rpcMessages() {
	const source = readFileSync(join(root, 'server/protocol/methods.ts'), 'utf8');
	const body = source.slice(source.indexOf("\t'nearglot/chat': {"), source.lastIndexOf('export '));
	const rows = body
		.replaceAll(/\/\*\*.*?\*\//gs, '')
		.split(/^(?=\t'nearglot\/)/m)
		.map((entry) => {
			const end = entry.lastIndexOf('};');
			const found = /^\t'([\w/]+)': \{\s*params: (.*?);\s*result: (.*?);?\s*$/s.exec(
				entry.slice(0, end),
			);
			if (!found) throw new Error(`Not understood: ${entry}`);
			const [, name, params, result] = found;
			return [code(name), code(oneLine(params)), code(oneLine(result))];
		});
	return page(
		'JSON-RPC messages',
		'server/protocol/methods.ts',
		'Requests that `nearglot lsp --stdio` answers beside those of the language server protocol. The types are in `server/protocol`; `nearglot/status` is a notification\nwith the health of the server. How editors use them is in [In the editor](../editor.md).',
		table(['Request', 'Parameters', 'Result'], rows),
	);
}

const oneLine = (text) => text.replaceAll(/\s+/g, ' ').trim();
