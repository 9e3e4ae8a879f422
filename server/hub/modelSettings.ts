/** What people chose about models and what must survive a restart: one small file, written atomically. */

import { JsonFile, type JsonFormat } from '../store/jsonFile.ts';

export interface ModelSettings {
	/** Folders registered in place: a model, or a folder of models (another tool's cache). */
	readonly registered: readonly string[];
	/** Ids of models that are never unloaded by themselves. */
	readonly pinned: readonly string[];
	readonly gpuDevice: number;
	/** Model id → id of the small model that drafts for it. */
	readonly drafts?: Readonly<Record<string, string>>;
	/** Where downloaded models lie, when they were moved away from the standard folder. */
	readonly modelsFolder?: string;
	/** Base address of the hub or a mirror of it. */
	readonly hub?: string;
	/** Address of the list of Firefox Translations' models, or of a mirror of it. */
	readonly students?: string;
}

const format: JsonFormat<ModelSettings> = {
	holds: 'What was chosen about models',
	fresh: () => ({ registered: [], pinned: [], gpuDevice: 0 }),
	parse: (fields) => {
		const { registered = [], pinned = [], gpuDevice = 0 } = fields;
		if (!Array.isArray(registered) || !Array.isArray(pinned)) return undefined;
		return { ...fields, registered, pinned, gpuDevice: Number(gpuDevice) };
	},
};

/** The settings in a file; changes are written one after the other. */
export class ModelSettingsFile {
	readonly #file: JsonFile<ModelSettings>;
	#value: ModelSettings;

	constructor(path: string) {
		this.#file = new JsonFile(path, format);
		this.#value = this.#file.readNow();
	}

	get value(): ModelSettings {
		return this.#value;
	}

	/** Changes what is in the file, then what {@link value} gives. @throws AppError when it cannot be written */
	async change(patch: (now: ModelSettings) => Partial<ModelSettings>): Promise<void> {
		this.#value = await this.#file.change((now) => {
			const next = { ...now, ...patch(now) };
			return [next, next];
		});
	}
}
