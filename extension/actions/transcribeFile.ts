/** *Transcribe Audio File*: what is said in a recording, as a new document. */

import * as vscode from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import type { Front } from '../front.ts';

const extensions = ['wav', 'mp3', 'flac', 'ogg', 'oga', 'opus', 'webm', 'weba'];

/** Transcribes the given file (of the explorer's menu), or one that is picked. */
export async function transcribeFile(front: Front, uri: unknown): Promise<void> {
	const file = uri instanceof vscode.Uri ? uri : await pickFile();
	if (!file) return;
	if (file.scheme !== 'file') {
		throw new AppError(
			'invalid_request',
			vscode.l10n.t('Only files on this computer can be transcribed.'),
		);
	}
	const plain = vscode.l10n.t('Text');
	const format = await vscode.window.showQuickPick([plain, 'SRT', 'VTT'], {
		title: vscode.l10n.t('Form of the transcript'),
	});
	if (!format) return;
	const wanted = format === 'SRT' ? 'srt' : format === 'VTT' ? 'vtt' : 'text';
	const title = vscode.l10n.t('Transcribing {0}', vscode.workspace.asRelativePath(file));
	const { text } = await vscode.window.withProgress(
		{ location: vscode.ProgressLocation.Notification, title, cancellable: true },
		(_progress, token) =>
			front.request('nearglot/transcribe', { path: file.fsPath, format: wanted }, token),
	);
	const document = await vscode.workspace.openTextDocument({
		content: `${text}\n`,
		language: 'plaintext',
	});
	await vscode.window.showTextDocument(document);
}

async function pickFile(): Promise<vscode.Uri | undefined> {
	const uris = await vscode.window.showOpenDialog({
		filters: { [vscode.l10n.t('Audio')]: extensions },
	});
	return uris?.[0];
}
