/** Tokens that an emulated provider gives and reads: what real ones hold, signed by nobody. */

import { decodeJwt, type JWTPayload, UnsecuredJWT } from 'jose';
import type { ProviderKind, ProviderSettings } from '../config/gatewaySettings.ts';
import type { ProviderTokens } from '../identity/signedIn.ts';

const lifeS = 3600;

/** Kinds that name the person in an id token and give a refresh token with it. */
const withIdToken: readonly ProviderKind[] = ['aad', 'microsoftaccount', 'google', 'apple', 'oidc'];

export function issuerOf({ name }: ProviderSettings): string {
	return `emulated:${name}`;
}

/** The payload with what every token says of itself. */
export function issued(settings: ProviderSettings, payload: JWTPayload, nowMs: number): JWTPayload {
	const iat = Math.floor(nowMs / 1000);
	return { ...payload, iss: issuerOf(settings), aud: settings.clientId, iat, exp: iat + lifeS };
}

/** The tokens that a provider of this kind would give for a payload. */
export function tokensFor({ kind }: ProviderSettings, payload: JWTPayload): ProviderTokens {
	const token = new UnsecuredJWT(payload).encode();
	return {
		accessToken: token,
		...(payload.exp === undefined ? {} : { expiresAt: payload.exp * 1000 }),
		...(withIdToken.includes(kind) ? { idToken: token, refreshToken: token } : {}),
		...(kind === 'twitter' ? { accessTokenSecret: 'emulated' } : {}),
	};
}

/** What a token holds, whoever signed it; `undefined` when it is no JWT that names somebody, or has expired. */
export function payloadOf(
	token: string,
	nowMs: number,
): (JWTPayload & { readonly sub: string }) | undefined {
	try {
		const payload = decodeJwt(token);
		const { sub, exp = Number.POSITIVE_INFINITY } = payload;
		return typeof sub === 'string' && sub !== '' && exp * 1000 > nowMs
			? { ...payload, sub }
			: undefined;
	} catch {
		return undefined;
	}
}
