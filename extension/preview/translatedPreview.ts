/**
 * *Open Translated Preview*: a Markdown document in another language beside its source. Follows
 * edits and scrolling; the editor's own Markdown engine draws it.
 */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { asAppError, inReadersLanguage, readyTargets } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { readableMessage } from '../notify.ts';
import { languageLabel, targetLanguage } from '../targetLanguage.ts';
import { matchingLine } from './lineMap.ts';
import { previewHtml } from './previewHtml.ts';

/** Milliseconds without typing before the text is translated again. */
const quietMs = 400;
const markdownExtension = 'vscode.markdown-language-features';

/** The previews of a window, at most one per document. */
export class TranslatedPreviews implements vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #open = new Map<string, Preview>();

	constructor(languageServer: LanguageServerClient) {
		this.#languageServer = languageServer;
	}

	/** Shows the preview of the Markdown file of a menu or of the active editor. */
	async show(given: unknown): Promise<void> {
		const document =
			given instanceof vscode.Uri
				? await vscode.workspace.openTextDocument(given)
				: vscode.window.activeTextEditor?.document;
		if (!document || !['markdown', 'mdx'].includes(document.languageId))
			throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a Markdown file first.'));
		const key = document.uri.toString();
		const known = this.#open.get(key);
		if (known) return known.reveal();
		const to = await targetLanguage(this.#languageServer, document);
		if (to === undefined) return;
		const preview = new Preview(this.#languageServer, document, to, () => this.#open.delete(key));
		this.#open.set(key, preview);
	}

	dispose(): void {
		for (const preview of [...this.#open.values()]) preview.dispose();
	}
}

class Preview implements vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #document: vscode.TextDocument;
	/** BCP 47; may be changed in the page. */
	#to: string;
	readonly #panel: vscode.WebviewPanel;
	readonly #listening: vscode.Disposable;
	readonly #onClosed: () => void;
	#timer: NodeJS.Timeout | undefined;
	#asking: vscode.CancellationTokenSource | undefined;
	/** What is shown, and what it is the translation of. */
	#shown = { source: '', text: '' };

	constructor(
		languageServer: LanguageServerClient,
		document: vscode.TextDocument,
		to: string,
		onClosed: () => void,
	) {
		this.#languageServer = languageServer;
		this.#document = document;
		this.#to = to;
		this.#onClosed = onClosed;
		const title = this.#title();
		const engine = vscode.extensions.getExtension(markdownExtension)?.extensionUri;
		const folder = vscode.Uri.joinPath(document.uri, '..');
		const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
		this.#panel = vscode.window.createWebviewPanel(
			'nearglot.translatedPreview',
			title,
			{ viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
			{
				enableScripts: true,
				localResourceRoots: [folder, ...roots, ...(engine ? [engine] : [])],
			},
		);
		const { webview } = this.#panel;
		const styles = engine
			? ['markdown.css', 'highlight.css'].map((file) =>
					webview.asWebviewUri(vscode.Uri.joinPath(engine, 'media', file)).toString(),
				)
			: [];
		this.#listening = vscode.Disposable.from(
			webview.onDidReceiveMessage((message: unknown) => this.#received(message)),
			this.#panel.onDidDispose(() => this.#close()),
			vscode.workspace.onDidChangeTextDocument((change) => {
				if (change.document === document && change.contentChanges.length > 0) this.#soon();
			}),
			vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) =>
				this.#follow(textEditor),
			),
		);
		webview.html = previewHtml({
			cspSource: webview.cspSource,
			nonce: randomBytes(16).toString('hex'),
			language: to,
			base: `${webview.asWebviewUri(folder).toString()}/`,
			styles,
			title,
			texts: {
				language: vscode.l10n.t('Language'),
				layout: vscode.l10n.t('Layout'),
				translation: vscode.l10n.t('Translation'),
				both: vscode.l10n.t('Both'),
			},
		});
	}

	#title(): string {
		const name = this.#document.uri.path.split('/').at(-1) ?? '';
		return `${name} · ${languageLabel(this.#to)}`;
	}

	reveal(): void {
		this.#panel.reveal(undefined, true);
	}

	dispose(): void {
		this.#panel.dispose();
	}

	#close(): void {
		clearTimeout(this.#timer);
		this.#asking?.cancel();
		this.#listening.dispose();
		this.#onClosed();
	}

	#soon(): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => void this.#draw(), quietMs);
	}

	/** A page that was hidden has forgotten everything and says so when it is back. */
	#received(message: unknown): void {
		const { ready, open, to, goTo } = (message ?? {}) as Partial<
			Record<'ready' | 'open' | 'to' | 'goTo', unknown>
		>;
		if (ready === true) {
			void this.#offerLanguages();
			void this.#draw();
		}
		if (typeof to === 'string' && to !== this.#to) {
			this.#to = to;
			this.#panel.title = this.#title();
			void this.#draw();
		}
		if (typeof goTo === 'number') void this.#goTo(goTo);
		if (typeof open !== 'string') return;
		if (/^(?:https?|mailto):/i.test(open)) void vscode.env.openExternal(vscode.Uri.parse(open));
		else if (!/^[a-z][a-z\d+.-]*:/i.test(open)) {
			const path = decodeURI(open.split('#')[0] ?? '');
			const folder = vscode.Uri.joinPath(this.#document.uri, '..');
			void vscode.commands.executeCommand('vscode.open', vscode.Uri.joinPath(folder, path));
		}
	}

	/** Shows a line of the source in its editor. */
	async #goTo(line: number): Promise<void> {
		const place = new vscode.Position(Math.max(0, Math.min(line, this.#document.lineCount - 1)), 0);
		const known = vscode.window.visibleTextEditors.find(
			({ document }) => document === this.#document,
		);
		await vscode.window.showTextDocument(this.#document, {
			viewColumn: known?.viewColumn ?? vscode.ViewColumn.One,
			selection: new vscode.Range(place, place),
		});
	}

	/** Fills the list of languages; those that the models here reach come first. */
	async #offerLanguages(): Promise<void> {
		const [{ languages }, { models }] = await Promise.all([
			this.#languageServer.request('nearglot/languages', {
				displayLanguage: vscode.env.language,
			}),
			this.#languageServer.request('nearglot/models', {}),
		]);
		const ready = readyTargets(models);
		const rank = (code: string) => (code === this.#to ? 0 : ready.has(code) ? 1 : 2);
		const sorted = [...languages].sort(
			(a, b) => rank(a.code) - rank(b.code) || a.name.localeCompare(b.name),
		);
		await this.#panel.webview.postMessage({
			languages: sorted.map(({ code, name }) => ({ code, name })),
			language: this.#to,
		});
	}

	async #draw(): Promise<void> {
		this.#asking?.cancel();
		const asking = new vscode.CancellationTokenSource();
		this.#asking = asking;
		const { webview } = this.#panel;
		const source = this.#document.getText();
		const fileName = this.#document.uri.path.split('/').at(-1) ?? 'text.md';
		try {
			await webview.postMessage({ busy: true, language: this.#to });
			const { text, quality, language } = await this.#languageServer.request(
				'nearglot/translateDocument',
				{
					fileName: /\.(?:md|mdx|markdown)$/i.test(fileName) ? fileName : `${fileName}.md`,
					languageId: this.#document.languageId,
					text: source,
					to: this.#to,
					uri: this.#document.uri.toString(),
				},
				asking.token,
			);
			if (this.#asking !== asking) return;
			const [html, original] = await Promise.all(
				[text, source].map((markdown) =>
					vscode.commands.executeCommand<string>('markdown.api.render', markdown),
				),
			);
			if (this.#asking !== asking) return;
			this.#shown = { source, text };
			await webview.postMessage({
				...{ html, source: original, sourceLanguage: language, busy: false },
				state: this.#stateText(language, quality),
			});
			const editor = vscode.window.visibleTextEditors.find(
				({ document }) => document === this.#document,
			);
			if (editor) this.#follow(editor);
		} catch (error) {
			const known = asAppError(error);
			if (known.code === 'cancelled' || this.#asking !== asking) return;
			await webview.postMessage({ busy: false, state: readableMessage(known) });
		}
	}

	#stateText(from: string, quality: number | undefined): string {
		if (from.split('-')[0] === this.#to.split('-')[0])
			return vscode.l10n.t(
				'This text is in {0} already. Choose another language.',
				languageLabel(this.#to),
			);
		return quality === undefined
			? ''
			: vscode.l10n.t('Estimated quality of the translation: {0} %', Math.round(100 * quality));
	}

	#follow({ document, visibleRanges }: vscode.TextEditor): void {
		const top = visibleRanges[0]?.start.line;
		if (document !== this.#document || top === undefined) return;
		const { source, text } = this.#shown;
		void this.#panel.webview.postMessage({
			line: matchingLine(source, text, top),
			sourceLine: top,
		});
	}
}
