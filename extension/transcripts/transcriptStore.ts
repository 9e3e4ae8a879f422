/**
 * Transcripts and waveforms by the fingerprint of their recording: they survive reloads, follow a
 * recording to another folder and are the same in every window. A file is complete or absent.
 */

import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TranscriptDocument, Waveform } from '../../server/protocol/index.ts';
import { makePrivateFolder, writePrivately } from '../privateFiles.ts';

/** Format of the files; others are not read. */
const version = 1;

/** Writes the disk itself: the file service of the window goes away with the window. */
export class TranscriptStore {
	readonly #folder: string;

	constructor(folder: string) {
		this.#folder = folder;
	}

	/** Folder in which copies and playable versions lie while a recording is open. */
	get scratch(): string {
		return join(this.#folder, 'open');
	}

	async load(fingerprint: string): Promise<TranscriptDocument | null> {
		const value = await this.#read(`${fingerprint}.json`);
		const document = value?.['document'] as TranscriptDocument | undefined;
		return document && Array.isArray(document.lines) ? document : null;
	}

	/** `null` forgets the transcript. */
	async save(fingerprint: string, document: TranscriptDocument | null): Promise<void> {
		const name = `${fingerprint}.json`;
		if (document) await this.#write(name, { version, document });
		else await rm(join(this.#folder, name), { force: true });
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
			const text = await readFile(join(this.#folder, name), 'utf8');
			const value = JSON.parse(text) as Record<string, unknown>;
			return value['version'] === version ? value : undefined;
		} catch {
			return undefined;
		}
	}

	async #write(name: string, value: unknown): Promise<void> {
		const target = join(this.#folder, name);
		const temporary = `${target}.${crypto.randomUUID()}`;
		await makePrivateFolder(this.#folder);
		await writePrivately(temporary, JSON.stringify(value));
		await rename(temporary, target);
	}
}
