/** A recording as a file: where the language server can read it, and what tells it from others. */

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { removePath } from '../../server/store/movePath.ts';
import { makePrivateFolder, writePrivately } from '../privateFiles.ts';

/** Endings of files that are offered for transcription. */
const audioEndings = [
	...['wav', 'mp3', 'flac', 'ogg', 'oga', 'opus', 'm4a', 'aac', 'webm', 'weba', 'mp4', 'mkv'],
];

/** Bytes read at the start, in the middle and at the end to tell recordings apart. */
const sampleBytes = 262_144;

export interface RecordingFile {
	/** Path on the computer the language server runs on. */
	readonly path: string;
	/** Follows the recording when it is renamed or moved; another recording has another one. */
	readonly fingerprint: string;
	/** Removes the copy, when one was made. */
	dispose(): Promise<void>;
}

/** Opens a recording; one that is not on this computer is copied to `folder` first. */
export async function openRecordingFile(uri: vscode.Uri, folder: string): Promise<RecordingFile> {
	if (uri.scheme === 'file') {
		return {
			path: uri.fsPath,
			fingerprint: await fingerprintOfFile(uri.fsPath),
			dispose: async () => {},
		};
	}
	const bytes = await vscode.workspace.fs.readFile(uri);
	const fingerprint = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
	const copy = join(folder, `${fingerprint}.audio`);
	await makePrivateFolder(folder);
	await writePrivately(copy, bytes);
	return { path: copy, fingerprint, dispose: () => removePath(copy, { force: true }) };
}

async function fingerprintOfFile(path: string): Promise<string> {
	const file = await open(path);
	try {
		const { size } = await file.stat();
		const hash = createHash('sha256').update(`${size}\n`);
		const buffer = Buffer.alloc(sampleBytes);
		for (const at of [0, (size - sampleBytes) / 2, size - sampleBytes]) {
			const position = Math.max(0, Math.floor(at));
			const { bytesRead } = await file.read(buffer, 0, sampleBytes, position);
			hash.update(buffer.subarray(0, bytesRead));
		}
		return hash.digest('hex').slice(0, 32);
	} finally {
		await file.close();
	}
}

/** Lets the user choose recordings. */
export async function pickRecordings(many: boolean): Promise<vscode.Uri[]> {
	const uris = await vscode.window.showOpenDialog({
		title: vscode.l10n.t('Choose Recordings'),
		canSelectMany: many,
		filters: { [vscode.l10n.t('Audio')]: audioEndings },
	});
	return uris ?? [];
}
