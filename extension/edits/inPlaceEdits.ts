/** *Edit in Place*: asks what is to change, has it written into the document, and lets the user keep it or take it back. */

import * as vscode from 'vscode';
import {
	type ChatDelta,
	choosableChatModels,
	findModel,
	inReadersLanguage,
	type ModelInfo,
	usualChatModel,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { withDelayedProgress } from '../notify.ts';
import { textFor } from '../schemes.ts';
import { chatSampling, setting } from '../settings.ts';
import { EditDecorations } from './editDecorations.ts';
import { editQuestion } from './editQuestion.ts';
import { InPlaceEdit } from './inPlaceEdit.ts';
import { type LineHunk, writtenOver } from './lineHunks.ts';
import { PacedSteps } from './pacedSteps.ts';
import { type ChangeRequest, pickChange } from './pickChange.ts';
import { framedAs, indentedAs, writtenLines } from './writtenCode.ts';

/** Commands of the lines above hunks. */
const commands = { keep: 'nearglot.edit.keep', undo: 'nearglot.edit.undo' };
/** What the active editor's document is at: `writing`, `reviewing` or nothing; for keys and menus. */
const contextKey = 'nearglot.edit';

/** The model that is asked. */
type ChangingModel = Pick<ModelInfo, 'id' | 'contextLength'>;

/** Where a hunk is: what the lines above it hand over. */
interface HunkPlace {
	readonly uri: string;
	readonly line: number;
}

/** The changes of one window that nobody has decided on yet. */
export class InPlaceEdits implements vscode.CodeLensProvider, vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #memory: vscode.Memento;
	readonly #edits = new Map<InPlaceEdit, vscode.CancellationTokenSource>();
	readonly #decorations = new EditDecorations();
	readonly #changed = new vscode.EventEmitter<void>();
	readonly onDidChangeCodeLenses = this.#changed.event;
	readonly #registered: vscode.Disposable;

	constructor(languageServer: LanguageServerClient, memory: vscode.Memento) {
		this.#languageServer = languageServer;
		this.#memory = memory;
		const { window, workspace, languages } = vscode;
		this.#registered = vscode.Disposable.from(
			this.#decorations,
			this.#changed,
			languages.registerCodeLensProvider({ pattern: '**' }, this),
			workspace.onDidChangeTextDocument((event) => this.#follow(event)),
			workspace.onDidCloseTextDocument((document) => this.#close(document)),
			window.onDidChangeActiveTextEditor(() => this.#updateContext()),
			window.onDidChangeVisibleTextEditors(() => this.#redraw()),
		);
	}

	dispose(): void {
		for (const source of this.#edits.values()) source.cancel();
		this.#registered.dispose();
	}

	/** Changes what is selected, or the cursor's line, as the user asks. */
	async start(): Promise<void> {
		const editor = vscode.window.activeTextEditor;
		if (!editor) throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
		const { document } = editor;
		this.#refuseSecond(document);
		const [first, last] = linesOf(editor.selection);
		const name = vscode.workspace.asRelativePath(document.uri);
		const place = `${name}:${first + 1}${last > first ? `-${last + 1}` : ''}`;
		const { version } = document;
		const change = await pickChange(this.#languageServer, this.#memory, place, document);
		if (!change) return;
		const model = 'words' in change ? await this.#model() : undefined;
		if (model === 'refused') return;
		this.#refuseSecond(document);
		if (document.version !== version)
			throw inReadersLanguage(
				'conflict',
				vscode.l10n.t('The text has changed meanwhile; nothing was replaced.'),
			);
		const source = new vscode.CancellationTokenSource();
		const edit = new InPlaceEdit(document, [first, last], () => this.#redraw());
		this.#edits.set(edit, source);
		// What is selected would hide the colours.
		editor.selection = new vscode.Selection(first, 0, first, 0);
		this.#redraw();
		try {
			await this.#run(edit, [first, last], change, model, source);
		} finally {
			if (edit.phase === 'writing') await edit.abandon();
			source.dispose();
			this.#redraw();
		}
	}

	/** Two changes that are written at once would get in each other's way. */
	#refuseSecond(document: vscode.TextDocument): void {
		if (this.#of(document).some(({ phase }) => phase === 'writing'))
			throw inReadersLanguage(
				'conflict',
				vscode.l10n.t('A change of this file is being written. Wait for it, or stop it.'),
			);
	}

	/** Ends the change that is being written; what there is of it can be kept or taken back. */
	stop(): void {
		const document = vscode.window.activeTextEditor?.document;
		for (const [edit, source] of this.#edits)
			if (edit.document === document && edit.phase === 'writing') source.cancel();
	}

	/** Keeps one hunk, or all of the active editor's. */
	keep(given: unknown): void {
		const found = this.#find(given);
		if (found) found.edit.keep(found.hunk);
		else if (!isHunkPlace(given)) for (const edit of this.#ofActive()) edit.keepAll();
	}

	/** Takes one hunk back, or all of the active editor's. */
	async undo(given: unknown): Promise<void> {
		const found = this.#find(given);
		if (found) return found.edit.undo(found.hunk);
		// A hunk that has moved since its line was drawn: not all the others.
		if (isHunkPlace(given)) return;
		for (const edit of this.#ofActive()) await edit.undoAll();
	}

	provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
		const reviewed = this.#of(document).filter(({ phase }) => phase === 'reviewing');
		const hunks = reviewed.flatMap((edit) => edit.hunks);
		const uri = document.uri.toString();
		return hunks.flatMap(({ line }, index) => {
			const at = Math.min(line, document.lineCount - 1);
			const place: HunkPlace = { uri, line };
			const lens = (title: string, command: string, ...args: unknown[]) =>
				new vscode.CodeLens(new vscode.Range(at, 0, at, 0), { title, command, arguments: args });
			const own = [
				lens(`$(check) ${vscode.l10n.t('Keep')}`, commands.keep, place),
				lens(`$(discard) ${vscode.l10n.t('Undo')}`, commands.undo, place),
			];
			if (index > 0 || hunks.length === 1) return own;
			return [
				...own,
				lens(vscode.l10n.t('Keep all {0}', hunks.length), commands.keep),
				lens(vscode.l10n.t('Undo all {0}', hunks.length), commands.undo),
			];
		});
	}

	async #run(
		edit: InPlaceEdit,
		[first, last]: readonly [number, number],
		change: ChangeRequest,
		model: ChangingModel | undefined,
		source: vscode.CancellationTokenSource,
	): Promise<void> {
		let written: readonly string[] = [];
		let trouble: unknown;
		let isWhole = false;
		try {
			const lines =
				'words' in change
					? this.#change(edit, [first, last], change.words, model, source, (text) => {
							written = text;
						})
					: this.#translation(edit, [first, last], change, source);
			({ written, isWhole } = await lines);
		} catch (error) {
			trouble = error;
		}
		if (edit.phase === 'ended') {
			void vscode.window.showInformationMessage(
				vscode.l10n.t('The text was changed while it was being written; the rest was left out.'),
			);
			return;
		}
		const isNothing = written.every((line) => line.trim() === '');
		if (isNothing) await edit.abandon();
		else await edit.write(isWhole ? written : writtenOver(edit.before, written).lines, true);
		if (trouble !== undefined) throw trouble;
		if (isNothing || edit.hunks.length === 0)
			void vscode.window.showInformationMessage(vscode.l10n.t('The model changed nothing.'));
		else if (!isWhole)
			void vscode.window.showWarningMessage(
				vscode.l10n.t('The answer was cut off at its greatest length. Look at its end.'),
			);
	}

	/** Has a model change the part; the lines come to `onLines` and into the document as they are written. */
	async #change(
		edit: InPlaceEdit,
		[first, last]: readonly [number, number],
		change: string,
		model: ChangingModel | undefined,
		source: vscode.CancellationTokenSource,
		onLines: (lines: readonly string[]) => void,
	): Promise<{ written: readonly string[]; isWhole: boolean }> {
		const { document, before } = edit;
		const messages = editQuestion(
			{
				path: vscode.workspace.asRelativePath(document.uri),
				language: document.languageId,
				before: document.getText(new vscode.Range(0, 0, first, 0)),
				part: before.join('\n'),
				after: document.getText(new vscode.Range(last + 1, 0, document.lineCount, 0)),
				instruction: change,
			},
			model?.contextLength ?? null,
		);
		let answer = '';
		let refusal: unknown;
		const linesNow = (isWhole: boolean) =>
			framedAs(before, indentedAs(before, writtenLines(answer, isWhole, before)), isWhole);
		const steps = new PacedSteps(async () => {
			const lines = linesNow(false);
			onLines(lines);
			try {
				await edit.write(lines, false);
			} catch (error) {
				refusal = error;
				source.cancel();
			}
		});
		const params = { ...chatSampling(), ...(model ? { model: model.id } : {}), messages };
		try {
			const { finishReason } = await this.#waited(
				vscode.l10n.t('Writing the change'),
				source,
				(token) =>
					this.#languageServer.request('nearglot/chat', params, token, (value) => {
						const { text } = value as ChatDelta;
						if (!text) return;
						answer += text;
						steps.next();
					}),
			);
			return { written: linesNow(true), isWhole: finishReason !== 'length' };
		} catch (error) {
			throw refusal ?? error;
		} finally {
			await steps.end();
		}
	}

	async #translation(
		edit: InPlaceEdit,
		[first, last]: readonly [number, number],
		change: Exclude<ChangeRequest, { words: string }>,
		source: vscode.CancellationTokenSource,
	): Promise<{ written: readonly string[]; isWhole: boolean }> {
		const { document } = edit;
		const { character } = document.lineAt(last).range.end;
		const range = { start: { line: first, character: 0 }, end: { line: last, character } };
		const { uri, languageId } = document;
		const params = {
			...{ uri: uri.toString(), languageId, ...textFor(document), ranges: [range] },
			...change,
		};
		const { texts } = await this.#waited(vscode.l10n.t('Translating'), source, (token) =>
			this.#languageServer.request('nearglot/translateRanges', params, token),
		);
		return { written: (texts[0] ?? '').split(/\r?\n/), isWhole: true };
	}

	/** Work that ends when its source does, shown when it takes long. */
	#waited<T>(
		title: string,
		source: vscode.CancellationTokenSource,
		work: (token: vscode.CancellationToken) => Promise<T>,
	): Promise<T> {
		return withDelayedProgress(title, (token) => {
			token.onCancellationRequested(() => source.cancel());
			return work(source.token);
		});
	}

	/** The model for changes: the built-in one does not write code. */
	async #model(): Promise<ChangingModel | 'refused'> {
		const { models } = await this.#languageServer.request('nearglot/models', {});
		const choosable = choosableChatModels(models);
		const chosen = setting('chat.model');
		const model = findModel(choosable, chosen) ?? usualChatModel(choosable);
		// One that is not in the list just now: the server says why.
		if (chosen !== '' && !findModel(choosable, chosen)) return { id: chosen };
		if (model && model.origin !== 'built-in') return model;
		const better = vscode.l10n.t('Pick a Better Model');
		const text = vscode.l10n.t('The built-in model cannot change texts or code. Another one can.');
		if ((await vscode.window.showInformationMessage(text, better)) === better)
			await vscode.commands.executeCommand('nearglot.models.suggest', 'chat-completion');
		return 'refused';
	}

	#of(document: vscode.TextDocument | undefined): InPlaceEdit[] {
		return [...this.#edits.keys()].filter((edit) => edit.document === document);
	}

	#ofActive(): InPlaceEdit[] {
		const own = this.#of(vscode.window.activeTextEditor?.document);
		return own.filter(({ phase }) => phase === 'reviewing');
	}

	#find(given: unknown): { edit: InPlaceEdit; hunk: LineHunk } | undefined {
		const { uri, line } = (given ?? {}) as Partial<HunkPlace>;
		for (const edit of this.#edits.keys()) {
			if (edit.document.uri.toString() !== uri) continue;
			const hunk = edit.hunks.find((one) => one.line === line);
			if (hunk) return { edit, hunk };
		}
		return undefined;
	}

	#follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
		for (const [edit, source] of [...this.#edits])
			if (edit.document === document && !edit.changed(contentChanges)) source.cancel();
	}

	#close(document: vscode.TextDocument): void {
		for (const [edit, source] of [...this.#edits]) {
			if (edit.document !== document) continue;
			source.cancel();
			edit.keepAll();
		}
		this.#redraw();
	}

	/** Draws what there is to decide on in all editors, and lets go of what has ended. */
	#redraw(): void {
		for (const edit of this.#edits.keys()) if (edit.phase === 'ended') this.#edits.delete(edit);
		for (const editor of vscode.window.visibleTextEditors) {
			const own = this.#of(editor.document);
			const pending = own.find(({ phase }) => phase === 'writing')?.pending;
			this.#decorations.draw(
				editor,
				own.flatMap(({ hunks }) => hunks),
				pending,
			);
		}
		this.#changed.fire();
		this.#updateContext();
	}

	#updateContext(): void {
		const phases = this.#of(vscode.window.activeTextEditor?.document).map(({ phase }) => phase);
		const phase = phases.includes('writing') ? 'writing' : (phases[0] ?? '');
		void vscode.commands.executeCommand('setContext', contextKey, phase);
	}
}

const isHunkPlace = (given: unknown): boolean =>
	typeof (given as Partial<HunkPlace> | undefined)?.line === 'number';

/** First and last line of a selection; a last line without a character selected is not of it. */
function linesOf({ start, end, isEmpty }: vscode.Selection): readonly [number, number] {
	const isBehind = !isEmpty && end.character === 0 && end.line > start.line;
	return [start.line, isBehind ? end.line - 1 : end.line];
}
