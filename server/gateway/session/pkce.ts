/** Proof keys of native clients (RFC 7636), in base64url and in the plain base64 of an older kit. */

import { createHash, timingSafeEqual } from 'node:crypto';

/** The 32 bytes of an S256 challenge, undefined when it is none. */
export function challengeBytes(challenge: string): Buffer | undefined {
	if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(challenge)) return undefined;
	const bytes = Buffer.from(challenge, 'base64');
	return bytes.length === 32 ? bytes : undefined;
}

/** True when the verifier belongs to the challenge. */
export function verifierFits(verifier: string, challenge: string): boolean {
	const expected = challengeBytes(challenge);
	if (!expected || !/^[A-Za-z0-9+/=._~-]{43,128}$/.test(verifier)) return false;
	return timingSafeEqual(createHash('sha256').update(verifier, 'ascii').digest(), expected);
}

const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/**
 * Four characters that the page and the editor both show, so that a person sees that they belong
 * together: the first 20 bits of SHA-256 of the challenge text, as `K7-TR`.
 */
export function checkPhrase(challenge: string): string {
	const bits = createHash('sha256').update(challenge).digest().readUIntBE(0, 3) >>> 4;
	const text = [15, 10, 5, 0].map((shift) => letters[(bits >>> shift) & 31]).join('');
	return `${text.slice(0, 2)}-${text.slice(2)}`;
}
