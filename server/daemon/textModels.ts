/** Tokenizers and templates of models in threads of the daemon, so that counting tokens loads no weights. */

import type { TextService } from '../engine/text/textJobs.ts';

/** A model's text threads. */
export interface OwnedText extends TextService {
	readonly isBusy: boolean;
	close(): Promise<void>;
}

/** How many stay while nobody asks; a large vocabulary takes some 50 MB. */
const maxIdle = 4;

export class TextModels {
	readonly #open: (folder: string, model: string) => OwnedText;
	/** The one that was asked last comes last. */
	readonly #kept = new Map<string, OwnedText>();

	/** @param open makes the threads of a folder; `model` is its name in messages */
	constructor(open: (folder: string, model: string) => OwnedText) {
		this.#open = open;
	}

	get(folder: string, model: string): TextService {
		const text = this.#kept.get(folder) ?? this.#open(folder, model);
		this.#kept.delete(folder);
		this.#kept.set(folder, text);
		let surplus = this.#kept.size - maxIdle;
		for (const [oldest, other] of this.#kept) {
			if (surplus-- <= 0) break;
			if (other !== text && !other.isBusy) void this.#drop(oldest);
		}
		return text;
	}

	/** Ends the threads of a model that is no longer used. */
	async release(folder: string): Promise<void> {
		if (this.#kept.get(folder)?.isBusy === false) await this.#drop(folder);
	}

	async close(): Promise<void> {
		await Promise.all([...this.#kept.keys()].map((folder) => this.#drop(folder)));
	}

	async #drop(folder: string): Promise<void> {
		const text = this.#kept.get(folder);
		this.#kept.delete(folder);
		await text?.close();
	}
}
