/** How a change that is looked through is drawn in an editor: new lines, what was there, and what is still to come. */

import * as vscode from 'vscode';
import type { LineHunk } from './lineHunks.ts';

/** Characters of what was there that are shown behind a line; the hover has all of it. */
const maxShown = 120;

/** The kinds of decoration; made once per window. */
export class EditDecorations implements vscode.Disposable {
	readonly #added = vscode.window.createTextEditorDecorationType({
		isWholeLine: true,
		backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'),
		overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
		overviewRulerLane: vscode.OverviewRulerLane.Left,
	});
	readonly #removed = vscode.window.createTextEditorDecorationType({
		after: {
			margin: '0 0 0 3ch',
			color: new vscode.ThemeColor('descriptionForeground'),
			backgroundColor: new vscode.ThemeColor('diffEditor.removedLineBackground'),
			textDecoration: 'line-through',
		},
	});
	readonly #pending = vscode.window.createTextEditorDecorationType({
		isWholeLine: true,
		opacity: '0.5',
	});

	dispose(): void {
		for (const kind of [this.#added, this.#removed, this.#pending]) kind.dispose();
	}

	/** Draws hunks, in lines of the document, and the lines that are still to be written over. */
	draw(
		editor: vscode.TextEditor,
		hunks: readonly LineHunk[],
		pending?: { readonly line: number; readonly count: number },
	): void {
		editor.setDecorations(
			this.#added,
			hunks.filter(({ added }) => added > 0).map(({ line, added }) => lines(line, added)),
		);
		const { lineCount } = editor.document;
		editor.setDecorations(
			this.#removed,
			hunks.flatMap((hunk) => removedNotes(hunk, lineCount)),
		);
		const rest = pending && pending.count > 0 ? [lines(pending.line, pending.count)] : [];
		editor.setDecorations(this.#pending, rest);
	}

	clear(editor: vscode.TextEditor): void {
		this.draw(editor, []);
	}
}

const lines = (line: number, count: number) => new vscode.Range(line, 0, line + count - 1, 0);

/** Each old line behind the new one in its place; those that are left, behind the last. */
function removedNotes(
	{ line, added, removed }: LineHunk,
	lineCount: number,
): vscode.DecorationOptions[] {
	if (removed.length === 0) return [];
	const places = Math.max(1, added);
	// Where lines were taken out and none came, the line before them says so.
	const first = added > 0 ? line : Math.max(0, Math.min(line, lineCount) - 1);
	const hoverMessage = new vscode.MarkdownString(vscode.l10n.t('Before:')).appendCodeblock(
		removed.join('\n'),
	);
	return removed.slice(0, places).map((text, index) => {
		const more = index === places - 1 ? removed.length - places : 0;
		const shown = text.trim().slice(0, maxShown);
		const contentText = more > 0 ? `${shown} … +${more}` : shown;
		const end = Number.MAX_SAFE_INTEGER;
		return {
			range: new vscode.Range(first + index, end, first + index, end),
			hoverMessage,
			renderOptions: { after: { contentText } },
		};
	});
}
