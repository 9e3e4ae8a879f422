/** *Transcribe…*: one recording opens as a transcript, several are transcribed in the background. */

import * as vscode from 'vscode';
import { defined } from '../../server/protocol/defined.ts';
import {
	asAppError,
	exportName,
	inReadersLanguage,
	shortClock,
} from '../../server/protocol/index.ts';
import { lastTextEditor } from '../chat/lastTextEditor.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { readableMessage, showError } from '../notify.ts';
import { shownNumber } from '../readersNumbers.ts';
import { pickFormat, writeTranscript } from './exportTranscript.ts';
import { InsertionPoint } from './insertionPoint.ts';
import type { QueuedTranscripts } from './queuedTranscripts.ts';
import { audioEditor, type RecordingEditor } from './recordingEditor.ts';
import { openRecordingFile, pickRecordings } from './recordingFile.ts';
import { transcribeChoice } from './transcribeChoice.ts';
import { transcribePath } from './transcribePath.ts';

interface TranscribeDeps {
	readonly recordings: RecordingEditor;
	readonly queue: QueuedTranscripts;
}

/** The recordings of the explorer's menu, or those that are picked. */
export async function transcribeFiles(
	deps: TranscribeDeps,
	uri: unknown,
	uris: unknown,
): Promise<void> {
	const given = Array.isArray(uris) && uris.length > 0 ? uris : [uri];
	const chosen = given.filter((one): one is vscode.Uri => one instanceof vscode.Uri);
	const files = chosen.length > 0 ? chosen : await pickRecordings(true);
	const [only] = files;
	if (files.length > 1) {
		return transcribeSeveral(deps, files);
	}
	if (!only) return;
	const { recordings } = deps;
	await recordings.use(only, async (recording) => {
		await vscode.commands.executeCommand('vscode.openWith', only, audioEditor);
		if (recording.session.document || recording.session.state.job) return;
		// From here on the editor owns it: the page shows progress and what went wrong, closing it cancels.
		void recording.transcribe().catch((error: unknown) => {
			if (asAppError(error).code === 'internal') void showError(error);
		});
	});
}

async function transcribeSeveral(
	{ recordings, queue }: TranscribeDeps,
	files: readonly vscode.Uri[],
): Promise<void> {
	const refused = await queue.add(files);
	if (refused.length === 0) return;
	try {
		await transcribeAll(recordings, refused);
	} finally {
		queue.settle(refused);
	}
}

/** Asks whether recordings are still wanted that a window had not handed over when it went away. */
export async function offerUnsent(
	deps: TranscribeDeps,
	files: readonly vscode.Uri[],
): Promise<void> {
	const transcribe = vscode.l10n.t('Transcribe');
	const answer = await vscode.window.showInformationMessage(
		files.length === 1
			? vscode.l10n.t(
					'The window went away before {0} was handed over to be transcribed.',
					files[0]?.path.split('/').at(-1) ?? '',
				)
			: vscode.l10n.t(
					'The window went away before {0} recordings were handed over to be transcribed.',
					files.length,
				),
		transcribe,
		vscode.l10n.t('Leave Them'),
	);
	if (answer === transcribe) await transcribeSeveral(deps, files);
	else deps.queue.settle(files);
}

/** One after the other while the window is open: models of the team, and those that write English. */
async function transcribeAll(
	recordings: RecordingEditor,
	files: readonly vscode.Uri[],
): Promise<void> {
	const failed: string[] = [];
	const done: vscode.Uri[] = [];
	await vscode.window.withProgress(
		{
			location: vscode.ProgressLocation.Notification,
			title: vscode.l10n.t('Transcribing {0} recordings', files.length),
			cancellable: true,
		},
		async (progress, token) => {
			for (const [index, uri] of files.entries()) {
				if (token.isCancellationRequested) return;
				await recordings
					.use(uri, async (recording) => {
						const { session, name } = recording;
						const place = `${index + 1}/${files.length} ${name}`;
						progress.report({ message: place });
						if (session.document) return;
						token.onCancellationRequested(() => session.cancel());
						const timer = setInterval(() => {
							const { job } = session.state;
							if (job) progress.report({ message: `${place} ${jobText(job)}` });
						}, 500);
						try {
							await recording.transcribe();
							await session.saved;
						} finally {
							clearInterval(timer);
						}
					})
					.then(
						() => {
							done.push(uri);
						},
						(error: unknown) => {
							if (asAppError(error).code === 'cancelled') return;
							failed.push(`${uri.path.split('/').at(-1)}: ${readableMessage(error)}`);
						},
					);
				progress.report({ increment: 100 / files.length });
			}
		},
	);
	if (failed.length > 0) void vscode.window.showErrorMessage(failed.join('\n'));
	// The offer stays until somebody answers it; the work is done.
	if (done.length > 0) void offerTranscripts(recordings, done).catch(showError);
}

