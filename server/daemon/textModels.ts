/** Tokenizers and templates kept in the daemon, so that counting tokens loads no weights. */

import type { TextModel } from '../engine/api.ts';

/** How many stay in memory; a large vocabulary takes some 50 MB. */
const keptAtMost = 4;

export class TextModels {
	readonly #load: (folder: string) => Promise<TextModel>;
	readonly #kept = new Map<string, Promise<TextModel>>();

	constructor(load: (folder: string) => Promise<TextModel>) {
		this.#load = load;
	}

	get(folder: string): Promise<TextModel> {
		const known = this.#kept.get(folder);
		const model = known ?? this.#load(folder);
		this.#kept.delete(folder);
		this.#kept.set(folder, model);
		if (!known) model.catch(() => this.#kept.delete(folder));
		for (const oldest of this.#kept.keys()) {
			if (this.#kept.size <= keptAtMost) break;
			this.#kept.delete(oldest);
		}
		return model;
	}
}
