/**
 * Provider tokens, encrypted, in a record of their own: a browser and an editor signed in from it share
 * one refresh token, which may be used only once.
 */

import { randomBytes } from 'node:crypto';
import type { ProviderTokens } from '../identity/signedIn.ts';
import type { KeyRing } from '../keys/keyRing.ts';
import { seal, unseal } from '../keys/seal.ts';
import { type Store, storeError } from '../store/store.ts';

export interface VaultEntry {
	readonly tokens: ProviderTokens;
	/** Grows with every refresh. */
	readonly version: number;
	/** Unix ms of the last refresh. */
	readonly refreshedAt: number;
	/** Sessions that use these tokens; the last one to end takes them along. */
	readonly sids: readonly string[];
}

/** Changes of one record that may come between before a change is given up. */
const maxRounds = 100;

export class TokenVault {
	readonly #store: Store;
	readonly #ring: KeyRing;

	constructor(store: Store, ring: KeyRing) {
		this.#store = store;
		this.#ring = ring;
	}

	async create(tokens: ProviderTokens, sid: string, now: number, ttlMs: number): Promise<string> {
		const ref = randomBytes(18).toString('base64url');
		const entry: VaultEntry = { tokens, version: 1, refreshedAt: now, sids: [sid] };
		await this.#store.set(recordOf(ref), this.#seal(entry), ttlMs);
		return ref;
	}

	/** Undefined when there are none, or when they were sealed with a retired key. */
	async read(ref: string): Promise<VaultEntry | undefined> {
		return this.#open(await this.#store.get(recordOf(ref)));
	}

	/** Keeps refreshed tokens in place of those of `version`; false when these are gone or others came first. */
	refresh(
		ref: string,
		version: number,
		tokens: ProviderTokens,
		now: number,
		ttlMs: number,
	): Promise<boolean> {
		return this.#change(ref, ttlMs, (entry) =>
			entry.version === version
				? { ...entry, tokens, version: version + 1, refreshedAt: now }
				: 'leave',
		);
	}

	async share(ref: string, sid: string, ttlMs: number): Promise<void> {
		await this.#change(ref, ttlMs, (entry) => ({
			...entry,
			sids: [...entry.sids, sid].slice(-64),
		}));
	}

	/** Ends the share of a session; the last one takes the tokens along. */
	async release(ref: string, sid: string, ttlMs: number): Promise<void> {
		await this.#change(ref, ttlMs, (entry) => {
			const sids = entry.sids.filter((other) => other !== sid);
			return sids.length === 0 ? 'delete' : { ...entry, sids };
		});
	}

	/** Makes a change to what stands there at that moment, again when another change came between. */
	async #change(
		ref: string,
		ttlMs: number,
		change: (entry: VaultEntry) => VaultEntry | 'delete' | 'leave',
	): Promise<boolean> {
		for (let round = 0; round < maxRounds; round++) {
			const sealed = await this.#store.get(recordOf(ref));
			const entry = this.#open(sealed);
			if (sealed === undefined || !entry) return false;
			const next = change(entry);
			if (next === 'leave') return false;
			const value = next === 'delete' ? undefined : this.#seal(next);
			if (await this.#store.replace(recordOf(ref), sealed, value, ttlMs)) return true;
		}
		throw storeError(new Error('a record of tokens changes all the time'));
	}

	#seal(entry: VaultEntry): string {
		return seal(this.#ring, 'store-enc', JSON.stringify(entry));
	}

	#open(sealed: string | undefined): VaultEntry | undefined {
		const text = sealed === undefined ? undefined : unseal(this.#ring, 'store-enc', sealed);
		return text === undefined ? undefined : (JSON.parse(text) as VaultEntry);
	}
}

const recordOf = (ref: string) => `t:${ref}`;
