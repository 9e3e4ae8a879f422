/**
 * How a daemon and a client prove each other that they know the secret in `endpoint.json`, which only the user can
 * read, without saying it. A port or a pipe of a daemon that has ended may belong to anybody by now: no key is sent
 * there before it has proved that it is still the one of the file. The secret is new at each start and not the
 * key, which a person may have chosen and others could then find by trying.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Who proves: what one side has said is no proof of the other. */
export type ProofSide = 'server' | 'client';

export const newProofSecret = (): string => randomBytes(24).toString('base64url');

/** What the other side has to prove itself with: never the same twice. */
export const newChallenge = (): string => randomBytes(24).toString('base64url');

/** Characters of a challenge at most. */
export const maxChallengeChars = 128;

/** HMAC-SHA-256 of side and challenge, in base64url. */
export function proofOf(secret: string, side: ProofSide, challenge: string): string {
	return createHmac('sha256', secret).update(`${side}\n${challenge}`).digest('base64url');
}

/** Whether this proves it; takes as long for any wrong proof. Without a secret nothing does. */
export function isProof(
	given: unknown,
	secret: string,
	side: ProofSide,
	challenge: string,
): boolean {
	if (typeof given !== 'string' || secret === '') return false;
	const [found, wanted] = [given, proofOf(secret, side, challenge)].map((text) =>
		Buffer.from(text),
	) as [Buffer, Buffer];
	return found.length === wanted.length && timingSafeEqual(found, wanted);
}
