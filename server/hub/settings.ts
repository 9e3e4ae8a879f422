/** What people chose about models and what must survive a restart: one small file, written atomically. */

import { readFileSync } from 'node:fs';
import { changeFile } from '../store/changeFile.ts';

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
}

const empty: ModelSettings = { registered: [], pinned: [], gpuDevice: 0 };

/** The settings in a file; changes are written one after the other. */
export class ModelSettingsFile {
	readonly #path: string;
	#value: ModelSettings;

	constructor(path: string) {
		this.#path = path;
		this.#value = read(path);
	}

	get value(): ModelSettings {
		return this.#value;
	}

	/** Changes what is in the file, then what {@link value} gives. @throws AppError when it cannot be written */
	async change(patch: (now: ModelSettings) => Partial<ModelSettings>): Promise<void> {
		let next = this.#value;
		await changeFile(this.#path, (text) => {
			const now = parse(text) ?? this.#value;
			next = { ...now, ...patch(now) };
			return `${JSON.stringify(next, null, '\t')}\n`;
		});
		this.#value = next;
	}
}

/** An absent or damaged file means that nothing was chosen. */
function read(path: string): ModelSettings {
	try {
		return parse(readFileSync(path, 'utf8')) ?? empty;
	} catch {
		return empty;
	}
}

function parse(text: string | undefined): ModelSettings | undefined {
	try {
		return text === undefined ? undefined : { ...empty, ...(JSON.parse(text) as object) };
	} catch {
		return undefined;
	}
}
