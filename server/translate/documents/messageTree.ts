/** JSON and YAML message files as trees with offsets, and how entries are added to them. */

import { getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { isMap, isScalar, parseDocument, stringify } from 'yaml';
import { indentAt } from '../whiteSpace.ts';

/** A map or a value of a message file. */
export interface MessageTree {
	readonly start: number;
	readonly end: number;
	/** Plain value with all that is in it; `undefined` of a map with entries. */
	readonly value: unknown;
	/** Entries of a map, in order. */
	readonly entries?: readonly MessageEntry[];
	/** YAML in braces. */
	readonly isFlow?: boolean;
}

export interface MessageEntry {
	readonly key: string;
	readonly start: number;
	readonly end: number;
	readonly value: MessageTree;
}

/** A change of a text; all that `text` holds is new. */
export interface MessageEdit {
	readonly start: number;
	readonly end: number;
	readonly text: string;
}

export interface TreeFormat {
	/** The tree of a file; `undefined` when it is empty or has no map at its root. */
	readonly read: (text: string) => MessageTree | undefined;
	/** A file with nothing but these entries. */
	readonly whole: (entries: readonly NewEntry[]) => string;
	/** Adds entries to a map, after one of its own or in front. */
	readonly add: (
		text: string,
		map: MessageTree,
		after: MessageEntry | undefined,
		entries: readonly NewEntry[],
	) => MessageEdit;
	/** Source code of a value that stands where an empty one stood. */
	readonly literal: (value: unknown) => string;
}

export type NewEntry = readonly [key: string, value: unknown];

/** How the lines of a file end, and white space of one level. */
interface Layout {
	readonly eol: string;
	/** The least of any line that has some. */
	readonly unit: string;
}

let last: { readonly text: string; readonly layout: Layout } | undefined;

/** The layout of a text; entries are added to one file after the other. */
function layoutOf(text: string): Layout {
	if (last?.text === text) return last.layout;
	let unit: string | undefined;
	for (const [space] of text.matchAll(/^(?:\t|[ ]+)(?=\S)/gm))
		if (unit === undefined || space.length < unit.length) unit = space;
	const layout = { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: unit ?? '  ' };
	last = { text, layout };
	return layout;
}

export const jsonTree: TreeFormat = {
	read: (text) => {
		const root = parseTree(text, [], { allowTrailingComma: true });
		return root?.type === 'object' ? jsonNode(root, text) : undefined;
	},
	whole: (entries) => `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`,
	add: (text, map, after, entries) => {
		const { eol, unit } = layoutOf(text);
		const first = map.entries?.[0];
		const own = first && indentAt(text, first.start);
		const line = text.slice(text.lastIndexOf('\n', map.start - 1) + 1, map.start);
		const outer = /^[ \t]*/.exec(line)?.[0] ?? '';
		const indent = own ?? outer + unit;
		const isOneLine = first !== undefined && own === undefined;
		const rows = entries.map(([key, value]) => {
			const code = JSON.stringify(value, null, isOneLine ? undefined : unit);
			return `${JSON.stringify(key)}: ${code.replaceAll('\n', eol + indent)}`;
		});
		const gap = isOneLine ? ' ' : eol + indent;
		const list = rows.join(`,${gap}`);
		if (after) {
			// A comment on the line of an entry stays with it.
			const comma = /^[ \t]*,(?:[ \t]*\/\/[^\r\n]*)?/.exec(text.slice(after.end, after.end + 2000));
			const at = after.end + (comma?.[0].length ?? 0);
			return { start: at, end: at, text: comma ? `${gap}${list},` : `,${gap}${list}` };
		}
		const at = map.start + 1;
		if (first) return { start: at, end: at, text: `${isOneLine ? ' ' : gap}${list},` };
		return { start: at, end: map.end - 1, text: `${gap}${list}${eol}${outer}` };
	},
	literal: (value) => JSON.stringify(value),
};

/** A value, in which numbers of more digits than a number has here are as they are written. */
function plainValue(node: Node, text: string): unknown {
	if (node.type === 'array') return (node.children ?? []).map((child) => plainValue(child, text));
	if (node.type === 'object')
		return Object.fromEntries(
			(node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
				key && value ? [[String(key.value), plainValue(value, text)]] : [],
			),
		);
	const raw = text.slice(node.offset, node.offset + node.length);
	const isExact = node.type !== 'number' || JSON.stringify(node.value) === raw;
	return isExact ? (getNodeValue(node) as unknown) : rawJson(raw);
}

const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON: (text: string) => unknown };

function jsonNode(node: Node, text: string): MessageTree {
	const [start, end] = [node.offset, node.offset + node.length];
	if (node.type !== 'object') return { start, end, value: plainValue(node, text) };
	const entries = (node.children ?? []).flatMap(({ offset, length, children }) => {
		const [key, value] = children ?? [];
		if (!key || !value) return [];
		return [
			{ key: String(key.value), start: offset, end: offset + length, value: jsonNode(value, text) },
		];
	});
	return { start, end, value: undefined, entries };
}

export const yamlTree: TreeFormat = {
	read: (text) => {
		const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
		return isMap(document.contents) && document.errors.length === 0
			? yamlNode(document.contents)
			: undefined;
	},
	whole: (entries) => stringify(Object.fromEntries(entries), { lineWidth: 0 }),
	add: (text, map, after, entries) => {
		const layout = layoutOf(text);
		const { eol } = layout;
		const first = map.entries?.[0];
		if (map.isFlow) {
			const list = entries
				.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
				.join(', ');
			if (after) return { start: after.end, end: after.end, text: `, ${list}` };
			const at = map.start + 1;
			return { start: at, end: at, text: first ? ` ${list},` : ` ${list} ` };
		}
		const indent = (first && indentAt(text, first.start)) ?? '';
		const unit = layout.unit.replaceAll('\t', '  ');
		const code = stringify(Object.fromEntries(entries), { lineWidth: 0, indent: unit.length });
		const lines = code.replace(/^(?=.)/gm, indent).replaceAll('\n', eol);
		const at = after ? lineAfter(text, after.end) : (first?.start ?? map.start) - indent.length;
		const isUnended = at > 0 && at === text.length && text[at - 1] !== '\n';
		return { start: at, end: at, text: (isUnended ? eol : '') + lines };
	},
	literal: (value) => JSON.stringify(value),
};

function lineAfter(text: string, end: number): number {
	if (text[end - 1] === '\n') return end;
	const next = text.indexOf('\n', end);
	return next < 0 ? text.length : next + 1;
}

function yamlNode(node: unknown): MessageTree {
	const [start, end] = (node as { range?: readonly [number, number, number] } | null)?.range ?? [
		0, 0,
	];
	if (!isMap(node)) return { start, end, value: isScalar(node) ? node.value : plain(node) };
	const entries = node.items.flatMap(({ key, value }) => {
		if (!isScalar(key) || !key.range) return [];
		const tree = yamlNode(value);
		const end = (isMap(value) && !value.flow ? tree.end : rangeEnd(value)) ?? key.range[1] + 1;
		return [{ key: String(key.value), start: key.range[0], end, value: tree }];
	});
	const last = entries.at(-1)?.end ?? end;
	return {
		start,
		end: node.flow ? end : last,
		value: undefined,
		entries,
		isFlow: node.flow === true,
	};
}

function rangeEnd(node: unknown): number | undefined {
	const range = (node as { range?: readonly number[] } | null)?.range;
	return range?.[1];
}

function plain(node: unknown): unknown {
	const readable = node as { toJSON?: () => unknown } | null;
	return readable?.toJSON?.() ?? null;
}
