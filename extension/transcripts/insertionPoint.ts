/** Text that arrives piece by piece at the place where the cursor was, as one step of undo. */

import * as vscode from 'vscode';
import { joinText } from '../../server/protocol/joinText.ts';
import type { DictationTarget } from '../chat/dictateQuestion.ts';

/** Follows its place while the document changes around it; `end` must be called. */
export class InsertionPoint implements DictationTarget {
	readonly #document: vscode.TextDocument;
	readonly #listening: vscode.Disposable;
	readonly #editor: vscode.TextEditor;
	/** Selected text that the first piece replaces. */
	#replaces: vscode.Range | undefined;
	#start: number;
	#offset: number;
	#own = false;
	#begun = false;
	#waiting = '';
	#queue: Promise<void> = Promise.resolve();

	constructor(editor: vscode.TextEditor) {
		const { document, selection } = editor;
		this.#editor = editor;
		this.#document = document;
		this.#replaces = selection.isEmpty ? undefined : selection;
		this.#start = document.offsetAt(selection.start);
		this.#offset = this.#start;
		this.#listening = vscode.workspace.onDidChangeTextDocument((event) => {
			if (event.document === document) this.#follow(event.contentChanges);
		});
	}

	/** The text before the place, at most this long. */
	before(characters: number): string {
		const from = this.#document.positionAt(Math.max(0, this.#offset - characters));
		return this.#document.getText(new vscode.Range(from, this.#document.positionAt(this.#offset)));
	}

	/** Adds text behind what was added before, with a space where words meet. */
	add(text: string): Promise<void> {
		this.#waiting += text;
		this.#queue = this.#queue.then(() => this.#write());
		return this.#queue;
	}

	/** Lets go of the place. Text that could not be written goes to the clipboard. */
	async end(): Promise<void> {
		await this.#queue;
		if (this.#waiting !== '' && !this.#document.isClosed) {
			await vscode.window.showTextDocument(this.#document, { preview: false });
			await this.#write();
		}
		this.#listening.dispose();
		if (this.#waiting.trim() === '') return;
		await vscode.env.clipboard.writeText(this.#waiting.trim());
		void vscode.window.showInformationMessage(
			vscode.l10n.t('The text could not be inserted. It is in the clipboard.'),
		);
		this.#waiting = '';
	}

	/** Takes back what was added. */
	async takeBack(): Promise<void> {
		await this.#queue;
		this.#waiting = '';
		this.#listening.dispose();
		if (!this.#begun || this.#document.isClosed) return;
		const range = new vscode.Range(
			this.#document.positionAt(this.#start),
			this.#document.positionAt(this.#offset),
		);
		await this.#edit((edit) => edit.delete(range));
	}

	/** Text for a document that is in the background waits until it is in front again. */
	async #write(): Promise<void> {
		if (this.#waiting === '' || this.#document.isClosed || !this.#shown()) return;
		const place = this.#document.positionAt(this.#offset);
		const line = this.#document.lineAt(place.line).text;
		const after = this.#replaces ? '' : line.slice(place.character);
		const text = joinText(line.slice(0, place.character), this.#waiting, after);
		if (text === '') return;
		const replaces = this.#replaces;
		const done = await this.#edit((edit) => {
			if (replaces) edit.replace(replaces, text);
			else edit.insert(place, text);
		});
		if (!done) return;
		this.#begun = true;
		this.#replaces = undefined;
		this.#waiting = '';
	}

	/** The first edit begins a step of undo, the others belong to it. */
	async #edit(change: (edit: vscode.TextEditorEdit) => void): Promise<boolean> {
		const editor = this.#shown();
		if (!editor) return false;
		this.#own = true;
		try {
			const stops = { undoStopBefore: !this.#begun, undoStopAfter: false };
			return await editor.edit(change, stops);
		} finally {
			this.#own = false;
		}
	}

	#shown(): vscode.TextEditor | undefined {
		const visible = vscode.window.visibleTextEditors.filter(
			({ document }) => document === this.#document,
		);
		return visible.includes(this.#editor) ? this.#editor : visible[0];
	}

	#follow(changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
		for (const { rangeOffset, rangeLength, text } of changes) {
			if (this.#own) this.#offset = rangeOffset + text.length;
			else if (rangeOffset + rangeLength <= this.#offset) {
				this.#offset += text.length - rangeLength;
				if (rangeOffset + rangeLength <= this.#start) this.#start += text.length - rangeLength;
			} else if (rangeOffset < this.#offset) this.#offset = rangeOffset;
			this.#start = Math.min(this.#start, this.#offset);
		}
	}
}
