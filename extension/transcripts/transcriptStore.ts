/**
 * Transcripts and waveforms by the fingerprint of their recording: they survive reloads, follow a
 * recording to another folder and are the same in every window. A file is complete or absent.
 */

import * as vscode from 'vscode';
import type { TranscriptDocument, Waveform } from '../../server/protocol/index.ts';

/** Format of the files; others are not read. */
const version = 1;

export class TranscriptStore {
	readonly #folder: vscode.Uri;

	constructor(folder: vscode.Uri) {
		this.#folder = folder;
	}

	/** Where copies and playable versions lie while a recording is open. */
	get scratch(): vscode.Uri {
		return vscode.Uri.joinPath(this.#folder, 'open');
	}

	async load(fingerprint: string): Promise<TranscriptDocument | null> {
		const value = await this.#read(`${fingerprint}.json`);
		const document = value?.['document'] as TranscriptDocument | undefined;
		return document && Array.isArray(document.lines) ? document : null;
	}

	/** `null` forgets the transcript. */
	async save(fingerprint: string, document: TranscriptDocument | null): Promise<void> {
		const name = `${fingerprint}.json`;
		if (document) return this.#write(name, { version, document });
		try {
			await vscode.workspace.fs.delete(vscode.Uri.joinPath(this.#folder, name));
		} catch {
			// There was none.
		}
	}

	async loadWaveform(fingerprint: string): Promise<Waveform | undefined> {
		const value = await this.#read(`${fingerprint}.wave.json`);
		const waveform = value?.['waveform'] as Waveform | undefined;
		return waveform && Array.isArray(waveform.peaks) ? waveform : undefined;
	}

	saveWaveform(fingerprint: string, waveform: Waveform): Promise<void> {
		return this.#write(`${fingerprint}.wave.json`, { version, waveform });
	}

	async #read(name: string): Promise<Record<string, unknown> | undefined> {
		try {
			const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#folder, name));
			const value = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
			return value['version'] === version ? value : undefined;
		} catch {
			return undefined;
		}
	}

	async #write(name: string, value: unknown): Promise<void> {
		const target = vscode.Uri.joinPath(this.#folder, name);
		const temporary = vscode.Uri.joinPath(this.#folder, `${name}.${crypto.randomUUID()}`);
		await vscode.workspace.fs.createDirectory(this.#folder);
		await vscode.workspace.fs.writeFile(temporary, new TextEncoder().encode(JSON.stringify(value)));
		await vscode.workspace.fs.rename(temporary, target, { overwrite: true });
	}
}
