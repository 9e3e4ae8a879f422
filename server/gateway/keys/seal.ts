/**
 * Sealed texts: JWE compact serialisation with `dir` and A256GCM (RFC 7516), so that other tools can
 * read them. Synchronous, because every request with a cookie opens one.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyPurpose, KeyRing } from './keyRing.ts';

/** Encrypts a text for one purpose with the current key. */
export function seal(ring: KeyRing, purpose: KeyPurpose, text: string): string {
	const key = ring.current(purpose);
	const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: key.kid })).toString(
		'base64url',
	);
	const iv = randomBytes(12);
	const cipher = createCipheriv('aes-256-gcm', key.bytes, iv).setAAD(Buffer.from(header));
	const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
	return `${header}..${iv.toString('base64url')}.${body.toString('base64url')}.${cipher.getAuthTag().toString('base64url')}`;
}

/** Opens a sealed text; undefined for anything that is not exactly one of ours. */
export function unseal(ring: KeyRing, purpose: KeyPurpose, sealed: string): string | undefined {
	if (sealed.length > 16_384) return undefined;
	const parts = sealed.split('.');
	if (parts.length !== 5 || parts[1] !== '') return undefined;
	try {
		const header: unknown = JSON.parse(Buffer.from(parts[0]!, 'base64url').toString());
		if (typeof header !== 'object' || header === null) return undefined;
		const { alg, enc, kid, ...rest } = header as Record<string, unknown>;
		if (
			alg !== 'dir' ||
			enc !== 'A256GCM' ||
			typeof kid !== 'string' ||
			Object.keys(rest).length > 0
		)
			return undefined;
		const key = ring.find(kid, purpose);
		const [iv, body, tag] = parts.slice(2).map((part) => Buffer.from(part, 'base64url'));
		if (!key || iv!.length !== 12 || tag!.length !== 16) return undefined;
		const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv!, { authTagLength: 16 })
			.setAAD(Buffer.from(parts[0]!))
			.setAuthTag(tag!);
		return Buffer.concat([decipher.update(body!), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}
