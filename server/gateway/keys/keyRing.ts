/**
 * The keys of the layer. Each entry is one secret from which a key per purpose is derived, so a
 * cookie can never be read as a token. The newest valid entry signs; every entry not retired verifies.
 */

import { createHmac, hkdfSync } from 'node:crypto';

/** What a derived key is for. */
export type KeyPurpose =
	| 'cookie-enc'
	| 'login-enc'
	| 'page-enc'
	| 'zumo-sign'
	| 'store-enc'
	| 'assertion-sign';

export interface KeyEntry {
	readonly kid: string;
	/** At least 32 bytes. */
	readonly secret: Buffer;
	/** Key used for session tokens as it is, for apps that mint their own. */
	readonly signingSecret?: Buffer;
	/** Unix ms from which the entry signs. */
	readonly notBefore: number;
	/** Unix ms from which it no longer verifies. */
	readonly retireAfter: number;
}

export interface RingKey {
	readonly kid: string;
	readonly bytes: Buffer;
}

/** Those that seal and sign at a moment. */
export function validAt(entries: readonly KeyEntry[], now: number): readonly KeyEntry[] {
	return entries.filter((entry) => entry.notBefore <= now && entry.retireAfter > now);
}

export class KeyRing {
	#entries: readonly KeyEntry[];
	/** Grows with every {@link replace}: what was concluded from older keys no longer holds. */
	generation = 0;
	readonly #derived = new Map<string, Buffer>();
	readonly #userIdKey: Buffer;
	readonly #now: () => number;

	constructor(entries: readonly KeyEntry[], userIdKey: Buffer, now: () => number) {
		this.#entries = entries;
		this.#userIdKey = userIdKey;
		this.#now = now;
	}

	/** Takes over a new set of entries (rotation); the user id key stays. */
	replace(entries: readonly KeyEntry[]): void {
		this.#entries = entries;
		this.generation++;
		this.#derived.clear();
	}

	get kids(): readonly string[] {
		return this.#entries.map((entry) => entry.kid);
	}

	/** Whether one of the keys seals and signs now. */
	get usable(): boolean {
		return validAt(this.#entries, this.#now()).length > 0;
	}

	/** The key that seals and signs now. */
	current(purpose: KeyPurpose): RingKey {
		const newest = validAt(this.#entries, this.#now()).reduce<KeyEntry | undefined>(
			(best, entry) => (best === undefined || entry.notBefore >= best.notBefore ? entry : best),
			undefined,
		);
		if (!newest) throw new Error('No key of the ring is valid now. Add one to the keys file.');
		return { kid: newest.kid, bytes: this.#derive(newest, purpose) };
	}

	/** The key named by a token, undefined when unknown or retired. */
	find(kid: string, purpose: KeyPurpose): RingKey | undefined {
		const entry = this.#entries.find((row) => row.kid === kid && row.retireAfter > this.#now());
		return entry && { kid, bytes: this.#derive(entry, purpose) };
	}

	/** `sid:` and 32 hex digits: the same for one person at one provider for ever, and unguessable. */
	userId(provider: string, issuer: string, subject: string): string {
		const mac = createHmac('sha256', this.#userIdKey).update(`${provider}\n${issuer}\n${subject}`);
		return `sid:${mac.digest('hex').slice(0, 32)}`;
	}

	#derive(entry: KeyEntry, purpose: KeyPurpose): Buffer {
		if (purpose === 'zumo-sign' && entry.signingSecret) return entry.signingSecret;
		const name = `${entry.kid}\n${purpose}`;
		const known = this.#derived.get(name);
		if (known) return known;
		const bytes = Buffer.from(
			hkdfSync('sha256', entry.secret, '', `nearglot-gateway ${purpose}`, 32),
		);
		this.#derived.set(name, bytes);
		return bytes;
	}
}
