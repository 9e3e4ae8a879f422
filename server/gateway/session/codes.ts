/** One-time codes: 256 random bits, kept as a hash for a minute, gone with the first use. */

import { createHash, randomBytes } from 'node:crypto';
import type { Store } from '../store/store.ts';
import { verifierFits } from './pkce.ts';

export interface CodeGrant {
	readonly provider: string;
	readonly sid: string;
	readonly challenge: string;
	/** Where the code was sent. */
	readonly callback: string;
	readonly host: string;
}

const lifeMs = 60_000;

export async function issueCode(store: Store, grant: CodeGrant): Promise<string> {
	const code = randomBytes(32).toString('base64url');
	await store.set(`c:${hash(code)}`, JSON.stringify(grant), lifeMs);
	return code;
}

/**
 * Redeems a code. It is burnt by any try, also with the wrong verifier, provider or host.
 *
 * @returns The grant, or undefined when the code is unknown, used, too old or not the caller's.
 */
export async function redeemCode(
	store: Store,
	code: string,
	verifier: string,
	provider: string,
	host: string,
): Promise<CodeGrant | undefined> {
	if (!/^[A-Za-z0-9_-]{43}$/.test(code)) return undefined;
	const text = await store.take(`c:${hash(code)}`);
	if (text === undefined) return undefined;
	const grant = JSON.parse(text) as CodeGrant;
	const fits =
		grant.provider === provider && grant.host === host && verifierFits(verifier, grant.challenge);
	return fits ? grant : undefined;
}

function hash(code: string): string {
	return createHash('sha256').update(code).digest('hex');
}
