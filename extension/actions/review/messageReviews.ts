/** The pages on which new messages are looked through: one for each source file. */

import * as vscode from 'vscode';
import {
	type MessageFamily,
	parseReviewMessage,
	type ReviewRow,
	type TextsProgress,
} from '../../../server/protocol/index.ts';
import { reviewStrings } from '../../../webview/protocol.ts';
import { pageHtml, pageOptions } from '../../chat/pageHtml.ts';
import type { LanguageServerClient } from '../../languageServerClient.ts';
import { messageFileText, recordFile, textIfThere } from '../../messages/messageFiles.ts';
import { type FileMessages, writeMessages } from '../../messages/writeMessages.ts';
import { showError } from '../../notify.ts';
import { languageLabel } from '../../targetLanguage.ts';
import { reviewRows } from './reviewRows.ts';
import { ReviewSession, type ReviewTarget, type Written } from './reviewSession.ts';

interface OpenReview {
	readonly session: ReviewSession;
	readonly panel: vscode.WebviewPanel;
}

/** What pages are of: a family of files of a folder. */
interface Reviewed {
	readonly folder: vscode.WorkspaceFolder;
	readonly family: MessageFamily;
}

export class MessageReviews implements vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #extensionUri: vscode.Uri;
	readonly #log: vscode.LogOutputChannel;
	/** By the address of the source file. */
	readonly #open = new Map<string, OpenReview>();

	constructor(
		languageServer: LanguageServerClient,
		extensionUri: vscode.Uri,
		log: vscode.LogOutputChannel,
	) {
		this.#languageServer = languageServer;
		this.#extensionUri = extensionUri;
		this.#log = log;
	}

	/** Shows the page of a family and begins to translate; one that has something undecided is only shown. */
	show(
		folder: vscode.WorkspaceFolder,
		family: MessageFamily,
		targets: readonly ReviewTarget[],
	): void {
		const key = vscode.Uri.joinPath(folder.uri, family.source).toString();
		const known = this.#open.get(key);
		if (known && !known.session.isDone) {
			known.panel.reveal();
			return;
		}
		known?.panel.dispose();
		const reviewed = { folder, family };
		const session = new ReviewSession(family.source, targets, {
			fill: (target, onProgress, signal) => this.#fill(reviewed, target, onProgress, signal),
			check: (row) => this.#check(reviewed, row),
			write: (rows) => this.#write(reviewed, rows),
			reveal: (row) => this.#reveal(reviewed, row),
			onError: (error) => void showError(error),
			languageName: languageLabel,
			strings: Object.fromEntries(
				Object.entries(reviewStrings).map(([name, text]) => [name, vscode.l10n.t(text)]),
			),
		});
		this.#openPage(key, session, family.source);
		void session.fill();
	}

	dispose(): void {
		for (const { session, panel } of [...this.#open.values()]) {
			session.stop();
			panel.dispose();
		}
	}

	#openPage(key: string, session: ReviewSession, source: string): void {
		const panel = vscode.window.createWebviewPanel(
			'nearglot.review',
			vscode.l10n.t('New messages · {0}', source.split('/').at(-1) ?? source),
			vscode.ViewColumn.Active,
			pageOptions(this.#extensionUri),
		);
		this.#open.set(key, { session, panel });
		let isGone = false;
		const { webview } = panel;
		const listening = webview.onDidReceiveMessage((value: unknown) => {
			const message = parseReviewMessage(value);
			if (message) session.handle(message).catch(showError);
		});
		panel.onDidDispose(() => {
			isGone = true;
			listening.dispose();
			session.stop();
			if (this.#open.get(key)?.panel === panel) this.#open.delete(key);
			if (session.isUnwritten) void this.#offerAgain(key, session, source);
		});
		panel.webview.html = pageHtml(webview, this.#extensionUri, 'review');
		session.post = (message) => {
			if (!isGone) void webview.postMessage(message);
		};
	}

	/** What somebody has decided is not lost with a tab. */
	async #offerAgain(key: string, session: ReviewSession, source: string): Promise<void> {
		const again = vscode.l10n.t('Show Again');
		const text = vscode.l10n.t('Accepted messages were not put into the files.');
		if ((await vscode.window.showInformationMessage(text, again)) !== again) return;
		this.#openPage(key, session, source);
	}

	async #fill(
		{ folder, family: { source, from } }: Reviewed,
		{ path, to }: ReviewTarget,
		onProgress: (progress: TextsProgress) => void,
		signal: AbortSignal,
	): Promise<readonly ReviewRow[]> {
		const at = (file: string) => vscode.Uri.joinPath(folder.uri, file);
		const before = (await textIfThere(at(path))) ?? '';
		const sourceText = path === source ? before : await messageFileText(at(source));
		const files = { fileName: source, source: sourceText, to };
		const record = await textIfThere(at(recordFile));
		const recorded = record === undefined ? {} : { recorded: { text: record, path } };
		const stopping = new vscode.CancellationTokenSource();
		const stop = () => stopping.cancel();
		signal.addEventListener('abort', stop);
		try {
			const made = await this.#languageServer.request(
				'nearglot/translateMissing',
				{
					...{ ...files, ...recorded, target: before, uri: at(source).toString() },
					...(from ? { from } : {}),
				},
				stopping.token,
				(value) => onProgress(value as TextsProgress),
			);
			const renewed =
				made.recorded === undefined ? {} : { recorded: { text: made.recorded, path } };
			const [old, now] = await Promise.all(
				[
					{ ...recorded, target: before },
					{ ...recorded, ...renewed, target: made.text },
				].map((file) =>
					this.#languageServer.request('nearglot/messageProgress', {
						...{ ...files, ...file, withMessages: true },
					}),
				),
			);
			this.#log.info(`${path} (${to}): ${made.added.length} messages translated`);
			for (const text of made.refused)
				this.#log.warn(`${source}: not translated, placeholders differ: ${text}`);
			const rows = reviewRows({ path, to }, old?.messages ?? [], now?.messages ?? [], made);
			return rows;
		} finally {
			signal.removeEventListener('abort', stop);
			stopping.dispose();
		}
	}

	async #check(
		{ folder, family: { source } }: Reviewed,
		{ path, to, key, text }: ReviewRow,
	): Promise<string | undefined> {
		const at = (file: string) => vscode.Uri.joinPath(folder.uri, file);
		const [sourceText, target = ''] = await Promise.all([
			messageFileText(at(source)),
			textIfThere(at(path)),
		]);
		const messages = [{ key, text }];
		const { faults } = await this.#languageServer.request('nearglot/setMessages', {
			...{ fileName: source, source: sourceText, target, to, messages },
		});
		return faults[0]?.fault;
	}

	async #write({ folder, family }: Reviewed, rows: readonly ReviewRow[]): Promise<Written> {
		const files = new Map<string, FileMessages>();
		for (const { path, to, key, text } of rows) {
			const messages = [...(files.get(path)?.messages ?? []), { key, text }];
			files.set(path, { path, to, messages });
		}
		const refused = await writeMessages(this.#languageServer, folder, family, [...files.values()]);
		const lost = new Set(refused.map(({ path, key }) => `${path}\n${key}`));
		const written = rows.filter(({ path, key }) => !lost.has(`${path}\n${key}`));
		const paths = new Set(written.map(({ path }) => path));
		const counted = vscode.l10n.t(
			'{0} messages in {1} files.',
			String(written.length),
			String(paths.size),
		);
		const left =
			lost.size === 0
				? ''
				: ` ${vscode.l10n.t('{0} have to be written in the file itself.', String(lost.size))}`;
		return { ids: new Set(written.map(({ id }) => id)), note: counted + left };
	}

	async #reveal({ folder, family: { source } }: Reviewed, { key }: ReviewRow): Promise<void> {
		const uri = vscode.Uri.joinPath(folder.uri, source);
		const text = await messageFileText(uri);
		const { messages = [] } = await this.#languageServer.request('nearglot/messageProgress', {
			...{ fileName: source, source: text, target: '', to: 'en', withMessages: true },
		});
		const document = await vscode.workspace.openTextDocument(uri);
		const place = document.positionAt(messages.find((row) => row.key === key)?.sourceAt ?? 0);
		await vscode.window.showTextDocument(document, {
			viewColumn: vscode.ViewColumn.Beside,
			selection: new vscode.Range(place, place),
		});
	}
}
