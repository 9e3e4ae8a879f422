/** Jupyter notebooks: their Markdown cells. Code, outputs and everything else stay. */

import { type Node, parseTree } from 'jsonc-parser';
import { indentAt } from '../../whiteSpace.ts';
import { applyEdits } from '../edits.ts';
import { extractJson } from '../jsonDocument.ts';
import { extractMarkdown } from '../markdownDocument.ts';
import { DocumentParts } from '../parts.ts';
import type { Extract, OpenedText } from '../piece.ts';

interface Cell {
	readonly source: Node;
	readonly text: string;
}

const member = (node: Node | undefined, name: string) =>
	node?.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1];

function cellsOf(text: string): Cell[] {
	const root = parseTree(text);
	const cells = member(root, 'cells')?.children ?? [];
	return cells.flatMap((cell): Cell[] => {
		const source = member(cell, 'source');
		if (member(cell, 'cell_type')?.value !== 'markdown' || !source) return [];
		const lines = source.type === 'array' ? (source.children ?? []) : [source];
		const words = lines.map(({ value }) => String(value)).join('');
		return words.includes('\u0000') ? [] : [{ source, text: words }];
	});
}

function open(text: string): OpenedText {
	const cells = cellsOf(text);
	const parts = new DocumentParts(
		cells.map((cell, at) => ({ name: String(at), text: cell.text, extract: extractMarkdown })),
	);
	return {
		text: parts.text,
		extract: parts.extract,
		close: (made) => {
			const edits = [...parts.changed(made)].flatMap(([name, words]) => {
				const source = cells[Number(name)]?.source;
				return source
					? [
							{
								start: source.offset,
								end: source.offset + source.length,
								text: codeOf(text, source, words),
							},
						]
					: [];
			});
			return applyEdits(text, edits).text;
		},
	};
}

/** A list of lines where there was one, each with its end. */
function codeOf(text: string, source: Node, words: string): string {
	if (source.type !== 'array') return JSON.stringify(words);
	const rows = words.split(/(?<=\n)/).map((row) => JSON.stringify(row));
	const [first] = source.children ?? [];
	const indent = first && indentAt(text, first.offset);
	if (indent === undefined) return `[${rows.join(', ')}]`;
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const outer = indentAt(text, source.offset + source.length - 1) ?? '';
	return `[${eol}${rows.map((row) => indent + row).join(`,${eol}`)}${eol}${outer}]`;
}

export const extractNotebook: Extract = Object.assign(() => [], {
	open,
	...(extractJson.faultOf ? { faultOf: extractJson.faultOf } : {}),
});
