/** Cuts a source file into chunks of whole declarations, and other texts at headings and empty lines. */

import { Language, type Node, Parser } from 'web-tree-sitter';
import { grammars } from '../prose/grammars.ts';
import { wasmFile } from '../prose/syntaxTree.ts';

export interface SourceChunk {
	/** First and last line, from 0. */
	readonly startLine: number;
	readonly endLine: number;
	/** Names of what is declared in it. */
	readonly symbols: string;
	readonly text: string;
}

/** Characters of a chunk: enough for a function with its comment. */
const maxCharacters = 1800;
/** Smaller ones go together with their neighbours. */
const minCharacters = 500;
/** Names that are kept of one chunk. */
const maxSymbols = 12;
/** Longest parse: what a stranger wrote may be made to be slow. */
const maxParseMs = 2000;

/** Ending of a file name → language identifier of the grammars. */
const languages: ReadonlyMap<string, string> = new Map(
	Object.entries({
		js: 'javascript',
		mjs: 'javascript',
		cjs: 'javascript',
		jsx: 'javascriptreact',
		ts: 'typescript',
		mts: 'typescript',
		cts: 'typescript',
		tsx: 'typescriptreact',
		c: 'c',
		h: 'c',
		cc: 'cpp',
		cpp: 'cpp',
		cxx: 'cpp',
		hpp: 'cpp',
		sh: 'shellscript',
		bash: 'shellscript',
		cs: 'csharp',
		go: 'go',
		java: 'java',
		php: 'php',
		ps1: 'powershell',
		py: 'python',
		rb: 'ruby',
		rs: 'rust',
		md: 'markdown',
		yml: 'yaml',
	}),
);

/** Language identifier of a file by its ending, as editors name it; the ending where it has no other name. */
export function languageOf(path: string): string {
	const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
	return languages.get(ending) ?? ending;
}

/** Lines from `start`, up to the next one's. */
interface Part {
	readonly start: number;
	readonly symbols: readonly string[];
}

const loaded = new Map<string, Promise<Language | undefined>>();
let ready: Promise<void> | undefined;

function languageFor(path: string): Promise<Language | undefined> {
	const name = languageOf(path);
	const use = Object.hasOwn(grammars, name) ? grammars[name] : undefined;
	if (use === undefined) return Promise.resolve(undefined);
	ready ??= Parser.init({ locateFile: (name: string) => wasmFile(name, 'web-tree-sitter') });
	const known = loaded.get(use.file);
	if (known) return known;
	const loading = ready.then(() =>
		Language.load(wasmFile(`${use.file}.wasm`, '@vscode/tree-sitter-wasm/wasm')),
	);
	loaded.set(use.file, loading);
	return loading;
}

/** Chunks of a file, in order; together they hold every line that is not empty. */
export async function chunkText(path: string, text: string): Promise<SourceChunk[]> {
	const lines = text.split(/\r?\n/);
	const language = await languageFor(path);
	const parts = (language && declarations(language, text)) ?? paragraphs(path, lines);
	return gather(lines, parts);
}

/** Where declarations begin; `undefined` when the text takes too long to parse. */
function declarations(language: Language, text: string): Part[] | undefined {
	const parser = new Parser();
	const endMs = performance.now() + maxParseMs;
	try {
		parser.setLanguage(language);
		const tree = parser.parse(text, null, {
			progressCallback: () => performance.now() > endMs,
		});
		if (!tree) return undefined;
		const parts: Part[] = [];
		cut(tree.rootNode, parts, 0);
		tree.delete();
		return parts;
	} finally {
		parser.delete();
	}
}

/** Adds the children of a node, and of those that are too large their children. */
function cut(node: Node, parts: Part[], depth: number): void {
	let comment: number | undefined;
	for (const child of node.namedChildren) {
		if (!child) continue;
		const start = child.startPosition.row;
		if (/comment|decorator|attribute/.test(child.type)) {
			comment ??= start;
			continue;
		}
		const names = namesIn(child);
		// A remark belongs to what follows it.
		parts.push({ start: comment ?? start, symbols: names });
		comment = undefined;
		if (child.endIndex - child.startIndex > maxCharacters && depth < 8)
			cut(child, parts, depth + 1);
	}
	if (comment !== undefined) parts.push({ start: comment, symbols: [] });
}

/** The name of a declaration, wherever the grammar has it. */
function namesIn(node: Node): string[] {
	const declared = node.childForFieldName('declaration') ?? node;
	const own = declared.childForFieldName('name')?.text;
	if (own !== undefined) return own.length < 80 ? [own] : [];
	return declared.namedChildren
		.filter((child) => child?.type.endsWith('declarator'))
		.map((child) => child?.childForFieldName('name')?.text ?? '')
		.filter((name) => name !== '' && name.length < 80);
}

/** Where headings and paragraphs begin. */
function paragraphs(path: string, lines: readonly string[]): Part[] {
	const isMarkdown = /\.(?:md|mdx|markdown)$/i.test(path);
	const parts: Part[] = [];
	for (const [start, line] of lines.entries()) {
		const heading = isMarkdown ? /^#{1,6}\s(.+)$/.exec(line)?.[1]?.trim() : undefined;
		const begins = start === 0 || lines[start - 1]?.trim() === '';
		if (heading !== undefined) parts.push({ start, symbols: [heading.slice(0, 80)] });
		else if (begins && line.trim() !== '') parts.push({ start, symbols: [] });
	}
	return parts;
}

/** Puts parts together that are small, and cuts what is still too large. */
function gather(lines: readonly string[], parts: readonly Part[]): SourceChunk[] {
	const chunks: SourceChunk[] = [];
	const starts = [...parts].sort((a, b) => a.start - b.start);
	let open: { start: number; symbols: Set<string> } = { start: 0, symbols: new Set() };
	const sizeOf = (from: number, to: number) =>
		lines.slice(from, to).reduce((sum, line) => sum + line.length + 1, 0);
	const close = (end: number) => {
		for (let from = open.start; from < end; ) {
			let to = from;
			let size = 0;
			while (to < end && (to === from || size + (lines[to]?.length ?? 0) <= maxCharacters))
				size += (lines[to++]?.length ?? 0) + 1;
			const text = lines.slice(from, to).join('\n');
			const symbols = [...open.symbols].slice(0, maxSymbols).join(' ');
			if (text.trim() !== '') chunks.push({ startLine: from, endLine: to - 1, symbols, text });
			from = to;
		}
	};
	for (const [index, part] of starts.entries()) {
		const next = starts[index + 1]?.start ?? lines.length;
		const size = sizeOf(open.start, part.start);
		const isFull = size >= minCharacters || size + sizeOf(part.start, next) > maxCharacters;
		if (part.start > open.start && size > 0 && isFull) {
			close(part.start);
			open = { start: part.start, symbols: new Set() };
		}
		for (const name of part.symbols) open.symbols.add(name);
	}
	close(lines.length);
	return chunks;
}
