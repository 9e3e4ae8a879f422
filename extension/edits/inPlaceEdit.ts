/**
 * One change of a part of a document, written into the document as the model writes it, and looked through there: what
 * stands in the document is the new text, so that it can be saved and run; each hunk can be kept or taken back.
 * All that is written is one undo step.
 */

import * as vscode from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import { changedLines, type LineHunk, lineHunks, writtenOver } from './lineHunks.ts';

/** `writing`: the text comes; `reviewing`: there are hunks nobody has decided on; `ended`: nothing is left to decide. */
export type EditPhase = 'writing' | 'reviewing' | 'ended';

export class InPlaceEdit {
	readonly document: vscode.TextDocument;
	/** The whole document before: whoever undoes everything has decided. */
	readonly #original: string;
	readonly #before: readonly string[];
	readonly #onChange: () => void;
	/** First line of the part. */
	#first: number;
	/** Lines of the part as the document has them. */
	#shown: readonly string[];
	#rest = 0;
	#hunks: LineHunk[] = [];
	#phase: EditPhase = 'writing';
	/** A change of the document that comes from here. */
	#isOwn = false;
	#isFirstStep = true;

	/** `first` and `last` are lines of the part, both of it. */
	constructor(
		document: vscode.TextDocument,
		[first, last]: readonly [number, number],
		onChange: () => void,
	) {
		this.document = document;
		this.#first = first;
		this.#before = document.getText(wholeLines(document, first, last)).split(/\r?\n/);
		this.#shown = this.#before;
		this.#original = document.getText();
		this.#onChange = onChange;
	}

	get phase(): EditPhase {
		return this.#phase;
	}

	/** What can be decided on, in lines of the document, from the top. */
	get hunks(): readonly LineHunk[] {
		return this.#hunks;
	}

	/** The lines the part had. */
	get before(): readonly string[] {
		return this.#before;
	}

