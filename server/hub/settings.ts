/** What people chose about models and what must survive a restart: one small file, written atomically. */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface ModelSettings {
	/** Folders registered in place: a model, or a folder of models (another tool's cache). */
	readonly registered: readonly string[];
	/** Ids of models that are never unloaded by themselves. */
	readonly pinned: readonly string[];
	readonly gpuDevice: number;
	/** Default execution provider, by settings. */
	readonly executionProvider?: string;
	/** Base address of the hub or a mirror of it. */
	readonly hub?: string;
}

const empty: ModelSettings = { registered: [], pinned: [], gpuDevice: 0 };

/** The settings in a file; changes are written one after the other. */
export class ModelSettingsFile {
	readonly #path: string;
	#value: ModelSettings = empty;
	#writing: Promise<void> = Promise.resolve();

	constructor(path: string) {
		this.#path = path;
	}

	get value(): ModelSettings {
		return this.#value;
	}

	/** Reads the file; an absent or damaged one means nothing was chosen. */
	async load(): Promise<ModelSettings> {
		try {
			const value = JSON.parse(await readFile(this.#path, 'utf8')) as Partial<ModelSettings>;
			this.#value = { ...empty, ...value };
		} catch {
			this.#value = empty;
		}
		return this.#value;
	}

	async change(patch: Partial<ModelSettings>): Promise<void> {
		this.#value = { ...this.#value, ...patch };
		const text = `${JSON.stringify(this.#value, null, '\t')}\n`;
		const work = this.#writing.then(async () => {
			await mkdir(dirname(this.#path), { recursive: true });
			await writeFile(`${this.#path}.new`, text, { mode: 0o600 });
			await rename(`${this.#path}.new`, this.#path);
		});
		this.#writing = work.catch(() => undefined);
		await work;
	}
}
