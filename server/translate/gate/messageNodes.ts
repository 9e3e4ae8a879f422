/** The syntax of message files and subtitles for the gate: keys, values that are no words, times. */

import { type Node, parseTree } from 'jsonc-parser';
import { isAlias, isScalar, parseAllDocuments, visit } from 'yaml';
import { poEntries } from '../documents/poEntries.ts';
import { propertyEntries } from '../documents/propertyEntries.ts';
import type { SyntaxNode } from './gate.ts';

/** Keys and values of JSON; of strings only that they are some. */
export function jsonNodes(text: string): SyntaxNode[] {
	const nodes: SyntaxNode[] = [];
	const read = (node: Node) => {
		if (node.type === 'property') {
			const [key, value] = node.children ?? [];
			if (key) nodes.push({ at: key.offset, node: `key ${String(key.value)}` });
			if (value) read(value);
			return;
		}
		const value = node.children || node.type === 'string' ? '' : ` ${String(node.value)}`;
		nodes.push({ at: node.offset, node: node.type + value });
		for (const child of node.children ?? []) read(child);
	};
	const root = parseTree(text, [], { allowTrailingComma: true });
	if (root) read(root);
	return nodes;
}

/** Keys and values of YAML; of strings only that they are some. */
export function yamlNodes(text: string): SyntaxNode[] {
	const nodes: SyntaxNode[] = [];
	for (const document of parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false })) {
		if (!('contents' in document)) continue;
		visit(document, {
			Node(key, node) {
				const at = node.range?.[0] ?? 0;
				if (isAlias(node)) nodes.push({ at, node: `*${node.source}` });
				else if (!isScalar(node)) nodes.push({ at, node: 'collection' });
				else if (key === 'key') nodes.push({ at, node: `key ${String(node.value)}` });
				else nodes.push({ at, node: typeof node.value === 'string' ? 'text' : String(node.value) });
			},
		});
	}
	return nodes.sort((a, b) => a.at - b.at);
}

/** Ids of gettext messages; the header may come or change. */
export const poNodes = (text: string): SyntaxNode[] =>
	poEntries(text)
		.filter(({ id }) => id.text !== '')
		.map(({ id, context, plural }) => ({
			at: id.start,
			node: [context?.text, id.text, plural?.text].join('\u0004'),
		}));

export const propertiesNodes = (text: string): SyntaxNode[] =>
	propertyEntries(text).map(({ key, start }) => ({ at: start, node: key }));

/** Lines with times, and empty ones between cues. */
export function subtitleNodes(text: string): SyntaxNode[] {
	const line = /^(?:[^\r\n]{0,40}-->[^\r\n]*|[ \t]*$)/gm;
	return [...text.matchAll(line)].map((match) => ({
		at: match.index,
		node: match[0].trim() || 'blank',
	}));
}
