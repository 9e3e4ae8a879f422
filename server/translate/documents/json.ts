/** JSON, JSON with comments and ARB message files: string values; keys, order and layout stay. */

import { type Node, parseTree } from 'jsonc-parser';
import type { Piece } from './piece.ts';
import { isProse } from './prose.ts';

export function extractJson(text: string): Piece[] {
	const root = parseTree(text, [], { allowTrailingComma: true });
	const pieces: Piece[] = [];
	if (root) visit(root, text, pieces);
	return pieces;
}

function visit(node: Node, text: string, pieces: Piece[]): void {
	if (node.type === 'property') {
		const [key, value] = node.children ?? [];
		// ARB keeps descriptions and types of messages under `@name`.
		if (value && !String(key?.value).startsWith('@')) visit(value, text, pieces);
		return;
	}
	for (const child of node.children ?? []) visit(child, text, pieces);
	if (node.type !== 'string') return;
	const value = String(node.value);
	if (!isProse(value)) return;
	pieces.push({
		start: node.offset,
		end: node.offset + node.length,
		text: value,
		encode: (translation) => JSON.stringify(translation),
	});
}
