/**
 * Which of several machines joins the results of a batch: the one whose claim lies in the store, for as long as it renews it.
 * Claims spare work and decide nothing: two that join at once do no harm.
 */

import { randomBytes } from 'node:crypto';
import { AppError } from '../protocol/index.ts';
import { keys } from './jobTypes.ts';
import { type ObjectStore, readObject } from './objectStore.ts';

export interface JoinClaimsDeps {
	readonly store: ObjectStore;
	/** Whoever has not renewed a claim for so long has ended. */
	readonly leaseMs: number;
	/** Milliseconds, monotonic. */
	readonly now?: () => number;
}

export class JoinClaims {
	readonly #deps: JoinClaimsDeps;
	readonly #now: () => number;
	/** Claims of others, and since when they stand as they do: clocks of machines are not compared. */
	readonly #seen = new Map<string, { readonly text: string; readonly since: number }>();

	constructor(deps: JoinClaimsDeps) {
		this.#deps = deps;
		this.#now = deps.now ?? (() => performance.now());
	}

	/** Claims a batch until it is disposed of; `undefined` while another machine joins it. */
	async take(batch: string): Promise<AsyncDisposable | undefined> {
		const { store, leaseMs } = this.#deps;
		const key = keys.join(batch);
		const own = randomBytes(8).toString('hex');
		let count = 0;
		const content = (): Uint8Array => Buffer.from(`${own} ${count++}`);
		if (!(await store.putIfAbsent(key, content()))) {
			if (!(await this.#isStale(batch))) return undefined;
			await store.put(key, content());
		}
		this.#seen.delete(batch);
		let renewed: Promise<void> = Promise.resolve();
		const renewal = setInterval(() => {
			renewed = renewed.then(() => store.put(key, content())).catch(() => {});
		}, leaseMs / 3);
		return {
			[Symbol.asyncDispose]: async () => {
				clearInterval(renewal);
				await renewed;
				await store.remove(key).catch(() => {});
			},
		};
	}

	/** What was seen of a batch that has ended. */
	forget(batch: string): void {
		this.#seen.delete(batch);
	}

	async #isStale(batch: string): Promise<boolean> {
		const { store, leaseMs } = this.#deps;
		const text = await readObject(store, keys.join(batch)).then(String, (error: unknown) => {
			// It was given up at this moment: the next look finds none.
			if (error instanceof AppError && error.code === 'not_found') return undefined;
			throw error;
		});
		if (text === undefined) return false;
		const seen = this.#seen.get(batch);
		if (seen?.text === text) return this.#now() - seen.since >= leaseMs;
		this.#seen.set(batch, { text, since: this.#now() });
		return false;
	}
}
