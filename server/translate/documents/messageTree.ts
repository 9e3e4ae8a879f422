/** JSON and YAML message files as trees with offsets, and how entries are added to them. */

import { getNodeValue, type Node, parseTree } from 'jsonc-parser';
import {
	type Alias,
	type Document,
	isAlias,
	isMap,
	isNode,
	isScalar,
	isSeq,
	parseDocument,
	stringify,
	visit,
} from 'yaml';
import { AppError } from '../../protocol/errors.ts';
import { pushAll } from '../../protocol/lists.ts';
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
	/** An alias of YAML stands for it: its text is written elsewhere. */
	readonly isShared?: boolean;
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

/** Texts are quoted that readers of YAML 1.1 (Ruby, Java, Python) take for something else, such as `no`. */
const forAllReaders = { version: '1.1' } as const;

export const yamlTree: TreeFormat = {
	read: (text) => {
		const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false });
		return isMap(document.contents) && document.errors.length === 0
			? yamlNode(document.contents, {
					...{ document, anchored: anchoredNodes(document), aliases: [], shared: 0 },
				})
			: undefined;
	},
	whole: (entries) => stringify(Object.fromEntries(entries), { ...forAllReaders, lineWidth: 0 }),
	add: (text, map, after, entries) => {
		const layout = layoutOf(text);
		const { eol } = layout;
		const first = map.entries?.find(({ value }) => !value.isShared);
		if (map.isFlow) {
			const list = entries
				.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
				.join(', ');
			if (after) return { start: after.end, end: after.end, text: `, ${list}` };
			const at = map.start + 1;
			const isEmpty = /^\s*\}/.test(text.slice(at, at + 1000));
			return { start: at, end: at, text: isEmpty ? ` ${list} ` : ` ${list},` };
		}
		const indent = indentAt(text, first?.start ?? map.start) ?? '';
		const unit = layout.unit.replaceAll('\t', '  ');
		const code = stringify(Object.fromEntries(entries), {
			...{ ...forAllReaders, lineWidth: 0 },
			indent: unit.length,
		});
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

/** Where a node of YAML is read. */
interface YamlPlace {
	readonly document: Document;
	/** What each alias stands for. */
	readonly anchored: ReadonlyMap<Alias, unknown>;
	/** What stands for the nodes around it. */
	readonly aliases: readonly unknown[];
	/** How many nodes aliases have been read as. */
	shared: number;
}

/** More than this is no file of messages: aliases of aliases grow without end. */
const maxShared = 50_000;

function yamlNode(node: unknown, place: YamlPlace): MessageTree {
	if (isAlias(node)) return aliasTree(node, place);
	const isShared = place.aliases.length > 0;
	if (isShared && ++place.shared > maxShared) throw aliasesWithoutEnd();
	const [start, end] = rangeOf(node) ?? [0, 0];
	const shared = isShared ? { isShared } : {};
	if (!isMap(node))
		return { start, end, value: isScalar(node) ? node.value : plain(node, place), ...shared };
	const entries: MessageEntry[] = [];
	const merged: MessageEntry[] = [];
	let last = end;
	for (const { key, value } of node.items) {
		const at = isScalar(key) ? rangeOf(key) : undefined;
		if (!isScalar(key) || !at) continue;
		const isMerge = key.value === '<<' && key.type === 'PLAIN';
		// Each is read once: what is merged may hold what is merged.
		const trees = (isMerge && isSeq(value) ? value.items : [value]).map(
			(one) => [one, yamlNode(one, place)] as const,
		);
		const tree = trees[0]?.[1] ?? yamlNode(value, place);
		const end = (isMap(value) && !value.flow ? tree.end : rangeOf(value)?.[1]) ?? at[1] + 1;
		last = end;
		if (isMerge) pushAll(merged, mergedEntries(trees, { start: at[0], end }));
		else entries.push({ key: String(key.value), start: at[0], end, value: tree });
	}
	const own = new Set(entries.map(({ key }) => key));
	const elsewhere: MessageEntry[] = [];
	for (const entry of merged) {
		if (own.has(entry.key)) continue;
		own.add(entry.key);
		(entry.value.isShared ? elsewhere : entries).push(entry);
	}
	entries.sort((one, other) => one.start - other.start);
	pushAll(entries, elsewhere);
	const isFlow = node.flow === true;
	return { start, end: isFlow ? end : last, value: undefined, entries, isFlow, ...shared };
}

/** What aliases stand for: the last node before them that has their name. */
function anchoredNodes(document: Document): ReadonlyMap<Alias, unknown> {
	const byName = new Map<string, unknown>();
	const found = new Map<Alias, unknown>();
	visit(document, {
		Node: (_, node) => {
			if (isAlias(node)) found.set(node, byName.get(node.source));
			else if (node.anchor !== undefined) byName.set(node.anchor, node);
		},
	});
	return found;
}

/** What an alias stands for, at its own place where it is a value. */
function aliasTree(alias: Alias, place: YamlPlace): MessageTree {
	const node = place.anchored.get(alias);
	if (place.aliases.includes(node) || place.aliases.length > 50) throw aliasesWithoutEnd();
	const aliases = [...place.aliases, node];
	const inner: YamlPlace = { ...place, aliases };
	const tree = yamlNode(node, inner);
	place.shared = inner.shared;
	const [start, end] = rangeOf(alias) ?? [0, 0];
	return { ...tree, start, end, isShared: true };
}

/** Entries that `<<` takes from one map or several, the first of which is right. */
function mergedEntries(
	trees: readonly (readonly [node: unknown, tree: MessageTree])[],
	range: { readonly start: number; readonly end: number },
): MessageEntry[] {
	return trees.flatMap(([one, { entries = [] }]) => {
		if (!isAlias(one) && !isMap(one)) return [];
		// What is added stands beside the whole.
		return isMap(one) ? entries.map((entry) => ({ ...entry, ...range })) : [...entries];
	});
}

const aliasesWithoutEnd = () =>
	new AppError(
		'invalid_request',
		'The aliases of the YAML file stand for too much, or for themselves. Write out what they stand for and try again.',
	);

const rangeOf = (node: unknown) =>
	(node as { range?: readonly [number, number, number] } | null)?.range ?? undefined;

function plain(node: unknown, { document }: YamlPlace): unknown {
	return isNode(node) ? node.toJS(document) : null;
}
