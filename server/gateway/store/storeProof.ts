/** State of the store for probes. However many requests come, the store is written to about once a second. */

import type { Store } from './store.ts';

/** `unusable`: it cannot be reached, is full, may only be read, or does not answer in time. */
export type StoreState = 'ok' | 'unusable';

/** Probes give up after a second, and one that fails for that ends a process that lives. */
const maxWaitMs = 800;
const rememberedMs = 1000;

export class StoreProof {
	readonly #store: Pick<Store, 'prove'>;
	readonly #now: () => number;
	#last: { readonly atMs: number; readonly state: Promise<StoreState> } | undefined;

	/** @param now a clock that nobody sets */
	constructor(store: Pick<Store, 'prove'>, now: () => number = () => performance.now()) {
		this.#store = store;
		this.#now = now;
	}

	/** Resolves within a second. */
	state(): Promise<StoreState> {
		if (this.#last === undefined || this.#now() - this.#last.atMs >= rememberedMs)
			this.#last = { atMs: this.#now(), state: this.#prove() };
		return this.#last.state;
	}

	async #prove(): Promise<StoreState> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<StoreState>((resolve) => {
			timer = setTimeout(() => resolve('unusable'), maxWaitMs);
		});
		const state = this.#store.prove().then(
			() => 'ok' as const,
			() => 'unusable' as const,
		);
		return Promise.race([state, late]).finally(() => clearTimeout(timer));
	}
}
