/** What probes are told of the store. However many ask, and whoever may, it is written to about once a second. */

import type { Store } from './store.ts';

/** `unusable`: it cannot be reached, is full, may only be read, or does not answer in time. */
export type StoreWord = 'ok' | 'unusable';

/** Probes give up after a second, and one that fails for that ends a process that lives. */
const maxWaitMs = 800;
const rememberedMs = 1000;

export class StoreProof {
	readonly #store: Pick<Store, 'prove'>;
	readonly #now: () => number;
	#asked: { readonly atMs: number; readonly word: Promise<StoreWord> } | undefined;

	/** @param now a clock that nobody sets */
	constructor(store: Pick<Store, 'prove'>, now: () => number = () => performance.now()) {
		this.#store = store;
		this.#now = now;
	}

	/** Resolves within a second. */
	word(): Promise<StoreWord> {
		if (this.#asked === undefined || this.#now() - this.#asked.atMs >= rememberedMs)
			this.#asked = { atMs: this.#now(), word: this.#ask() };
		return this.#asked.word;
	}

	async #ask(): Promise<StoreWord> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<StoreWord>((resolve) => {
			timer = setTimeout(() => resolve('unusable'), maxWaitMs);
		});
		const word = this.#store.prove().then(
			() => 'ok' as const,
			() => 'unusable' as const,
		);
		return Promise.race([word, late]).finally(() => clearTimeout(timer));
	}
}
