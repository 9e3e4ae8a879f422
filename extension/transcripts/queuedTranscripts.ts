/**
 * Recordings that are transcribed in the background. The model server has them, so they go on when the window is
 * reloaded; kept here is only where each lies, until its transcript is kept with it.
 */

import * as vscode from 'vscode';
import { defined } from '../../server/protocol/defined.ts';
import {
	AppError,
	asAppError,
	type MarkedRecording,
	type Transcript,
	transcriptDocumentOf,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { readableMessage, showError, withDelayedProgress } from '../notify.ts';
import type { RecordingEditor } from './recordingEditor.ts';
import type { TranscriptStore } from './transcriptStore.ts';
import type { UnsentRecordings } from './unsentRecordings.ts';

export interface QueuedTranscriptsDeps {
	readonly languageServer: Pick<LanguageServerClient, 'request'>;
	readonly recordings: Pick<RecordingEditor, 'use'>;
	readonly store: Pick<TranscriptStore, 'load' | 'save'>;
	readonly memory: vscode.Memento;
	/** Of this window; what others asked for is theirs to tell as long as they are there. */
	readonly windowId?: string;
	/** Milliseconds between two looks; 2000 unless told. */
	readonly everyMs?: number;
	/** Other jobs are to be shown. */
	readonly onChange: () => void;
	/** Those that are ready, when none is under way any more. */
	readonly onReady: (files: readonly vscode.Uri[]) => void;
	/** Where those are kept that are not handed over yet. */
	readonly unsent: Pick<UnsentRecordings, 'keep' | 'drop' | 'adopt' | 'dispose'>;
	/** A window that is gone has not handed them over. */
	readonly onUnsent: (files: readonly vscode.Uri[]) => void;
}

/** A recording that was handed over, by what it is known by there. */
interface Awaited {
	readonly id: string;
	readonly mark: string;
	readonly uri: string;
	/** Of the window that asked. */
	readonly windowId?: string;
	/** Its transcript is kept here; what is left is to remove it there. */
	readonly isKept?: boolean;
}

const memoryKey = 'nearglot.queuedRecordings';
/** Looks in a row that fail by what passes by itself before somebody hears of it. */
const quietLooks = 15;
/** Looks at one that is over after which the window that asked for it seems to be gone. */
const looksForOwner = 3;

export class QueuedTranscripts implements vscode.Disposable {
	readonly #deps: QueuedTranscriptsDeps;
	readonly #everyMs: number;
	#timer: NodeJS.Timeout | undefined;
	#isLooking = false;
	#isDisposed = false;
	#failedLooks = 0;
	#hasNotified = false;
	/** How often one of another window was found to be over, by both. */
	readonly #foundOver = new Map<string, number>();
	#ready: vscode.Uri[] = [];
	/** Why recordings have no transcript, and the batches that only told so. */
	#failed: { readonly text: string; readonly id?: string }[] = [];

	constructor(deps: QueuedTranscriptsDeps) {
		this.#deps = deps;
		this.#everyMs = deps.everyMs ?? 2000;
	}

	get #awaited(): readonly Awaited[] {
		return this.#deps.memory.get<readonly Awaited[]>(memoryKey) ?? [];
	}

	/** Goes on with what an earlier window has handed over. */
	resume(): void {
		if (this.#awaited.length > 0) this.#later(0);
		void this.#deps.unsent.adopt().then((uris) => {
			if (uris.length > 0 && !this.#isDisposed)
				this.#deps.onUnsent(uris.map((uri) => vscode.Uri.parse(uri, true)));
		});
	}

	/**
	 * Hands recordings over; those that have a transcript or are awaited are left out.
	 * @returns those that cannot be transcribed in the background; they stay kept until they are settled
	 */
	async add(files: readonly vscode.Uri[]): Promise<readonly vscode.Uri[]> {
		const title = vscode.l10n.t('Transcribing {0} recordings', files.length);
		const refused: vscode.Uri[] = [];
		const failed: string[] = [];
		const handedOver: vscode.Uri[] = [];
		this.#deps.unsent.keep(files.map(String));
		const isCancelled = await withDelayedProgress(title, async (token) => {
			for (const uri of files) {
				if (token.isCancellationRequested) break;
				let isRefused = false;
				try {
					if (await this.#handOver(uri, token)) handedOver.push(uri);
				} catch (error) {
					const { code } = asAppError(error);
					isRefused = code === 'not_supported';
					if (isRefused) refused.push(uri);
					else if (code !== 'cancelled') failed.push(`${fileName(uri)}: ${readableMessage(error)}`);
				}
				if (!isRefused) this.settle([uri]);
			}
			return token.isCancellationRequested;
		});
		if (isCancelled) this.settle(files);
		if (failed.length > 0) void vscode.window.showErrorMessage(failed.join('\n'));
		if (handedOver.length > 0) {
			this.#deps.onChange();
			void this.#offerJobs(handedOver).catch(showError);
		}
		return isCancelled ? [] : refused;
	}

	/** Nothing is to be done for them any more. */
	settle(files: readonly vscode.Uri[]): void {
		this.#deps.unsent.drop(files.map(String));
	}

	dispose(): void {
		this.#isDisposed = true;
		this.#deps.unsent.dispose();
		clearTimeout(this.#timer);
	}

	/** @returns whether it is under way from now on */
	async #handOver(uri: vscode.Uri, token: vscode.CancellationToken): Promise<boolean> {
		return this.#deps.recordings.use(uri, async (recording) => {
			const { document, state } = recording.session;
			if (document || state.job) return false;
			const { mark } = recording;
			if (this.#awaited.some((one) => one.mark === mark && !one.isKept)) return false;
			for (;;) {
				try {
					const id = await recording.queue(token);
					const { windowId } = this.#deps;
					const asked = { id, mark, uri: uri.toString(), ...defined({ windowId }) };
					await this.#remember([...this.#awaited, asked]);
					this.#later(this.#everyMs);
					return true;
				} catch (error) {
					if (asAppError(error).code !== 'batch_queue_full') throw error;
					await this.#room(token);
				}
			}
		});
	}

	/** Resolves when one that is awaited has made room, or others may have. */
	async #room(token: vscode.CancellationToken): Promise<void> {
		const { length } = this.#awaited;
		for (let looks = 0; looks < quietLooks && this.#awaited.length >= length; looks++)
			await passed(this.#everyMs, token);
	}

	async #offerJobs(files: readonly vscode.Uri[]): Promise<void> {
		const show = vscode.l10n.t('Show Jobs');
		const answer = await vscode.window.showInformationMessage(
			files.length === 1
				? vscode.l10n.t('{0} is transcribed in the background.', fileName(files[0]))
				: vscode.l10n.t('{0} recordings are transcribed in the background.', files.length),
			show,
		);
		if (answer === show) await vscode.commands.executeCommand('nearglot.jobs.focus');
	}

	#later(ms: number): void {
		// A look that is under way is followed by another one while anything is awaited.
		if (this.#isDisposed || this.#isLooking) return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => void this.#look(), ms);
	}

	async #look(): Promise<void> {
		this.#isLooking = true;
		try {
			await this.#endThoseOver();
			this.#failedLooks = 0;
			this.#hasNotified = false;
		} catch (error) {
			// The server is started anew by whoever asks next; what it has, it keeps.
			this.#notify(asAppError(error));
		} finally {
			this.#isLooking = false;
		}
		if (this.#isDisposed) return;
		if (this.#awaited.length > 0) return this.#later(this.#everyMs);
		const [ready, failed] = [this.#ready, this.#failed];
		[this.#ready, this.#failed] = [[], []];
		if (failed.length > 0) void this.#showFailed(failed).catch(showError);
		if (ready.length > 0) this.#deps.onReady(ready);
	}

	/** Takes what is there; what could not be taken stays awaited, and does not keep the others. */
	async #endThoseOver(): Promise<void> {
		const awaited = this.#awaited;
		const ids = awaited.map(({ id }) => id);
		const { recordings } = await this.#deps.languageServer.request('nearglot/recordings', { ids });
		const states = new Map(recordings.map((found) => [found.id, found]));
		let trouble: { readonly error: unknown } | undefined;
		for (const one of awaited) {
			const found = states.get(one.id);
			if (found?.state === 'underWay' || (await this.#isOfOther(one))) continue;
			try {
				if (!(await this.#end(one, found))) continue;
				await this.#remember(this.#awaited.filter(({ id }) => id !== one.id));
				this.#deps.onChange();
			} catch (error) {
				trouble ??= { error };
			}
		}
		if (trouble) throw trouble.error;
	}

	/** Whether another window is to end one that is over, or has done so. What a window that is gone asked for becomes this one's. */
	async #isOfOther({ id }: Awaited): Promise<boolean> {
		const known = this.#awaited.find((one) => one.id === id);
		if (!known || known.windowId === this.#deps.windowId) return known === undefined;
		const key = `${id} ${known.windowId}`;
		const looks = (this.#foundOver.get(key) ?? 0) + 1;
		this.#foundOver.set(key, looks);
		if (looks < looksForOwner) return true;
		await this.#remember(
			this.#awaited.map((one) =>
				one.windowId === known.windowId
					? { ...one, ...defined({ windowId: this.#deps.windowId }) }
					: one,
			),
		);
		return false;
	}

	/** @returns whether nothing is awaited of it any more */
	async #end(awaited: Awaited, found: MarkedRecording | undefined): Promise<boolean> {
		const { id, mark, isKept } = awaited;
		const uri = vscode.Uri.parse(awaited.uri, true);
		if (isKept) return this.#endKept(id, uri);
		if (found?.state === 'cancelled') {
			await this.#forget(id);
			return true;
		}
		if (found?.state === 'failed') {
			const { name, reason = '' } = found;
			this.#failed.push({ text: `${name}: ${reason}`, id });
			return true;
		}
		const transcript =
			found &&
			(await this.#deps.languageServer
				.request('nearglot/recordings/take', { id })
				.catch((error: unknown) => {
					if (asAppError(error).code !== 'not_found') throw error;
				}));
		if (!transcript) {
			// Another window may have taken it.
			if ((await this.#deps.store.load(mark)) === null) {
				const name = found?.name ?? fileName(uri);
				const text = vscode.l10n.t('{0}: The transcript is no longer at the model server.', name);
				this.#failed.push({ text });
			}
			return true;
		}
		if (!(await this.#keep(awaited, uri, transcript))) return false;
		await this.#remember(
			this.#awaited.map((one) => (one.id === id ? { ...one, isKept: true } : one)),
		);
		return this.#endKept(id, uri);
	}

	/** Of several windows that have its transcript, the one that removes it at the server says so. */
	async #endKept(id: string, uri: vscode.Uri): Promise<boolean> {
		if (await this.#forget(id)) this.#ready.push(uri);
		return true;
	}

	/** @returns whether its recording has a transcript now */
	async #keep({ mark }: Awaited, uri: vscode.Uri, transcript: Transcript): Promise<boolean> {
		const { recordings, store } = this.#deps;
		let isBusy = false;
		await recordings
			.use(uri, async (recording) => {
				if (recording.mark !== mark) throw new AppError('not_found');
				const { session } = recording;
				session.take(transcript);
				// It is being transcribed at this moment, which may be cancelled.
				isBusy = session.document === null;
				await session.saved;
			})
			// It lies elsewhere now; its transcript follows it.
			.catch(() => undefined);
		if (isBusy) return false;
		// What the disk did not take a moment ago.
		if ((await store.load(mark)) === null) await store.save(mark, transcriptDocumentOf(transcript));
		return true;
	}

	/** Nobody needs what the server has of it. @returns whether it had something */
	async #forget(id: string): Promise<boolean> {
		try {
			return (await this.#deps.languageServer.request('nearglot/recordings/forget', { id }))
				.removed;
		} catch (error) {
			if (asAppError(error).kind.retryable) throw error;
			return false;
		}
	}

	async #showFailed(failed: readonly { readonly text: string; readonly id?: string }[]) {
		await vscode.window.showErrorMessage(failed.map(({ text }) => text).join('\n'));
		const ids = failed.flatMap(({ id }) => id ?? []);
		const { recordings } = await this.#deps.languageServer.request('nearglot/recordings', { ids });
		// What was tried again meanwhile is needed.
		for (const { id, state } of recordings) if (state === 'failed') await this.#forget(id);
	}

	/** Says once why nothing can be learnt or taken; what passes by itself only when it lasts. */
	#notify(error: AppError): void {
		this.#failedLooks++;
		if (this.#hasNotified || this.#isDisposed) return;
		if (error.kind.retryable && this.#failedLooks < quietLooks) return;
		this.#hasNotified = true;
		void showError(error);
	}

	async #remember(awaited: readonly Awaited[]): Promise<void> {
		await this.#deps.memory.update(memoryKey, awaited.length > 0 ? awaited : undefined);
	}
}

const fileName = (uri: vscode.Uri | undefined): string => uri?.path.split('/').at(-1) ?? '';

/** @throws AppError `cancelled` */
function passed(ms: number, token: vscode.CancellationToken): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(new AppError('cancelled'));
		};
		const timer = setTimeout(() => {
			listening.dispose();
			resolve();
		}, ms);
		const listening = token.onCancellationRequested(stop);
		if (token.isCancellationRequested) stop();
	});
}
