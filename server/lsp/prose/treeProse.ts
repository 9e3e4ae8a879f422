/** Comments, docstrings and strings of a syntax tree. */

import type { Prose } from './prose.ts';
import type { Slices } from './slices.ts';
import type { SyntaxTree } from './syntaxTree.ts';

/** What touches the offsets `from`…`to`; branches beside them are not entered. */
export async function treeProse(
	{ tree, use }: SyntaxTree,
	text: string,
	from: number,
	to: number,
	slices: Slices,
): Promise<Prose[]> {
	const comments = new Set(use.comments);
	const strings = new Set(use.strings);
	const found: Prose[] = [];
	const cursor = tree.walk();
	const parents: string[] = [];
	try {
		for (;;) {
			if (slices.isOver) await slices.pause();
			const { nodeType: type, startIndex: start, endIndex } = cursor;
			if (start > to) break;
			let goesDown = false;
			if (endIndex >= from) {
				if (comments.has(type)) {
					// Some grammars count the line end as part of a line comment.
					const end = start + text.slice(start, endIndex).trimEnd().length;
					found.push({ kind: 'comment', start, end });
				} else if (strings.has(type) && cursor.nodeIsNamed) {
					const isStatement = use.docstrings && parents.at(-1) === 'expression_statement';
					found.push({ kind: isStatement ? 'docstring' : 'string', start, end: endIndex });
				} else goesDown = true;
			}
			if (goesDown) {
				// The child before the place may end right there.
				const isInside = from > start && cursor.gotoFirstChildForIndex(from - 1);
				if (isInside || cursor.gotoFirstChild()) {
					parents.push(type);
					continue;
				}
			}
			while (!cursor.gotoNextSibling()) {
				if (!cursor.gotoParent()) return found;
				parents.pop();
			}
		}
		return found;
	} finally {
		cursor.delete();
	}
}
