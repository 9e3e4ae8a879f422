/** One recording that is open in this window: the work on its transcript and the pages that show it. */

import { join } from 'node:path';
import * as vscode from 'vscode';
import {
	asAppError,
	type ExportContent,
	exportTranscript,
	inReadersLanguage,
	type LanguageInfo,
	type ModelInfo,
	parseTranscriptMessage,
	readyTargets,
	type TranscribeChoice,
	type TranscriptHostMessage,
	type TranscriptPageMessage,
	TranscriptSession,
} from '../../server/protocol/index.ts';
import { removePath } from '../../server/store/movePath.ts';
import { transcriptStrings } from '../../webview/protocol.ts';
import { lastTextEditor } from '../chat/lastTextEditor.ts';
import { pageHtml, pageOptions } from '../chat/pageHtml.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { showError, withDelayedProgress } from '../notify.ts';
import { makePrivateFolder } from '../privateFiles.ts';
import { setting } from '../settings.ts';
import { exportToFile } from './exportTranscript.ts';
import { InsertionPoint } from './insertionPoint.ts';
import { outlineByChat } from './outlineByChat.ts';
import { openRecordingFile, type RecordingFile } from './recordingFile.ts';
import { keepChoice, transcribeChoice } from './transcribeChoice.ts';
import { transcribePath, translateLines } from './transcribePath.ts';
import type { TranscriptStore } from './transcriptStore.ts';

/** Columns of the waveform: enough for a wide screen. */
const buckets = 2400;

export interface RecordingPageDeps {
	readonly languageServer: LanguageServerClient;
	readonly store: TranscriptStore;
	readonly extensionUri: vscode.Uri;
	/** What was chosen last, for recordings to come. */
	readonly choices: vscode.Memento;
}

/** Kept by {@link Recordings} as long as someone shows it or works on it. */
export class RecordingPage implements vscode.Disposable {
	readonly uri: vscode.Uri;
	readonly name: string;
	readonly session: TranscriptSession;
	readonly #deps: RecordingPageDeps;
	readonly #file: RecordingFile;
	readonly #pages = new Map<vscode.Webview, vscode.Uri>();
	readonly #ended = new vscode.CancellationTokenSource();
	#models: readonly ModelInfo[] = [];
	#languages: readonly LanguageInfo[] = [];
	#readyTargets: readonly string[] = [];
	#listed = false;
	#playable: Promise<vscode.Uri> | undefined;

	static async open(uri: vscode.Uri, deps: RecordingPageDeps): Promise<RecordingPage> {
		const file = await openRecordingFile(uri, deps.store.scratch);
		const document = await deps.store.load(file.fingerprint);
		return new RecordingPage(uri, file, deps, document);
	}

	private constructor(
		uri: vscode.Uri,
		file: RecordingFile,
		deps: RecordingPageDeps,
		document: ConstructorParameters<typeof TranscriptSession>[1],
	) {
		this.uri = uri;
		this.name = uri.path.split('/').at(-1) ?? uri.path;
		this.#file = file;
		this.#deps = deps;
		const { languageServer, store } = deps;
		this.session = new TranscriptSession(
			{
				transcribe: (choice, onDelta, signal) =>
					transcribePath(languageServer, file.path, choice, onDelta, signal),
				translate: (texts, languages, signal) =>
					translateLines(languageServer, texts, languages, signal),
				outline: (document, onProgress, signal) =>
					outlineByChat(languageServer, document, onProgress, signal),
				save: (changed) => store.save(file.fingerprint, changed),
				post: (message) => this.#post(message),
				onState: () => this.#postState(),
				nowMs: () => performance.now(),
			},
			document,
		);
		this.session.choice = transcribeChoice(deps.choices);
	}

