/**
 * Parsing with tree-sitter: loads a grammar once and keeps one tree per open document. Parses in
 * slices; a changed document is parsed again from its first to its last changed character.
 */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { Edit, Language, Parser, type Tree } from 'web-tree-sitter';
import { type GrammarUse, grammars } from './grammars.ts';
import { Slices } from './slices.ts';

/** A file of a package: beside the bundle, or in the package when the sources run unbundled. */
export function wasmFile(name: string, packageFolder: string): string {
	const here = dirname(fileURLToPath(import.meta.url));
	const bundled = join(here, 'wasm', name);
	if (existsSync(bundled)) return bundled;
	return join(here, '..', '..', '..', 'node_modules', packageFolder, name);
}

interface Parsed {
	readonly version: number;
	readonly text: string;
	readonly tree: Tree;
}

/** A tree of the text it was made from; the caller must delete it. */
export interface SyntaxTree {
	readonly tree: Tree;
	readonly use: GrammarUse;
}

/** Characters handed to the parser at once. */
const chunk = 10_000;
/** Longer texts are data, whatever their ending says. */
const maxCharacters = 8_000_000;

/** Trees of documents. One per language server. */
export class SyntaxTrees {
	#ready: Promise<void> | undefined;
	readonly #languages = new Map<string, Promise<Language>>();
	readonly #trees = new Map<string, Parsed>();
	/** Documents that are parsed now; each is parsed by one at a time. */
	readonly #busy = new Map<string, Promise<void>>();

	/** Whether a grammar reads a language. */
	has(languageId: string): boolean {
		return Object.hasOwn(grammars, languageId);
	}

	/**
	 * A copy of the document's tree, or `undefined` when no grammar reads its language. A document
	 * that changes meanwhile is parsed again, so the tree fits the text it has now.
	 */
	async read(document: TextDocument, signal?: AbortSignal): Promise<SyntaxTree | undefined> {
		const use = this.has(document.languageId) ? grammars[document.languageId] : undefined;
		if (!use || document.getText().length > maxCharacters) return undefined;
		const language = await this.#language(use.file);
		const { uri } = document;
		for (;;) {
			const known = this.#trees.get(uri);
			if (known?.version === document.version && known.text === document.getText())
				return { tree: known.tree.copy(), use };
			const busy = this.#busy.get(uri);
			if (busy) {
				await busy;
				continue;
			}
			const work = this.#parse(document, language, known, signal);
			const quiet = work.then(
				() => undefined,
				() => undefined,
			);
			this.#busy.set(uri, quiet);
			try {
				if (!(await work)) return undefined;
			} finally {
				this.#busy.delete(uri);
			}
		}
	}

	/** Forgets a closed document. */
	forget(uri: string): void {
		this.#trees.get(uri)?.tree.delete();
		this.#trees.delete(uri);
	}

	async #parse(
		document: TextDocument,
		language: Language,
		known: Parsed | undefined,
		signal: AbortSignal | undefined,
	): Promise<boolean> {
		const { version, uri } = document;
		const text = document.getText();
		const parser = new Parser();
		const old = known?.tree.copy();
		const slices = new Slices(signal);
		try {
			parser.setLanguage(language);
			if (known) old?.edit(changeBetween(known.text, text));
			const input = (index: number) => text.slice(index, index + chunk);
			// A parser that was stopped goes on where it was when it is called again.
			const progressCallback = () => slices.isOver;
			let tree = parser.parse(input, old, { progressCallback });
			while (!tree) {
				await slices.pause();
				tree = parser.parse(input, old, { progressCallback });
			}
			this.forget(uri);
			this.#trees.set(uri, { version, text, tree });
			return true;
		} finally {
			old?.delete();
			parser.delete();
		}
	}

	#language(file: string): Promise<Language> {
		this.#ready ??= Parser.init({
			locateFile: (name: string) => wasmFile(name, 'web-tree-sitter'),
		});
		const known = this.#languages.get(file);
		if (known) return known;
		const loading = this.#ready.then(() =>
			Language.load(wasmFile(`${file}.wasm`, '@vscode/tree-sitter-wasm/wasm')),
		);
		this.#languages.set(file, loading);
		return loading;
	}
}

/** The one edit that makes the new text from the old one. */
function changeBetween(before: string, after: string) {
	const shorter = Math.min(before.length, after.length);
	let start = 0;
	while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
	let same = 0;
	while (
		same < shorter - start &&
		before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
	)
		same++;
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
