/** What people chose about models and what must survive a restart: one small file, written atomically. */

import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface ModelSettings {
	/** Folders registered in place: a model, or a folder of models (another tool's cache). */
	readonly registered: readonly string[];
	/** Ids of models that are never unloaded by themselves. */
	readonly pinned: readonly string[];
	readonly gpuDevice: number;
	/** Model id → id of the small model that drafts for it. */
	readonly drafts?: Readonly<Record<string, string>>;
	/** Default execution provider, by settings. */
	readonly executionProvider?: string;
	/** Where downloaded models lie, when they were moved away from the standard folder. */
	readonly modelsFolder?: string;
	/** Base address of the hub or a mirror of it. */
	readonly hub?: string;
}

const empty: ModelSettings = { registered: [], pinned: [], gpuDevice: 0 };

/** The settings in a file; changes are written one after the other. */
export class ModelSettingsFile {
	readonly #path: string;
	#value: ModelSettings;
	#writing: Promise<void> = Promise.resolve();

	constructor(path: string) {
		this.#path = path;
		this.#value = read(path);
	}

	get value(): ModelSettings {
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

/** An absent or damaged file means that nothing was chosen. */
function read(path: string): ModelSettings {
	try {
		return { ...empty, ...(JSON.parse(readFileSync(path, 'utf8')) as Partial<ModelSettings>) };
	} catch {
		return empty;
	}
}
