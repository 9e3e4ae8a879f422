/**
 * Provider tokens, encrypted, in a record of their own: a browser and an editor signed in from it share
 * one refresh token, which may be used only once.
 */

import { randomBytes } from 'node:crypto';
import type { ProviderTokens } from '../identity/signedIn.ts';
import type { KeyRing } from '../keys/keyRing.ts';
import { seal, unseal } from '../keys/seal.ts';
import type { Store } from '../store/store.ts';

export interface VaultEntry {
	readonly tokens: ProviderTokens;
	/** Grows with every refresh. */
	readonly version: number;
	/** Unix ms of the last refresh. */
	readonly refreshedAt: number;
	/** Sessions that use these tokens; the last one to end takes them along. */
	readonly sids: readonly string[];
}

export class TokenVault {
	readonly #store: Store;
	readonly #ring: KeyRing;

	constructor(store: Store, ring: KeyRing) {
		this.#store = store;
		this.#ring = ring;
	}

	async create(tokens: ProviderTokens, sid: string, now: number, ttlMs: number): Promise<string> {
		const ref = randomBytes(18).toString('base64url');
		await this.write(ref, { tokens, version: 1, refreshedAt: now, sids: [sid] }, ttlMs);
		return ref;
	}

	/** Undefined when there are none, or when they were sealed with a retired key. */
	async read(ref: string): Promise<VaultEntry | undefined> {
		const sealed = await this.#store.get(`t:${ref}`);
		const text = sealed === undefined ? undefined : unseal(this.#ring, 'store-enc', sealed);
		return text === undefined ? undefined : (JSON.parse(text) as VaultEntry);
	}

	async write(ref: string, entry: VaultEntry, ttlMs: number): Promise<void> {
		await this.#store.set(`t:${ref}`, seal(this.#ring, 'store-enc', JSON.stringify(entry)), ttlMs);
	}

	async share(ref: string, sid: string, ttlMs: number): Promise<void> {
		const entry = await this.read(ref);
		if (entry) await this.write(ref, { ...entry, sids: [...entry.sids, sid].slice(-64) }, ttlMs);
	}

	async release(ref: string, sid: string, ttlMs: number): Promise<void> {
		const entry = await this.read(ref);
		if (!entry) return;
		const sids = entry.sids.filter((other) => other !== sid);
		if (sids.length === 0) await this.#store.delete(`t:${ref}`);
		else await this.write(ref, { ...entry, sids }, ttlMs);
	}
}
