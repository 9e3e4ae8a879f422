/** The syntax of programs' messages and of tables for the gate: keys, selectors, code, the number of cells. */

import { type Node, parseTree } from 'jsonc-parser';
import { delimitedRows } from '../documents/delimitedRows.ts';
import { appleEntries } from '../documents/software/appleEntries.ts';
import { fluentValues, fluentVariants } from '../documents/software/fluentReader.ts';
import { phpToken } from '../documents/software/phpToken.ts';
import { readToml } from '../documents/software/tomlReader.ts';
import type { SyntaxNode } from './gate.ts';

/** What cannot be read any more has no syntax. */
function checked(fault: unknown): void {
	if (fault !== undefined) throw new SyntaxError('The text cannot be read.');
}

/** Keys and remarks of a `.strings` file. */
export function appleNodes(text: string): SyntaxNode[] {
	const { entries, fault } = appleEntries(text);
	checked(fault);
	return entries.flatMap(({ remark, key, start }) => [
		{ at: start - 1, node: remark.trim() },
		{ at: start - 1, node: `key ${key}` },
	]);
}

/** Messages of a catalogue without their languages, of which there may be more afterwards. */
export function catalogNodes(text: string): SyntaxNode[] {
	const nodes: SyntaxNode[] = [];
	const errors: unknown[] = [];
	const root = parseTree(text, errors as [], { allowTrailingComma: true });
	checked(errors[0]);
	const read = (node: Node, depth: number) => {
		if (node.type === 'property') {
			const [key, value] = node.children ?? [];
			if (depth === 3 && key?.value === 'localizations') return;
			if (key) nodes.push({ at: key.offset, node: `key ${String(key.value)}` });
			if (value) read(value, depth);
			return;
		}
		const value = node.children ? '' : ` ${JSON.stringify(node.value)}`;
		nodes.push({ at: node.offset, node: node.type + value });
		for (const child of node.children ?? []) read(child, depth + 1);
	};
	if (root) read(root, 0);
	return nodes;
}

/** Messages, attributes, placeables and the keys of variants. */
export function fluentNodes(text: string): SyntaxNode[] {
	const { patterns, fault } = fluentValues(text);
	checked(fault);
	const nodes: SyntaxNode[] = [];
	const add = (at: number, node: string) => nodes.push({ at, node });
	for (const match of text.matchAll(
		/^(?:-?[A-Za-z][\w-]*(?=[ ]*=)|[ ]+\.[A-Za-z][\w-]*(?=[ ]*=)|#.*)/gm,
	))
		add(match.index, match[0].trim());
	// What lines of a value must not begin with.
	for (const match of text.matchAll(/^[ ]*[.*[}]/gm)) add(match.index, match[0].trim());
	for (const pattern of patterns) {
		const variants = fluentVariants(text, pattern);
		for (const { start, end, isCode } of pattern.parts) {
			if (!isCode) continue;
			const code = text.slice(start, end);
			add(start, variants ? code.slice(0, code.indexOf('->')) : code);
		}
		for (const variant of variants ?? []) {
			add(variant.start, `[${variant.key}]`);
			for (const { start, end, isCode } of variant.pattern.parts)
				if (isCode) add(start, text.slice(start, end));
		}
	}
	return nodes.sort((a, b) => a.at - b.at);
}

/** Tables, keys, brackets, dates and numbers. */
export function tomlNodes(text: string): SyntaxNode[] {
	const { reader, fault } = readToml(text);
	checked(fault);
	return [...reader.nodes];
}

/** Code, remarks and keys of a PHP file; of other strings only that they are some. */
export function phpNodes(text: string): SyntaxNode[] {
	const nodes: { at: number; node: string }[] = [];
	let last: { at: number; node: string } | undefined;
	let raw = '';
	for (let at = 0; at < text.length; ) {
		phpToken.lastIndex = at;
		const match = phpToken.exec(text);
		if (!match) break;
		const [all, gap, , single, double, , arrow] = match;
		const own = single ?? double;
		if (gap === undefined) {
			if (arrow && last) last.node = `key ${raw}`;
			last = undefined;
			const code = double === undefined ? [] : (double.match(/(?<!\\)\$\w+|\{\$[^}]*\}/g) ?? []);
			const node = { at, node: own === undefined ? all : ['text', ...code].join(' ') };
			nodes.push(node);
			if (own !== undefined) [last, raw] = [node, own];
		}
		at += all.length;
	}
	return nodes;
}

/** Rows with the number of their cells; those that the first row has more of are empty. */
export const tableNodes =
	(delimiterOf: (text: string) => string) =>
	(text: string): SyntaxNode[] => {
		const rows = delimitedRows(text, delimiterOf(text));
		const columns = rows[0]?.length ?? 0;
		return rows.map((row) => ({
			at: row[0]?.start ?? 0,
			node: `${Math.max(row.length, columns)} cells`,
		}));
	};
