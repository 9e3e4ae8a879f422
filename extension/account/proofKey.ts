/** Proof keys of a sign-in (RFC 7636), and the phrase by which a person recognises their own. */

import { createHash, randomBytes } from 'node:crypto';

export interface ProofKey {
	readonly verifier: string;
	/** SHA-256 of the verifier, base64url. */
	readonly challenge: string;
	/** Shown by the editor and by the page, such as `K7-TR`. */
	readonly phrase: string;
}

/** A new key; never used twice. */
export function newProofKey(): ProofKey {
	const verifier = randomBytes(32).toString('base64url');
	const challenge = createHash('sha256').update(verifier, 'ascii').digest('base64url');
	return { verifier, challenge, phrase: proofPhrase(challenge) };
}

const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** The first 20 bits of SHA-256 of the challenge as four letters; the team server computes the same. */
export function proofPhrase(challenge: string): string {
	const bits = createHash('sha256').update(challenge).digest().readUIntBE(0, 3) >>> 4;
	const text = [15, 10, 5, 0].map((shift) => letters[(bits >>> shift) & 31]).join('');
	return `${text.slice(0, 2)}-${text.slice(2)}`;
}
