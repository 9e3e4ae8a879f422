/** A short signed statement for the app (EdDSA), so that it need not trust the network between. */

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { KeyRing } from '../keys/keyRing.ts';
import type { GatewaySession } from '../session/sessions.ts';

const lifeS = 60;
/** DER prefix of an Ed25519 private key (RFC 8410). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export class Assertions {
	readonly #ring: KeyRing;
	readonly #issuer: string;
	readonly #audience: string;
	readonly #now: () => number;
	readonly #keys = new Map<string, KeyObject>();

	constructor(ring: KeyRing, issuer: string, audience: string, now: () => number) {
		this.#ring = ring;
		this.#issuer = issuer;
		this.#audience = audience;
		this.#now = now;
	}

	/** Signed statement about one session, valid for a minute. */
	async sign(session: Pick<GatewaySession, 'userId' | 'provider' | 'name'>): Promise<string> {
		const key = this.#ring.current('assertion-sign');
		const now = Math.floor(this.#now() / 1000);
		return new SignJWT({ idp: session.provider, name: session.name })
			.setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: key.kid })
			.setSubject(session.userId)
			.setIssuer(this.#issuer)
			.setAudience(this.#audience)
			.setIssuedAt(now)
			.setExpirationTime(now + lifeS)
			.sign(this.#privateKey(key.bytes));
	}

	/** Public keys, as a JWK set. */
	publicKeys(): { readonly keys: readonly Record<string, unknown>[] } {
		const keys = this.#ring.kids.flatMap((kid) => {
			const key = this.#ring.find(kid, 'assertion-sign');
			if (!key) return [];
			const jwk = createPublicKey(this.#privateKey(key.bytes)).export({ format: 'jwk' });
			return [{ ...jwk, kid, alg: 'EdDSA', use: 'sig' }];
		});
		return { keys };
	}

	#privateKey(seed: Buffer): KeyObject {
		const id = createHash('sha256').update(seed).digest('base64');
		const known = this.#keys.get(id);
		if (known) return known;
		const key = createPrivateKey({
			key: Buffer.concat([pkcs8, seed]),
			format: 'der',
			type: 'pkcs8',
		});
		this.#keys.set(id, key);
		return key;
	}
}
