/**
 * The words of YAML: string values that read like them. Keys, comments, anchors, tags, order and the style of
 * every scalar stay; a value is only quoted anew where its style cannot hold it.
 */

import {
	isMap,
	isPair,
	isScalar,
	type Pair,
	parse,
	parseAllDocuments,
	type Scalar,
	visit,
	type YAMLMap,
} from 'yaml';
import { nestedTooDeeply } from '../nesting.ts';
import { leadingSpace, trailingSpace } from '../whiteSpace.ts';
import { isProse } from './isProse.ts';
import { vueForms } from './lineBranches.ts';
import type { Piece } from './piece.ts';
import { categoryBranches, pluralKey, type Siblings, siblingsOf } from './pluralKeys.ts';
import { remarksIn } from './remarks.ts';

/** Plain words that some readers take for truth values. */
const keyword = /^(?:y|yes|no|n|on|off|true|false|null|~)$/i;

/** @param isWanted Told the keys from the root; lists have none. */
export function yamlPieces(
	text: string,
	to?: string,
	isWanted: (keys: readonly string[]) => boolean = () => true,
): Piece[] {
	const pieces: Piece[] = [];
	const eol = text.includes('\r\n') ? '\r\n' : '\n';
	const isKept = remarksIn(text);
	const siblings = new Map<unknown, Siblings>();
	const siblingsIn = (map: YAMLMap) => {
		const known = siblings.get(map) ?? siblingsOf(map.items.map(keyOf));
		siblings.set(map, known);
		return known;
	};
	for (const document of parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false })) {
		if (!('contents' in document)) continue;
		if (document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) throw nestedTooDeeply();
		if (document.errors.length > 0) continue;
		visit(document, {
			Pair(_, pair) {
				const at = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
				return at !== undefined && isKept(at, '') ? visit.SKIP : undefined;
			},
			Scalar(key, node, path) {
				const piece = key === 'key' ? undefined : scalarPiece(text, node, eol);
				const keys = path.filter(isPair).map(keyOf);
				if (!piece || !isProse(piece.text, keys) || !isWanted(keys)) return;
				const [pair, map] = [path.at(-1), path.at(-2)];
				const plural = isMap(map) ? pluralKey(keyOf(pair), siblingsIn(map)) : undefined;
				const forms = plural && to ? categoryBranches(piece.text, plural, to) : undefined;
				const branches = forms ?? vueForms(piece.text);
				pieces.push({ ...piece, key: keys.join('.'), ...(branches ? { branches } : {}) });
			},
		});
	}
	return pieces.sort((a, b) => a.start - b.start);
}

function keyOf(pair: unknown): string {
	const { key } = (pair ?? {}) as Partial<Pair>;
	return isScalar(key) ? String(key.value) : '';
}

function scalarPiece(text: string, node: Scalar, eol: string): Piece | undefined {
	const [start, end] = node.range ?? [];
	const { value, type } = node;
	if (typeof value !== 'string' || start === undefined || end === undefined) return undefined;
	if (node.tag !== undefined && node.tag !== 'tag:yaml.org,2002:str') return undefined;
	if (type === 'PLAIN' && keyword.test(value)) return undefined;
	const raw = text.slice(start, end);
	const [before, after] = [leadingSpace(value), trailingSpace(value)];
	return {
		start,
		end,
		text: value.trim(),
		encode: (translation) => {
			const wanted = before + translation + after;
			if (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED')
				return block(raw, wanted, type === 'BLOCK_FOLDED', indentOfLine(text, start), eol);
			if (type === 'QUOTE_SINGLE' && !/[\n\r]/.test(wanted))
				return `'${wanted.replaceAll("'", "''")}'`;
			return type === 'PLAIN' && holdsPlain(wanted) ? wanted : JSON.stringify(wanted);
		},
	};
}

/** Whether a text without quotes is read back as itself, in a list in brackets, too. */
function holdsPlain(text: string): boolean {
	// Brackets and commas end words in a list; many of them would take the parser long to refuse.
	if (/[\n\r[\]{},]/.test(text) || keyword.test(text)) return false;
	try {
		const [whole] = parse(`[${text}]`) as unknown[];
		return whole === text && (parse(`a: ${text}`) as { a?: unknown }).a === text;
	} catch {
		return false;
	}
}

function indentOfLine(text: string, at: number): string {
	const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
	return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** A block scalar under its own header, at its own depth; what cannot be folded is kept by line. */
function block(raw: string, text: string, folded: boolean, indent: string, eol: string): string {
	const [header = '|', ...lines] = raw.split(/\r?\n/);
	const own = lines.find((line) => line.trim() !== '');
	const depth = /^ */.exec(own ?? '')?.[0] ?? `${indent}  `;
	const tail = trailingSpace(raw).replace(/^[^\r\n]*/, '');
	// Its number is of the indentation of what is around it, which cannot be seen here.
	if (/^[|>][+-]?\d/.test(header)) return JSON.stringify(text) + tail;
	const write = (rows: readonly string[], head: string) =>
		head + eol + rows.map((row) => (row.trim() === '' ? '' : depth + row)).join(eol) + tail;
	const body = text.trimEnd();
	if (!folded) return write(body.split(/\r?\n/), header);
	const width = lines.reduce((widest, line) => Math.max(widest, line.length - depth.length), 40);
	const rows = body
		.split('\n')
		.flatMap((row, index) => [...(index > 0 ? [''] : []), ...wrap(row, width)]);
	const made = write(rows, header);
	return readsAs(made, text) ? made : write(body.split('\n'), header.replace('>', '|'));
}

function readsAs(source: string, text: string): boolean {
	try {
		return String(parse(`a: ${source}`).a).trimEnd() === text.trimEnd();
	} catch {
		return false;
	}
}

function wrap(row: string, width: number): string[] {
	const rows: string[] = [];
	for (const word of row.split(' ')) {
		const last = rows.at(-1);
		if (last !== undefined && last.length + 1 + word.length <= width)
			rows[rows.length - 1] = `${last} ${word}`;
		else rows.push(word);
	}
	return rows;
}
