/**
 * Which of several machines cuts a batch or joins its results: the one whose claim lies in the store, for as long as it
 * gets on. Claims spare work and decide nothing: two that join at once do no harm.
 */

import { randomBytes } from 'node:crypto';
import { AppError } from '../protocol/index.ts';
import { type ObjectStore, readObject } from './objectStore.ts';

export interface JoinClaimsDeps {
	readonly store: ObjectStore;
	/** Where the claim of a batch lies. */
	readonly keyOf: (batch: string) => string;
	/** Whoever has not renewed a claim for so long has ended, or does not get on. */
	readonly leaseMs: number;
	/** Milliseconds, monotonic. */
	readonly now?: () => number;
}

export interface BatchClaim extends AsyncDisposable {
	/** The work gets on: a claim of which that is not told is renewed no more, and another machine takes it over. */
	moved(): void;
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

	/** Claims a batch until it is disposed of; `undefined` while another machine has it. */
	async take(batch: string): Promise<BatchClaim | undefined> {
		const { store, keyOf, leaseMs } = this.#deps;
		const key = keyOf(batch);
		const own = randomBytes(8).toString('hex');
		let count = 0;
		const content = (): Uint8Array => Buffer.from(`${own} ${count++}`);
		if (!(await store.putIfAbsent(key, content()))) {
			if (!(await this.#isStale(batch))) return undefined;
			await store.put(key, content());
		}
		this.#seen.delete(batch);
		let renewed: Promise<void> = Promise.resolve();
		let hasMoved = false;
		const renewal = setInterval(() => {
			if (!hasMoved) return;
			hasMoved = false;
			renewed = renewed.then(() => store.put(key, content())).catch(() => {});
		}, leaseMs / 3);
		return {
			moved: () => {
				hasMoved = true;
			},
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
		const { store, keyOf, leaseMs } = this.#deps;
		const text = await readObject(store, keyOf(batch)).then(String, (error: unknown) => {
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
