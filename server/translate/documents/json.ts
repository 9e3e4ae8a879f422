/** JSON, JSON with comments and ARB message files: string values; keys, order and layout stay. */

import { type Node, parseTree } from 'jsonc-parser';
import type { Piece } from './piece.ts';

/** Values that are not words: addresses, colours, identifiers, paths. */
const notProse =
	/^(?:[a-z][a-z\d+.-]*:\/\/\S*|#[\da-f]{3,8}|[\w.-]+\/[\w./-]*|[A-Z\d_]+|[\w-]+\.[\w.-]+)$/;

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
	if (!/\p{L}{2}/u.test(value) || notProse.test(value)) return;
	pieces.push({
		start: node.offset,
		end: node.offset + node.length,
		text: value,
		encode: (translation) => JSON.stringify(translation),
	});
}
