/**
 * Code of an answer against the file it is for: a diff to look at, and one edit that applies it, so
 * that one undo takes it back.
 */

import * as vscode from 'vscode';
import { type Attachment, inReadersLanguage } from '../../server/protocol/index.ts';
import { lastTextEditor } from './lastTextEditor.ts';
import { type EditPlacement, locateEdit, type PlaceHints } from './locateEdit.ts';

const scheme = 'nearglot-proposal';

interface Proposal {
	readonly target: vscode.Uri;
	/** Text of the target the placement is for. */
	readonly base: string;
	readonly placement: EditPlacement;
}

/** The proposals that are open as diffs. */
export class Proposals implements vscode.TextDocumentContentProvider, vscode.Disposable {
	readonly #open = new Map<string, Proposal>();
	readonly #registered: vscode.Disposable;
	#count = 0;

	constructor() {
		this.#registered = vscode.Disposable.from(
			vscode.workspace.registerTextDocumentContentProvider(scheme, this),
			vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#open.delete(uri.toString())),
		);
	}

	dispose(): void {
		this.#registered.dispose();
	}

	provideTextDocumentContent(uri: vscode.Uri): string {
		const proposal = this.#open.get(uri.toString());
		return proposal ? patched(proposal) : '';
	}

	/** Opens the diff of a block of code against what was attached to its question, or the last editor. */
	async show(code: string, attachments: readonly Attachment[]): Promise<void> {
		const { document, hints } = await place(attachments);
		const base = document.getText();
		const proposal = { target: document.uri, base, placement: locateEdit(base, code, hints) };
		if (patched(proposal) === base) {
			throw inReadersLanguage('conflict', vscode.l10n.t('The file holds this code already.'));
		}
		const uri = document.uri.with({ scheme, query: String(++this.#count) });
		this.#open.set(uri.toString(), proposal);
		const name = vscode.workspace.asRelativePath(document.uri);
		const title = vscode.l10n.t('{0}: proposed change', name);
		await vscode.commands.executeCommand('vscode.diff', document.uri, uri, title);
	}

	/** Opens a file beside what it held before. */
	async showBefore(uri: vscode.Uri, before: string): Promise<void> {
		const document = await vscode.workspace.openTextDocument(uri);
		const placement = { start: 0, end: document.getText().length, text: before };
		const old = uri.with({ scheme, query: String(++this.#count) });
		this.#open.set(old.toString(), { target: uri, base: document.getText(), placement });
		const title = vscode.l10n.t('{0}: before and now', vscode.workspace.asRelativePath(uri));
		await vscode.commands.executeCommand('vscode.diff', old, uri, title);
	}

	/** Applies the proposal of a diff, or of the diff that is shown. */
	async apply(given: unknown): Promise<void> {
		const { uri, proposal } = this.#find(given);
		const { target, base, placement } = proposal;
		const document = await vscode.workspace.openTextDocument(target);
		if (document.getText() !== base) {
			throw inReadersLanguage(
				'conflict',
				vscode.l10n.t('The file has changed meanwhile. Open the diff again from the chat.'),
			);
		}
		const edit = new vscode.WorkspaceEdit();
		const { start, end, text } = placement;
		const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
		edit.replace(target, range, text);
		await vscode.workspace.applyEdit(edit);
		await this.#close(uri);
		const editor = await vscode.window.showTextDocument(document);
		editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
	}

	async discard(given: unknown): Promise<void> {
		await this.#close(this.#find(given).uri);
	}

	#find(given: unknown): { uri: vscode.Uri; proposal: Proposal } {
		const uri = given instanceof vscode.Uri ? given : shownProposal();
		const proposal = uri && this.#open.get(uri.toString());
		if (uri && proposal) return { uri, proposal };
		throw inReadersLanguage(
			'not_found',
			vscode.l10n.t('Open the diff of a proposed change first.'),
		);
	}

	async #close(uri: vscode.Uri): Promise<void> {
		const tabs = vscode.window.tabGroups.all
			.flatMap((group) => group.tabs)
			.filter(
				({ input }) =>
					input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString(),
			);
		await vscode.window.tabGroups.close(tabs);
		this.#open.delete(uri.toString());
	}
}

function shownProposal(): vscode.Uri | undefined {
	const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
	return input instanceof vscode.TabInputTextDiff && input.modified.scheme === scheme
		? input.modified
		: undefined;
}

function patched({ base, placement: { start, end, text } }: Proposal): string {
	return base.slice(0, start) + text + base.slice(end);
}

/** An address as the editor writes it: servers write drives in another way. */
const sameAddress = (uri: string): string => vscode.Uri.parse(uri, true).toString();

/** The document a change is for, and where in it. */
async function place(
	attachments: readonly Attachment[],
): Promise<{ document: vscode.TextDocument; hints: PlaceHints }> {
	const editor = lastTextEditor();
	const sources = attachments.filter(({ source }) => source);
	const shown = editor?.document.uri.toString();
	const attachment =
		sources.find(({ source }) => source && sameAddress(source.uri) === shown) ?? sources[0];
	if (attachment?.source) {
		const uri = vscode.Uri.parse(attachment.source.uri, true);
		const document = await vscode.workspace.openTextDocument(uri);
		const { start } = attachment.source.range ?? { start: { line: 0, character: 0 } };
		const offset = document.offsetAt(new vscode.Position(start.line, start.character));
		return { document, hints: { attached: { text: attachment.text, offset } } };
	}
	if (!editor) throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
	const { document, selection } = editor;
	return {
		document,
		hints: {
			selection: {
				start: document.offsetAt(selection.start),
				end: document.offsetAt(selection.end),
			},
		},
	};
}
