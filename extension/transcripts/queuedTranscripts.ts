/**
 * Recordings that are transcribed in the background. The model server has them, so they go on when the window is
 * reloaded; kept here is only where each lies, until its transcript is kept with it.
 */

import * as vscode from 'vscode';
import {
	asAppError,
	type MarkedRecording,
	transcriptDocumentOf,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { showError, withDelayedProgress } from '../notify.ts';
import type { RecordingEditor } from './recordingEditor.ts';
import type { TranscriptStore } from './transcriptStore.ts';

export interface QueuedTranscriptsDeps {
	readonly languageServer: LanguageServerClient;
	readonly recordings: RecordingEditor;
	readonly store: TranscriptStore;
	readonly memory: vscode.Memento;
	/** Other jobs are to be shown. */
	readonly onChange: () => void;
	/** Those that are ready, when none is under way any more. */
	readonly onReady: (files: readonly vscode.Uri[]) => void;
}

/** A recording that was handed over, by what it is known by there. */
interface Awaited {
	readonly mark: string;
	readonly uri: string;
}

const memoryKey = 'nearglot.queuedRecordings';
/** Milliseconds between two looks. */
const everyMs = 2000;

export class QueuedTranscripts implements vscode.Disposable {
	readonly #deps: QueuedTranscriptsDeps;
	#timer: NodeJS.Timeout | undefined;
	#isDisposed = false;
	#ready: vscode.Uri[] = [];
	#failed: string[] = [];

	constructor(deps: QueuedTranscriptsDeps) {
		this.#deps = deps;
	}

	get #awaited(): readonly Awaited[] {
		return this.#deps.memory.get<readonly Awaited[]>(memoryKey) ?? [];
	}

	/** Goes on with what an earlier window has handed over. */
	resume(): void {
		if (this.#awaited.length > 0) this.#later(0);
	}

	/** Hands recordings over; those that have a transcript are left out. @throws AppError `not_supported` */
	async add(files: readonly vscode.Uri[]): Promise<void> {
		const title = vscode.l10n.t('Transcribing {0} recordings', files.length);
		let count = 0;
		await withDelayedProgress(title, async () => {
			for (const uri of files)
				await this.#deps.recordings.use(uri, async (recording) => {
					const { document, state } = recording.session;
					if (document || state.job) return;
					const mark = await recording.queue();
					const others = this.#awaited.filter((one) => one.mark !== mark);
					await this.#remember([...others, { mark, uri: uri.toString() }]);
					count++;
				});
		});
		if (count === 0) return;
		this.#deps.onChange();
		this.#later(everyMs);
		const show = vscode.l10n.t('Show Jobs');
		const shown = vscode.window.showInformationMessage(
			vscode.l10n.t('{0} recordings are transcribed in the background.', count),
			show,
		);
		void shown.then((answer) => {
			if (answer === show) void vscode.commands.executeCommand('nearglot.jobs.focus');
		});
	}

	dispose(): void {
		this.#isDisposed = true;
		clearTimeout(this.#timer);
	}

	#later(ms: number): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => void this.#step(), ms);
	}

	async #step(): Promise<void> {
		try {
			const { recordings } = await this.#deps.languageServer.request('nearglot/recordings', {});
			for (const awaited of this.#awaited) {
				const found = recordings.find(({ mark }) => mark === awaited.mark);
				if (found?.state === 'underWay') continue;
				if (found) await this.#end(awaited, found);
				await this.#remember(this.#awaited.filter(({ mark }) => mark !== awaited.mark));
				this.#deps.onChange();
			}
		} catch {
			// The server is started anew by whoever asks next; what it has, it keeps.
		}
		if (this.#isDisposed) return;
		if (this.#awaited.length > 0) return this.#later(everyMs);
		const [ready, failed] = [this.#ready, this.#failed];
		[this.#ready, this.#failed] = [[], []];
		if (failed.length > 0) void vscode.window.showErrorMessage(failed.join('\n'));
		if (ready.length > 0) this.#deps.onReady(ready);
	}

	async #end({ uri: address, mark }: Awaited, found: MarkedRecording): Promise<void> {
		const { languageServer, recordings, store } = this.#deps;
		const { id, name, state, reason = '' } = found;
		if (state === 'cancelled') return;
		if (state === 'failed') {
			this.#failed.push(`${name}: ${reason}`);
			return;
		}
		try {
			const transcript = await languageServer.request('nearglot/recordings/take', { id });
			const uri = vscode.Uri.parse(address, true);
			await recordings
				.use(uri, async ({ session }) => {
					session.take(transcript);
					await session.saved;
				})
				// It lies elsewhere now; its transcript follows it.
				.catch(async () => {
					if ((await store.load(mark)) === null)
						await store.save(mark, transcriptDocumentOf(transcript));
				});
			this.#ready.push(uri);
			await languageServer.request('nearglot/recordings/forget', { id });
		} catch (error) {
			const known = asAppError(error);
			// Another window has taken it.
			if (known.code !== 'not_found') await showError(known);
		}
	}

	async #remember(awaited: readonly Awaited[]): Promise<void> {
		await this.#deps.memory.update(memoryKey, awaited.length > 0 ? awaited : undefined);
	}
}
