/**
 * *Dictate at Cursor*: what is said, where the cursor is, while it is said. The sound comes from a
 * program of this computer, from a page of the editor where that has a microphone, or from the recorder
 * page in a browser.
 */

import * as vscode from 'vscode';
import {
	AppError,
	asAppError,
	type DictationEvent,
	inReadersLanguage,
	shortClock,
} from '../../server/protocol/index.ts';
import type { Dictation, DictationTarget } from '../chat/dictateQuestion.ts';
import { lastTextEditor } from '../chat/lastTextEditor.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { InsertionPoint } from './insertionPoint.ts';
import { openMicrophonePage } from './microphonePage.ts';
import { dictationChoice } from './transcribeChoice.ts';
import { withToken } from './transcribePath.ts';

const contextKey = 'nearglot.dictating';
/** Text before the cursor that the model is told. */
const promptCharacters = 200;

type Source = 'program' | 'editor' | 'page';

/** One at a time per window. */
export class EditorDictation implements Dictation, vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #extension: Pick<vscode.ExtensionContext, 'extension' | 'extensionUri'>;
	readonly #item = vscode.window.createStatusBarItem(
		'nearglot.dictation',
		vscode.StatusBarAlignment.Right,
		1000,
	);
	#id: string | undefined;

	constructor(
		languageServer: LanguageServerClient,
		extension: Pick<vscode.ExtensionContext, 'extension' | 'extensionUri'>,
	) {
		this.#languageServer = languageServer;
		this.#extension = extension;
		this.#item.name = vscode.l10n.t('Dictation');
		this.#item.command = 'nearglot.transcribe.finishDictation';
	}

	get isRunning(): boolean {
		return this.#id !== undefined;
	}

	/** Starts at the cursor, or finishes what is running. */
	async toggle(): Promise<void> {
		if (this.isRunning) return this.finish();
		const editor = lastTextEditor();
		if (!editor) throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
		await this.dictate(new InsertionPoint(editor));
	}

	/** Dictates to a place, and resolves when all that was said is there. */
	async dictate(point: DictationTarget): Promise<void> {
		this.#id = crypto.randomUUID();
		await vscode.commands.executeCommand('setContext', contextKey, true);
		try {
			await this.#recordFrom(this.#source(), point);
			await point.end();
		} catch (error) {
			await point.takeBack();
			throw error;
		} finally {
			this.#id = undefined;
			this.#item.hide();
			await vscode.commands.executeCommand('setContext', contextKey, false);
		}
	}

	/** Ends the recording; what was said is still written. */
	async finish(): Promise<void> {
		if (this.#id === undefined) return;
		this.#show('$(loading~spin)', vscode.l10n.t('Transcribing the rest'));
		await this.#languageServer.request('nearglot/dictate/stop', { id: this.#id });
	}

	dispose(): void {
		this.#item.dispose();
	}

	async #recordFrom(source: Source, point: DictationTarget): Promise<void> {
		try {
			await this.#record(source, point);
		} catch (error) {
			// A computer without a working program may have a browser with a microphone.
			if (source === 'page' || asAppError(error).code !== 'not_supported') throw error;
			await this.#record('page', point);
		}
	}

	async #record(source: Source, point: DictationTarget): Promise<void> {
		const stop = new AbortController();
		const id = this.#id ?? '';
		const title = vscode.l10n.t('Dictation');
		let page: vscode.Disposable | undefined;
		const opened = new AbortController();
		await vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Notification, title, cancellable: true },
			async (progress, token) => {
				token.onCancellationRequested(() => stop.abort());
				const report = (message: string) => progress.report({ message });
				const prompt = point.before(promptCharacters).trim();
				const params = { id, source, ...dictationChoice(), ...(prompt === '' ? {} : { prompt }) };
				report(vscode.l10n.t('Waiting for the microphone'));
				this.#show('$(mic)', vscode.l10n.t('Waiting for the microphone'));
				try {
					await withToken(AbortSignal.any([stop.signal, opened.signal]), (cancel) =>
						this.#languageServer.request('nearglot/dictate', params, cancel, (value) => {
							if (stop.signal.aborted) return;
							const event = value as DictationEvent;
							this.#onEvent(event, report, point);
							if (source !== 'editor' || event.type !== 'state') return;
							if (event.state === 'waiting' && !page) {
								page = openMicrophonePage(
									this.#languageServer,
									this.#extension.extensionUri,
									id,
									() => opened.abort(new AppError('not_supported')),
								);
							}
						}),
					);
				} catch (error) {
					throw opened.signal.aborted ? opened.signal.reason : error;
				} finally {
					page?.dispose();
				}
			},
		);
	}

	#onEvent(event: DictationEvent, report: (message: string) => void, point: DictationTarget): void {
		switch (event.type) {
			case 'page':
				report(vscode.l10n.t('Record in the page that opens in your browser'));
				void vscode.env.openExternal(vscode.Uri.parse(event.url, true));
				return;
			case 'text':
				void point.add(event.delta);
				return;
			case 'level': {
				const time = shortClock(event.seconds);
				report(
					vscode.l10n.t(
						'Listening {0}. A click on the microphone in the status bar ends it.',
						`${time} ${meter(event.level)}`,
					),
				);
				this.#show('$(mic-filled)', vscode.l10n.t('Listening {0}', time));
				return;
			}
			case 'state':
				if (event.state === 'stopped') report(vscode.l10n.t('Transcribing the rest'));
				return;
			case 'notice':
				void vscode.window.showWarningMessage(event.text);
				return;
			case 'microphone':
				report(vscode.l10n.t('Recording with {0}', event.program));
		}
	}

	#show(icon: string, text: string): void {
		this.#item.text = `${icon} ${text}`;
		this.#item.tooltip = vscode.l10n.t('Finish dictation');
		this.#item.show();
	}

	/** Programs record where they run, which must be where the user sits. */
	#source(): Source {
		if (vscode.env.uiKind === vscode.UIKind.Web) return 'editor';
		const here =
			vscode.env.remoteName === undefined ||
			this.#extension.extension.extensionKind === vscode.ExtensionKind.UI;
		return here ? 'program' : 'page';
	}
}

/** How loud it is, as a bar. */
function meter(level: number): string {
	const bars = '▁▂▃▄▅▆▇█';
	// Loudness is heard in decibels: −48 dB is silence here.
	const decibels = 20 * Math.log10(Math.max(level, 1e-4));
	const place = Math.round(((decibels + 48) / 48) * (bars.length - 1));
	return bars[Math.max(0, Math.min(bars.length - 1, place))] ?? '';
}
