/** Reader mode: translations of comments beside them, for what is visible, per file. */

import * as vscode from 'vscode';
import type { TranslatedRange } from '../server/protocol/index.ts';
import type { LanguageServerClient } from './languageServerClient.ts';
import { spreadOver } from './readerLines.ts';
import { textFor } from './schemes.ts';
import { targetLanguage } from './targetLanguage.ts';

/** Milliseconds of quiet after scrolling or typing. */
const quietMs = 250;
/** Longest text shown beside a line; the hover has all of it. */
const maxShown = 160;

/** Decorates the editors of files whose reader mode is on. */
export class ReaderMode implements vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #log: vscode.LogOutputChannel;
	readonly #on = new Map<string, string>();
	readonly #type = vscode.window.createTextEditorDecorationType({
		after: {
			color: new vscode.ThemeColor('editorCodeLens.foreground'),
			margin: '0 0 0 2em',
			fontStyle: 'italic',
		},
		rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
	});
	/** Says that the active file is read in another language; a click ends that. */
	readonly #item = vscode.window.createStatusBarItem(
		'nearglot.readerMode',
		vscode.StatusBarAlignment.Right,
		90,
	);
	readonly #listening: vscode.Disposable;
	readonly #timers = new Map<vscode.TextEditor, NodeJS.Timeout>();
	#asking: vscode.CancellationTokenSource | undefined;

	constructor(languageServer: LanguageServerClient, log: vscode.LogOutputChannel) {
		this.#languageServer = languageServer;
		this.#log = log;
		this.#item.name = vscode.l10n.t('Reader Mode');
		this.#item.command = 'nearglot.translate.readerMode';
		this.#listening = vscode.Disposable.from(
			this.#item,
			vscode.window.onDidChangeActiveTextEditor(() => this.#showState()),
			vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.#soon(textEditor)),
			vscode.window.onDidChangeVisibleTextEditors((editors) => {
				for (const editor of editors) this.#soon(editor);
			}),
			vscode.workspace.onDidChangeTextDocument(({ document }) => {
				for (const editor of vscode.window.visibleTextEditors) {
					if (editor.document === document) this.#soon(editor);
				}
			}),
			vscode.workspace.onDidCloseTextDocument(({ uri }) => {
				this.#on.delete(uri.toString());
				this.#showState();
			}),
		);
	}

	/** Switches it for the file of the active editor. */
	async toggle(): Promise<void> {
		const editor = vscode.window.activeTextEditor;
		if (!editor) return;
		const key = editor.document.uri.toString();
		if (this.#on.delete(key)) {
			this.#showState();
			return editor.setDecorations(this.#type, []);
		}
		const to = await targetLanguage(this.#languageServer, editor.document);
		if (to === undefined) return;
		this.#on.set(key, to);
		this.#showState();
		await this.#draw(editor);
	}

	dispose(): void {
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#asking?.cancel();
		this.#listening.dispose();
		this.#type.dispose();
	}

	/** Shows in the status bar and the title of the editor whether the mode is on. */
	#showState(): void {
		const to = this.#on.get(vscode.window.activeTextEditor?.document.uri.toString() ?? '');
		void vscode.commands.executeCommand('setContext', 'nearglot.reading', to !== undefined);
		if (to === undefined) {
			this.#item.hide();
			return;
		}
		this.#item.text = `$(book) ${to.toUpperCase()}`;
		this.#item.tooltip = vscode.l10n.t(
			'Comments are shown in another language. A click ends that.',
		);
		this.#item.show();
	}

	#soon(editor: vscode.TextEditor): void {
		if (!this.#on.has(editor.document.uri.toString())) return;
		clearTimeout(this.#timers.get(editor));
		const draw = () => {
			this.#timers.delete(editor);
			this.#draw(editor).catch((error: Error) => this.#log.warn(`reader mode: ${error.message}`));
		};
		this.#timers.set(editor, setTimeout(draw, quietMs));
	}

	async #draw(editor: vscode.TextEditor): Promise<void> {
		const { document, visibleRanges } = editor;
		const to = this.#on.get(document.uri.toString());
		const first = visibleRanges[0]?.start;
		const last = visibleRanges.at(-1)?.end;
		if (to === undefined || !first || !last) return;
		this.#asking?.cancel();
		const source = new vscode.CancellationTokenSource();
		this.#asking = source;
		const { version } = document;
		const { ranges } = await this.#languageServer.request(
			'nearglot/readerRanges',
			{
				uri: document.uri.toString(),
				languageId: document.languageId,
				...textFor(document),
				range: {
					start: { line: first.line, character: 0 },
					end: { line: last.line, character: last.character },
				},
				to,
			},
			source.token,
		);
		if (document.version !== version || !this.#on.has(document.uri.toString())) return;
		editor.setDecorations(
			this.#type,
			ranges.flatMap((range) => decorations(document, range)),
		);
	}
}

/** One for each line of a comment, so that each stands beside its own share. */
function decorations(
	document: vscode.TextDocument,
	{ range, text }: TranslatedRange,
): vscode.DecorationOptions[] {
	const last = Math.min(range.end.line, document.lineCount - 1);
	const first = Math.min(range.start.line, last);
	const lines = Array.from({ length: last - first + 1 }, (_, at) => document.lineAt(first + at));
	// Markers at the beginning of a line are no words.
	const lengths = lines.map((line) => (line.text.match(/[\p{L}\p{N}]+/gu) ?? []).join('').length);
	const hoverMessage = new vscode.MarkdownString().appendText(text);
	return spreadOver(text, lengths).flatMap((words, at) => {
		const end = lines[at]?.range.end;
		if (words === '' || !end) return [];
		const contentText = words.length > maxShown ? `${words.slice(0, maxShown - 1)}…` : words;
		return [
			{
				range: new vscode.Range(end, end),
				hoverMessage,
				renderOptions: { after: { contentText } },
			},
		];
	});
}
