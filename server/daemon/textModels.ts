/** Tokenizers and templates of models in threads of the daemon, so that counting tokens loads no weights. */

import type { TextService } from '../engine/text/textJobs.ts';
import type { IndexedModel } from './modelIndex.ts';

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
	readonly #kept = new Map<string, { readonly stamp: string; readonly text: OwnedText }>();

	/** @param open makes the threads of a folder; `model` is its name in messages */
	constructor(open: (folder: string, model: string) => OwnedText) {
		this.#open = open;
	}

	/** Threads of a model; new ones when its files have changed since the last time. */
	get({ folder, stamp, info }: Pick<IndexedModel, 'folder' | 'stamp' | 'info'>): TextService {
		let kept = this.#kept.get(folder);
		if (kept?.stamp !== stamp) {
			void this.#drop(folder);
			kept = { stamp, text: this.#open(folder, info.id) };
		}
		this.#kept.delete(folder);
		this.#kept.set(folder, kept);
		let surplus = this.#kept.size - maxIdle;
		for (const [oldest, other] of this.#kept) {
			if (surplus-- <= 0) break;
			if (other !== kept && !other.text.isBusy) void this.#drop(oldest);
		}
		return kept.text;
	}

	/** Ends the threads of a model that is no longer used. */
	async release(folder: string): Promise<void> {
		if (this.#kept.get(folder)?.text.isBusy === false) await this.#drop(folder);
	}

	async close(): Promise<void> {
		await Promise.all([...this.#kept.keys()].map((folder) => this.#drop(folder)));
	}

	async #drop(folder: string): Promise<void> {
		const kept = this.#kept.get(folder);
		this.#kept.delete(folder);
		await kept?.text.close();
	}
}