	/** Starts with the last choice; resolves when the transcript is there. */
	async transcribe(choice = this.session.choice): Promise<void> {
		await keepChoice(choice, this.#deps.choices);
		await this.session.transcribe(await this.#possible(choice));
	}

	/** Tells the recording from others, wherever it lies. */
	get mark(): string {
		return this.#file.fingerprint;
	}

	/** Has it transcribed in the background; resolves with what it is known by there. */
	async queue(token: vscode.CancellationToken): Promise<string> {
		const { path, fingerprint: mark } = this.#file;
		const choice = await this.#possible(this.session.choice);
		const params = { path, name: this.name, mark, ...choice };
		const { languageServer } = this.#deps;
		return (await languageServer.request('nearglot/recordings/queue', params, token)).id;
	}

	/** A model that was deleted, or whose team was left, is chosen no more. */
	async #possible(choice: TranscribeChoice): Promise<TranscribeChoice> {
		if (choice.model === '') return choice;
		const { models } = await this.#deps.languageServer.request('nearglot/models', {});
		return models.some(({ id }) => id === choice.model) ? choice : { ...choice, model: '' };
	}

	/** Shows the recording in a webview until that is disposed of. */
	show(panel: vscode.WebviewPanel): void {
		const { webview } = panel;
		const { extensionUri, store } = this.#deps;
		webview.options = {
			...pageOptions(extensionUri),
			localResourceRoots: [
				...(pageOptions(extensionUri).localResourceRoots ?? []),
				vscode.Uri.joinPath(this.uri, '..'),
				vscode.Uri.file(store.scratch),
			],
		};
		this.#pages.set(webview, this.uri);
		const listening = webview.onDidReceiveMessage((value: unknown) => {
			const message = parseTranscriptMessage(value);
			if (message) void this.#handle(message, webview).catch(showError);
		});
		panel.onDidDispose(() => {
			listening.dispose();
			this.#pages.delete(webview);
		});
		webview.html = pageHtml(webview, extensionUri, 'transcript', { media: true });
	}

	/** Asks where to and writes the transcript there. */
	export(options?: Parameters<typeof exportToFile>[2]): Promise<void> {
		return exportToFile(this.uri, this.session.document, options);
	}

	/** Puts the cursor into the search field of the pages. */
	find(): void {
		this.#post({ type: 'find' });
	}

	dispose(): void {
		this.session.cancel();
		this.#ended.cancel();
		void this.#file.dispose();
		void this.#playable?.then((uri) => vscode.workspace.fs.delete(uri)).catch(() => undefined);
	}

	async #handle(message: TranscriptPageMessage, webview: vscode.Webview): Promise<void> {
		const ofSession = this.session.handle(message);
		if (ofSession) return quiet(ofSession);
		switch (message.type) {
			case 'ready':
				return this.#ready(webview);
			case 'transcribe':
				return quiet(this.transcribe(message.choice));
			case 'unplayable':
				return this.#makePlayable(webview);
			case 'downloadModel':
				await vscode.commands.executeCommand('nearglot.models.download');
				return this.#loadLists();
			case 'export':
				return this.export(message);
			case 'exportSound':
				return this.#exportSound();
			case 'copy':
				return vscode.env.clipboard.writeText(this.#text(message.content, message.times));
			case 'insert': {
				const editor = lastTextEditor();
				if (!editor)
					throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
				const content = this.session.document?.translation ? 'translation' : 'original';
				const point = new InsertionPoint(editor);
				await point.add(this.#text(content, false).trimEnd());
				await point.end();
			}
		}
	}

	/** The recording without what was taken out of its transcript, where the user wants it. */
	async #exportSound(): Promise<void> {
		const { cuts = [] } = this.session.document ?? {};
		const { languageServer, store } = this.#deps;
		const title = vscode.l10n.t('Export Recording');
		const stem = this.name.replace(/\.[^.]+$/, '');
		const target = await vscode.window.showSaveDialog({
			title,
			defaultUri: vscode.Uri.joinPath(this.uri, '..', `${stem}.cut.wav`),
			filters: { WAV: ['wav'] },
		});
		if (!target) return;
		await makePrivateFolder(store.scratch);
		const made = join(store.scratch, `${crypto.randomUUID()}.wav`);
		try {
			await withDelayedProgress(title, (token) =>
				languageServer.request(
					'nearglot/playable',
					{ path: this.#file.path, target: made, cuts },
					token,
				),
			);
			await vscode.workspace.fs.copy(vscode.Uri.file(made), target, { overwrite: true });
		} finally {
			await removePath(made, { force: true });
		}
		void vscode.window.showInformationMessage(
			vscode.l10n.t('Saved {0}', vscode.workspace.asRelativePath(target)),
		);
	}

	#text(content: ExportContent, times: boolean): string {
		const { document } = this.session;
		if (!document) return '';
		// What is copied and inserted are the words alone.
		const { outline: _, ...words } = document;
		return exportTranscript(words, { format: 'text', content, times, title: this.name });
	}

	async #ready(webview: vscode.Webview): Promise<void> {
		const shown = this.#pages.get(webview) ?? this.uri;
		void webview.postMessage({ type: 'media', url: webview.asWebviewUri(shown).toString() });
		this.session.postAll();
		await Promise.all([this.#loadWaveform(), this.#loadLists()]);
	}

	async #loadWaveform(): Promise<void> {
		const { store, languageServer } = this.#deps;
		const { path, fingerprint } = this.#file;
		let waveform = await store.loadWaveform(fingerprint);
		if (!waveform) {
			waveform = await languageServer.request(
				'nearglot/waveform',
				{ path, buckets },
				this.#ended.token,
			);
			await store.saveWaveform(fingerprint, waveform);
		}
		this.#post({ type: 'waveform', waveform });
	}

	async #loadLists(): Promise<void> {
		const { languageServer } = this.#deps;
		const { models } = await languageServer.request('nearglot/models', {});
		this.#models = models.filter(
			({ task, state }) =>
				task === 'automatic-speech-recognition' && (state === 'cached' || state === 'loaded'),
		);
		this.#readyTargets = [...readyTargets(models)];
		this.#listed = true;
		this.#postState();
		const { languages } = await languageServer.request('nearglot/languages', {
			displayLanguage: vscode.env.language,
		});
		const own = setting('translate.targetLanguage') || vscode.env.language.split('-')[0];
		this.#languages = [...languages].sort(
			(a, b) => Number(b.code === own) - Number(a.code === own),
		);
		this.#postState();
	}

	/** What the browser cannot play is decoded into a file that it can. */
	async #makePlayable(webview: vscode.Webview): Promise<void> {
		const { languageServer, store } = this.#deps;
		const { path, fingerprint } = this.#file;
		this.#playable ??= (async () => {
			const target = join(store.scratch, `${fingerprint}.wav`);
			await makePrivateFolder(store.scratch);
			await languageServer.request('nearglot/playable', { path, target }, this.#ended.token);
			return vscode.Uri.file(target);
		})();
		const uri = await this.#playable;
		this.#pages.set(webview, uri);
		void webview.postMessage({ type: 'media', url: webview.asWebviewUri(uri).toString() });
	}

	#postState(): void {
		this.#post({
			type: 'state',
			state: {
				...this.session.state,
				name: this.name,
				models: this.#models,
				languages: this.#languages,
				ready: this.#readyTargets,
				editor: true,
				noModel: this.#listed && this.#models.length === 0,
			},
			strings: Object.fromEntries(
				Object.entries(transcriptStrings).map(([key, text]) => [key, vscode.l10n.t(text)]),
			),
		});
	}

	#post(message: TranscriptHostMessage): void {
		for (const webview of this.#pages.keys()) void webview.postMessage(message);
	}
}

/** The page itself shows why work on the transcript failed. */
async function quiet(work: Promise<void>): Promise<void> {
	try {
		await work;
	} catch (error) {
		if (asAppError(error).code === 'internal') throw error;
	}
}
