/**
 * Transcripts and waveforms by the fingerprint of their recording: they survive reloads, follow a
 * recording to another folder and are the same in every window.
 */

import { join } from 'node:path';
import type { TranscriptDocument, Waveform } from '../../server/protocol/index.ts';
import { JsonFile } from '../../server/store/jsonFile.ts';
import { removePath } from '../../server/store/movePath.ts';
import { makePrivateFolder } from '../privateFiles.ts';

interface KeptTranscript {
	readonly document?: TranscriptDocument;
}

interface KeptWaveform {
	readonly waveform?: Waveform;
}

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
		return (await this.#transcript(fingerprint).read()).document ?? null;
	}

	/** `null` forgets the transcript. */
	async save(fingerprint: string, document: TranscriptDocument | null): Promise<void> {
		const file = this.#transcript(fingerprint);
		if (document) await this.#write(file, { document });
		else await removePath(file.path, { force: true });
	}

	async loadWaveform(fingerprint: string): Promise<Waveform | undefined> {
		return (await this.#waveform(fingerprint).read()).waveform;
	}

	saveWaveform(fingerprint: string, waveform: Waveform): Promise<void> {
		return this.#write(this.#waveform(fingerprint), { waveform });
	}

	#transcript(fingerprint: string): JsonFile<KeptTranscript> {
		return new JsonFile(join(this.#folder, `${fingerprint}.json`), {
			holds: 'The transcript of a recording',
			fresh: () => ({}),
			parse: ({ document }) => {
				const found = document as TranscriptDocument | undefined;
				return Array.isArray(found?.lines) ? { document: found } : undefined;
			},
		});
	}

	#waveform(fingerprint: string): JsonFile<KeptWaveform> {
		return new JsonFile(join(this.#folder, `${fingerprint}.wave.json`), {
			holds: 'The waveform of a recording',
			fresh: () => ({}),
			parse: ({ waveform }) => {
				const found = waveform as Waveform | undefined;
				return Array.isArray(found?.peaks) ? { waveform: found } : undefined;
			},
		});
	}

	async #write<Value extends object>(file: JsonFile<Value>, value: Value): Promise<void> {
		await makePrivateFolder(this.#folder);
		await file.change(() => [value, undefined]);
	}
}