export async function offerTranscripts(
	recordings: RecordingEditor,
	files: readonly vscode.Uri[],
): Promise<void> {
	const exportAll = vscode.l10n.t('Export All…');
	const open = vscode.l10n.t('Open');
	const answer = await vscode.window.showInformationMessage(
		files.length === 1
			? vscode.l10n.t('The transcript of {0} is ready.', files[0]?.path.split('/').at(-1) ?? '')
			: vscode.l10n.t('{0} transcripts are ready.', files.length),
		exportAll,
		open,
	);
	if (answer === open) {
		for (const uri of files) {
			await vscode.commands.executeCommand('vscode.openWith', uri, audioEditor, { preview: false });
		}
	}
	if (answer !== exportAll) return;
	const format = await pickFormat();
	if (!format) return;
	const [folder] =
		(await vscode.window.showOpenDialog({
			canSelectFiles: false,
			canSelectFolders: true,
			title: vscode.l10n.t('Folder for the transcripts'),
		})) ?? [];
	if (!folder) return;
	for (const uri of files) {
		await recordings.use(uri, async ({ name, session: { document } }) => {
			if (!document) return;
			const choice = { format, content: 'original', times: false } as const;
			const target = vscode.Uri.joinPath(folder, exportName(name, document, choice));
			await writeTranscript(target, document, { ...choice, title: name });
		});
	}
}

/** *Insert Transcript at Cursor*: the words of a recording where the cursor is, as they are heard. */
export async function insertTranscript(
	languageServer: LanguageServerClient,
	scratch: string,
): Promise<void> {
	const editor = lastTextEditor();
	if (!editor) throw inReadersLanguage('invalid_request', vscode.l10n.t('Open a text first.'));
	const [uri] = await pickRecordings(false);
	if (!uri) return;
	const point = new InsertionPoint(editor);
	const file = await openRecordingFile(uri, scratch);
	const stop = new AbortController();
	const title = vscode.l10n.t('Transcribing {0}', vscode.workspace.asRelativePath(uri));
	try {
		await vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Notification, title, cancellable: true },
			(progress, token) => {
				token.onCancellationRequested(() => stop.abort());
				return transcribePath(
					languageServer,
					file.path,
					transcribeChoice(),
					(delta) => {
						if (delta.delta && !stop.signal.aborted) void point.add(delta.delta);
						const { done = 0, total } = delta.progress ?? {};
						if (delta.progress)
							progress.report({
								message: jobText({ done, ...defined({ total }) }),
							});
					},
					stop.signal,
				);
			},
		);
		await point.end();
	} catch (error) {
		await point.takeBack();
		throw error;
	} finally {
		await file.dispose();
	}
}

/** `1:20 of 5:00, 12× real time, 0:18 left`. */
function jobText(job: { done: number; total?: number; speed?: number }): string {
	const { done, total, speed } = job;
	if (done === 0) return '';
	const parts = [
		total === undefined
			? shortClock(done)
			: vscode.l10n.t('{0} of {1}', shortClock(done), shortClock(total)),
	];
	if (speed !== undefined)
		parts.push(vscode.l10n.t('{0}× real time', shownNumber(speed, speed < 10 ? 1 : 0)));
	if (speed !== undefined && total !== undefined) {
		parts.push(vscode.l10n.t('{0} left', shortClock((total - done) / speed)));
	}
	return parts.join(', ');
}