	/** Shows the lines that have been written so far; `isWhole` with all of them. */
	async write(written: readonly string[], isWhole: boolean): Promise<void> {
		if (this.#phase !== 'writing') return;
		const { lines, rest } = isWhole
			? { lines: [...written], rest: 0 }
			: writtenOver(this.#before, written);
		this.#rest = rest;
		await this.#show(lines, isWhole);
		const hunks = lineHunks(this.#before, lines);
		this.#hunks = hunks.map((hunk) => ({ ...hunk, line: hunk.line + this.#first }));
		if (isWhole) this.#phase = this.#hunks.length > 0 ? 'reviewing' : 'ended';
		this.#onChange();
	}

	/** Puts everything back that was written: nothing came of it. */
	async abandon(): Promise<void> {
		if (this.#phase === 'writing') await this.#show(this.#before, true);
		this.#end();
	}

	/** Leaves a hunk as it is. */
	keep(hunk: LineHunk): void {
		this.#forget(hunk);
	}

	keepAll(): void {
		this.#end();
	}

	/** Puts back what a hunk took the place of. */
	async undo(hunk: LineHunk): Promise<void> {
		if (!this.#hunks.includes(hunk)) return;
		await this.#replaceLines(hunk.line, hunk.added, hunk.removed, {
			undoStopBefore: true,
			undoStopAfter: true,
		});
		const delta = hunk.removed.length - hunk.added;
		this.#hunks = this.#hunks.map((one) =>
			one.line > hunk.line ? { ...one, line: one.line + delta } : one,
		);
		this.#hunks = this.#hunks.filter(({ line }) => line !== hunk.line);
		this.#settle();
	}

	/** From the last, so that no line moves before it is its turn. */
	async undoAll(): Promise<void> {
		for (const hunk of [...this.#hunks].reverse()) await this.undo(hunk);
		this.#end();
	}

	/** The document has changed; false when the text that is being written is no longer where it was. */
	changed(changes: readonly vscode.TextDocumentContentChangeEvent[]): boolean {
		if (this.#isOwn || this.#phase === 'ended') return true;
		let isWhole = true;
		for (const { range, text } of changes) {
			const delta = text.split('\n').length - 1 - (range.end.line - range.start.line);
			if (this.#phase === 'writing') {
				const last = this.#first + this.#shown.length - 1;
				if (range.start.line > last) continue;
				if (range.end.line < this.#first) this.#first += delta;
				else isWhole = false;
			} else this.#hunks = this.#hunks.flatMap((hunk) => moved(hunk, range, delta));
		}
		if (!isWhole) this.#end();
		else if (this.#phase === 'reviewing') {
			const isBack = this.document.getText() === this.#original;
			this.#hunks = isBack ? [] : this.#hunks.filter((hunk) => this.#isOpen(hunk));
			this.#settle();
		}
		return isWhole;
	}

	/** Lines of the document that are still to be written over. */
	get pending(): { readonly line: number; readonly count: number } {
		return { line: this.#first + this.#shown.length - this.#rest, count: this.#rest };
	}

	/** Whether the lines of a hunk differ from those that were there. */
	#isOpen({ line, added, removed }: LineHunk): boolean {
		if (line + added > this.document.lineCount) return false;
		return (
			added !== removed.length ||
			removed.some((text, index) => this.document.lineAt(line + index).text !== text)
		);
	}

	#forget(hunk: LineHunk): void {
		this.#hunks = this.#hunks.filter((one) => one !== hunk);
		this.#settle();
	}

	#settle(): void {
		if (this.#hunks.length === 0) this.#end();
		else this.#onChange();
	}

	#end(): void {
		this.#phase = 'ended';
		this.#hunks = [];
		this.#rest = 0;
		this.#onChange();
	}

	/** Writes the lines that differ from those the document has. */
	async #show(lines: readonly string[], isLast: boolean): Promise<void> {
		const { start, end } = changedLines(this.#shown, lines);
		const [gone, fresh] = [this.#shown.length - start - end, lines.length - start - end];
		if (gone === 0 && fresh === 0) return;
		await this.#replaceLines(this.#first + start, gone, lines.slice(start, start + fresh), {
			undoStopBefore: this.#isFirstStep,
			undoStopAfter: isLast,
		});
		this.#isFirstStep = false;
		this.#shown = lines;
	}

	/** In an editor the steps become one; without one in sight, the document is changed all the same. */
	async #replaceLines(
		line: number,
		count: number,
		lines: readonly string[],
		undo: { readonly undoStopBefore: boolean; readonly undoStopAfter: boolean },
	): Promise<void> {
		const { document } = this;
		const { range, text } = lineEdit(document, line, count, lines);
		this.#isOwn = true;
		try {
			const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
			const isDone = editor && (await editor.edit((edit) => edit.replace(range, text), undo));
			if (isDone) return;
			const edit = new vscode.WorkspaceEdit();
			edit.replace(document.uri, range, text);
			if (!(await vscode.workspace.applyEdit(edit)))
				throw new AppError(
					'conflict',
					vscode.l10n.t('The editor refused the change. Is the file read-only?'),
				);
		} finally {
			this.#isOwn = false;
		}
	}
}

/** Lines from their beginning to the end of the last, without its line end. */
function wholeLines(document: vscode.TextDocument, first: number, last: number): vscode.Range {
	return new vscode.Range(new vscode.Position(first, 0), document.lineAt(last).range.end);
}

/** The edit that puts lines in the place of `count` others. */
function lineEdit(
	document: vscode.TextDocument,
	line: number,
	count: number,
	lines: readonly string[],
): { readonly range: vscode.Range; readonly text: string } {
	const text = lines.join('\n');
	if (count > 0 && lines.length > 0)
		return { range: wholeLines(document, line, line + count - 1), text };
	const isBehindAll = line >= document.lineCount;
	if (count === 0) {
		const at = isBehindAll
			? document.lineAt(document.lineCount - 1).range.end
			: new vscode.Position(line, 0);
		return { range: new vscode.Range(at, at), text: isBehindAll ? `\n${text}` : `${text}\n` };
	}
	// Lines leave with the line end behind them; the last of a document with the one before it.
	const last = line + count - 1;
	if (last + 1 < document.lineCount)
		return { range: new vscode.Range(line, 0, last + 1, 0), text: '' };
	const start = line === 0 ? new vscode.Position(0, 0) : document.lineAt(line - 1).range.end;
	return { range: new vscode.Range(start, document.lineAt(last).range.end), text: '' };
}

/** A hunk after somebody's change of the document; none when its lines and the lines around it are gone. */
function moved(hunk: LineHunk, range: vscode.Range, delta: number): LineHunk[] {
	const end = hunk.line + Math.max(0, hunk.added - 1);
	if (range.start.line > end) return [hunk];
	if (range.end.line < hunk.line) return [{ ...hunk, line: hunk.line + delta }];
	if (range.start.line < hunk.line && range.end.line > end) return [];
	const line = Math.min(hunk.line, range.start.line);
	return [{ ...hunk, line, added: Math.max(0, hunk.added + delta) }];
}
