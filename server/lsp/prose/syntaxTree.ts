/** Parsing with tree-sitter: loads a grammar once and keeps one tree per open document. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { Edit, Language, type Node, Parser, type Tree } from 'web-tree-sitter';
import { type GrammarUse, grammars } from './grammars.ts';

/** Beside the bundle, or in the packages when the sources run unbundled. */
function wasmFile(name: string): string {
	const here = dirname(fileURLToPath(import.meta.url));
	const bundled = join(here, 'wasm', name);
	if (existsSync(bundled)) return bundled;
	const modules = join(here, '..', '..', '..', 'node_modules');
	return name === 'web-tree-sitter.wasm'
		? join(modules, 'web-tree-sitter', name)
		: join(modules, '@vscode', 'tree-sitter-wasm', 'wasm', name);
}

interface Parsed {
	readonly version: number;
	readonly text: string;
	readonly tree: Tree;
}

/** Trees of documents. One per front. */
export class SyntaxTrees {
	#ready: Promise<void> | undefined;
	readonly #languages = new Map<string, Promise<Language>>();
	readonly #trees = new Map<string, Parsed>();

	/**
	 * Root of the document's tree, or `undefined` when no grammar reads its language. A changed
	 * document is parsed again from its first to its last changed character.
	 */
	async root(document: TextDocument): Promise<{ node: Node; use: GrammarUse } | undefined> {
		const use = grammars[document.languageId];
		if (!use) return undefined;
		const language = await this.#language(use.file);
		const known = this.#trees.get(document.uri);
		const text = document.getText();
		if (known && known.version === document.version && known.text === text) {
			return { node: known.tree.rootNode, use };
		}
		const parser = new Parser();
		try {
			parser.setLanguage(language);
			if (known) known.tree.edit(changeBetween(known.text, text));
			const tree = parser.parse(text, known?.tree);
			if (!tree) return undefined;
			known?.tree.delete();
			this.#trees.set(document.uri, { version: document.version, text, tree });
			return { node: tree.rootNode, use };
		} finally {
			parser.delete();
		}
	}

	/** Forgets a closed document. */
	forget(uri: string): void {
		this.#trees.get(uri)?.tree.delete();
		this.#trees.delete(uri);
	}

	#language(file: string): Promise<Language> {
		this.#ready ??= Parser.init({ locateFile: (name: string) => wasmFile(name) });
		const known = this.#languages.get(file);
		if (known) return known;
		const loading = this.#ready.then(() => Language.load(wasmFile(`${file}.wasm`)));
		this.#languages.set(file, loading);
		return loading;
	}
}

/** The one edit that makes the new text from the old one. */
function changeBetween(before: string, after: string) {
	const shorter = Math.min(before.length, after.length);
	let start = 0;
	while (start < shorter && before[start] === after[start]) start++;
	let same = 0;
	while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
	const oldEnd = before.length - same;
	const newEnd = after.length - same;
	return new Edit({
		startIndex: start,
		oldEndIndex: oldEnd,
		newEndIndex: newEnd,
		startPosition: pointAt(before, start),
		oldEndPosition: pointAt(before, oldEnd),
		newEndPosition: pointAt(after, newEnd),
	});
}

function pointAt(text: string, index: number): { row: number; column: number } {
	let row = 0;
	let line = 0;
	for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) {
		row++;
		line = at + 1;
	}
	return { row, column: index - line };
}
