/** Where a document has words for people: comments, docstrings, strings, paragraphs of prose. */

import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { LanguageFile } from '../../protocol/index.ts';
import { withoutEnd } from '../../translate/whiteSpace.ts';
import { commentMarkers, type Markers, markedProse } from './commentMarkers.ts';
import { readMarkers } from './languageFile.ts';
import { paragraphsIn, proseLanguages } from './paragraphs.ts';
import type { Prose } from './prose.ts';
import { Slices } from './slices.ts';
import { SyntaxTrees } from './syntaxTree.ts';
import { TextmateGrammars } from './textmate.ts';
import { treeProse } from './treeProse.ts';

/** Starts of line comments; neighbouring lines with the same one are one comment. */
const lineMarker = /^(?:REM\b|[^\p{L}\p{N}\s_*(<{[]{1,4}(?!\[[[=]))/iu;
/** Lines of one comment that are looked at around a cursor, each way. */
const maxLines = 1000;

/**
 * Finds the prose of documents: by tree-sitter where there is a grammar, by a TextMate grammar of the
 * editor for other languages, and by comment markers for the rest. One per language server.
 */
export class ProseFinder {
	readonly trees = new SyntaxTrees();
	readonly grammars = new TextmateGrammars();
	#languages: readonly LanguageFile[] = [];
	readonly #markers = new Map<string, Promise<Markers | undefined>>();

	/** Language configurations of the editor, for comment markers no table here has. */
	set languages(languages: readonly LanguageFile[]) {
		this.#languages = languages;
		this.#markers.clear();
	}

	/** Whether anything is known of a language. */
	async knows(document: TextDocument): Promise<boolean> {
		const { languageId } = document;
		return (
			proseLanguages.has(languageId) ||
			this.grammars.has(languageId) ||
			(await this.#markersOf(languageId)) !== undefined ||
			this.trees.has(languageId)
		);
	}

	/**
	 * What lies in (or touches) the offsets `from`…`to`, in the order of the text. Line comments that
	 * follow each other at the same column are one; a cursor (`from` = `to`) in one means all of it.
	 * A document that changes meanwhile is looked at again.
	 */
	async find(
		document: TextDocument,
		from: number,
		to: number,
		signal?: AbortSignal,
	): Promise<Prose[]> {
		if (proseLanguages.has(document.languageId)) return paragraphsIn(document, from, to);
		for (;;) {
			const { version } = document;
			const [first, last] = from === to ? commentAround(document, from) : [from, to];
			const found = await this.#search(document, first, last, new Slices(signal));
			if (document.version !== version) continue;
			const whole = joined(document, found);
			return from === to ? whole.filter(({ start, end }) => start <= from && to <= end) : whole;
		}
	}

	forget(uri: string): void {
		this.trees.forget(uri);
		this.grammars.forget(uri);
	}

	async #search(
		document: TextDocument,
		from: number,
		to: number,
		slices: Slices,
	): Promise<Prose[]> {
		const parsed = await this.trees.read(document, slices.signal);
		if (parsed) {
			try {
				return await treeProse(parsed, document.getText(), from, to, slices);
			} finally {
				parsed.tree.delete();
			}
		}
		const touches = ({ start, end }: Prose) => end >= from && start <= to;
		const [first, last] = [document.positionAt(from).line, document.positionAt(to).line];
		const found = await this.grammars.prose(document, first, last, slices);
		if (found) return found.filter(touches);
		const use = await this.#markersOf(document.languageId);
		return use ? (await markedProse(document, use, slices)).filter(touches) : [];
	}

	#markersOf(languageId: string): Promise<Markers | undefined> {
		const known = this.#markers.get(languageId);
		if (known) return known;
		const own = Object.hasOwn(commentMarkers, languageId) ? commentMarkers[languageId] : undefined;
		const file = this.#languages.find((language) => language.languageId === languageId);
		const made = own || !file ? Promise.resolve(own) : readMarkers(file.path);
		this.#markers.set(languageId, made);
		return made;
	}
}

/** The lines of line comments around a place, or the place itself. */
function commentAround(document: TextDocument, at: number): [number, number] {
	const { line } = document.positionAt(at);
	const own = markerAt(document, line);
	if (!own) return [at, at];
	const same = (other: number) => {
		const found = markerAt(document, other);
		return found?.marker === own.marker && found.column === own.column;
	};
	let [first, last] = [line, line];
	while (first > 0 && line - first < maxLines && same(first - 1)) first--;
	while (last + 1 < document.lineCount && last - line < maxLines && same(last + 1)) last++;
	const column = own.column;
	const end = document.offsetAt({ line: last, character: 0 }) + lineText(document, last).length;
	return [document.offsetAt({ line: first, character: column }), end];
}

/** The marker of a line comment that has a line for itself. */
function markerAt(document: TextDocument, line: number) {
	const text = lineText(document, line);
	const words = text.trimStart();
	const marker = lineMarker.exec(words)?.[0];
	return marker === undefined ? undefined : { marker, column: text.length - words.length };
}

/** Joins line comments of neighbouring lines. */
function joined(document: TextDocument, found: readonly Prose[]): Prose[] {
	const result: Prose[] = [];
	for (const prose of found) {
		const last = result.at(-1);
		const isComment = prose.kind === 'comment' && last?.kind === 'comment';
		if (isComment && last && prose.end <= last.end) continue;
		if (isComment && last && follows(document, last, prose))
			result[result.length - 1] = { ...last, end: prose.end };
		else result.push(prose);
	}
	return result;
}

/** Whether a line comment goes on in the next line: same column, alone there, same marker. */
function follows(document: TextDocument, first: Prose, second: Prose): boolean {
	const end = document.positionAt(first.end);
	const start = document.positionAt(second.start);
	if (start.line !== end.line + 1) return false;
	const [own, other] = [markerAt(document, end.line), markerAt(document, start.line)];
	return (
		own !== undefined &&
		other?.marker === own.marker &&
		other.column === own.column &&
		start.character === own.column
	);
}

/** A line without its end. */
export function lineText(document: TextDocument, line: number): string {
	const start = { line, character: 0 };
	const end = { line: line + 1, character: 0 };
	return withoutEnd(document.getText({ start, end }), '\r\n');
}
