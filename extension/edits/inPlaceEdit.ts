/**
 * One change of a part of a document, written into the document as the model writes it, and looked through there: what
 * stands in the document is the new text, so that it can be saved and run; each hunk can be kept or taken back.
 * All that is written is one undo step.
 */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import { addedLines, movedHunk } from './hunkMoves.ts';
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
	/** The change of the document that has just been asked for here. */
	#expected: { readonly range: vscode.Range; readonly text: string } | undefined;
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
		// Without an editor each step would be one to undo.
		if (!isWhole && !this.#editor()) return;
		const { lines, rest } = isWhole
			? { lines: [...written], rest: 0 }
			: writtenOver(this.#before, written);
		this.#rest = rest;
		await this.#show(lines, isWhole);
		if (this.#phase !== 'writing') return;
		const hunks = lineHunks(this.#before, lines);
		this.#hunks = hunks.map((hunk) => ({ ...hunk, line: hunk.line + this.#first }));
		if (isWhole) this.#phase = this.#hunks.length > 0 ? 'reviewing' : 'ended';
		this.#onChange();
	}

	/** Puts everything back that was written: nothing came of it. */
	async abandon(): Promise<void> {
		try {
			if (this.#phase === 'writing') await this.#show(this.#before, true);
		} finally {
			this.#end();
		}
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
		this.#hunks = this.#hunks.filter((one) => one !== hunk);
		await this.#replaceLines(() => hunk.line, hunk.added, hunk.removed, {
			undoStopBefore: true,
			undoStopAfter: true,
		});
		const delta = hunk.removed.length - hunk.added;
		this.#hunks = this.#hunks.map((one) =>
			one.line > hunk.line ? { ...one, line: one.line + delta } : one,
		);
		this.#settle();
	}

	/** From the last, so that no line moves before it is its turn. */
	async undoAll(): Promise<void> {
		for (const hunk of [...this.#hunks].reverse()) await this.undo(hunk);
		this.#end();
	}

	/** The document has changed; false when the text that is being written is no longer where it was. */
	changed(changes: readonly vscode.TextDocumentContentChangeEvent[]): boolean {
		if (this.#phase === 'ended' || this.#isOwn(changes)) return true;
		let isWhole = true;
		for (const change of changes) {
			const { range } = change;
			if (this.#phase === 'writing') {
				const last = this.#first + this.#shown.length - 1;
				if (range.start.line > last) continue;
				const isBefore =
					range.end.line < this.#first ||
					(range.end.line === this.#first &&
						range.end.character === 0 &&
						change.text.endsWith('\n'));
				if (isBefore) this.#first += addedLines(change);
				else isWhole = false;
			} else
				this.#hunks = this.#hunks.flatMap((hunk) => {
					const { document } = this;
					const lengthOf = (line: number) =>
						line < document.lineCount ? document.lineAt(line).text.length : 0;
					return movedHunk(hunk, change, lengthOf) ?? [];
				});
		}
		if (!isWhole) this.#end();
		else if (this.#phase === 'reviewing') {
			const isBack = this.document.getText() === this.#original;
			this.#hunks = isBack ? [] : this.#hunks.filter((hunk) => this.#isOpen(hunk));
			this.#settle();
		}
		return isWhole;
	}

	/** Whether a change is the one that was just asked for here. */
	#isOwn(changes: readonly vscode.TextDocumentContentChangeEvent[]): boolean {
		const [change] = changes;
		const { range, text } = this.#expected ?? {};
		if (!change || !range || text === undefined || changes.length > 1) return false;
		// The editor leaves out what is equal at the ends, and writes the line ends of the document.
		const isInside = range.contains(change.range);
		return isInside && text.includes(change.text.replaceAll('\r\n', '\n'));
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
		await this.#replaceLines(() => this.#first + start, gone, lines.slice(start, start + fresh), {
			undoStopBefore: this.#isFirstStep,
			undoStopAfter: isLast,
		});
		this.#isFirstStep = false;
		if (this.#phase !== 'ended') this.#shown = lines;
	}

	/**
	 * In an editor the steps become one; without one in sight, the document is changed all the same.
	 * @param line where the lines are; asked anew when somebody was faster
	 */
	async #replaceLines(
		line: () => number,
		count: number,
		lines: readonly string[],
		undo: { readonly undoStopBefore: boolean; readonly undoStopAfter: boolean },
	): Promise<void> {
		const { document } = this;
		try {
			for (let tries = 0; tries < maxTries && this.#phase !== 'ended'; tries++) {
				const { range, text } = lineEdit(document, line(), count, lines);
				this.#expected = { range, text };
				const { version } = document;
				const editor = this.#editor();
				if (editor && (await editor.edit((edit) => edit.replace(range, text), undo))) return;
				if (document.version !== version) continue;
				const edit = new vscode.WorkspaceEdit();
				edit.replace(document.uri, range, text);
				if (await vscode.workspace.applyEdit(edit)) return;
				break;
			}
		} finally {
			this.#expected = undefined;
		}
		if (this.#phase !== 'ended')
			throw inReadersLanguage(
				'conflict',
				vscode.l10n.t('The editor refused the change. Is the file read-only?'),
			);
	}

	#editor(): vscode.TextEditor | undefined {
		return vscode.window.visibleTextEditors.find((one) => one.document === this.document);
	}
}

/** Times a change is tried when somebody writes into the document at the same moment. */
const maxTries = 5;

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
