/** The session token clients send as `X-ZUMO-AUTH`: a JWT (HS256) that names a session. */

import { errors, jwtVerify, SignJWT } from 'jose';
import { LruMap } from '../../protocol/lruMap.ts';
import type { KeyRing } from '../keys/keyRing.ts';
import type { GatewaySession } from './sessions.ts';

export interface TokenContext {
	readonly ring: KeyRing;
	/** `https://host/` with the trailing slash. */
	readonly issuer: string;
	readonly now: () => number;
	/** Tokens found good a moment ago. */
	readonly verified: LruMap<string, VerifiedToken>;
}

/** A signature that was checked; times and revocation are looked at on every request. */
export interface VerifiedToken {
	readonly sid: string;
	readonly userId: string;
	/** Unix ms. */
	readonly expiresAt: number;
	readonly checkedAt: number;
	readonly generation: number;
}

export type SessionTokenCheck =
	| { readonly kind: 'valid'; readonly sid: string; readonly userId: string }
	| {
			readonly kind: 'expired';
			readonly sid: string;
			readonly userId: string;
			readonly expiredAt: number;
	  }
	| { readonly kind: 'invalid' };

/** Clock difference between replicas that is forgiven, in seconds. */
const toleranceS = 60;
/** How long a checked signature is remembered: a chat sends many requests with one token. */
const verifiedMs = 5000;

export const verifiedTokens = (): TokenContext['verified'] => new LruMap(5000);

export async function mintToken(session: GatewaySession, context: TokenContext): Promise<string> {
	const key = context.ring.current('zumo-sign');
	return new SignJWT({ idp: session.provider, ver: '3' })
		.setProtectedHeader({ typ: 'JWT', alg: 'HS256', kid: key.kid })
		.setSubject(session.userId)
		.setIssuer(context.issuer)
		.setAudience(context.issuer)
		.setJti(session.sid)
		.setNotBefore(Math.floor(context.now() / 1000))
		.setIssuedAt(Math.floor(context.now() / 1000))
		.setExpirationTime(Math.floor(session.expiresAt / 1000))
		.sign(key.bytes);
}

/** Checks signature, algorithm, key id, issuer, audience and times. Whether the session lives is not asked here. */
export async function checkToken(token: string, context: TokenContext): Promise<SessionTokenCheck> {
	if (token.length > 8192) return { kind: 'invalid' };
	const known = context.verified.get(token);
	const now = context.now();
	if (
		known &&
		known.generation === context.ring.generation &&
		now - known.checkedAt < verifiedMs &&
		now < known.expiresAt
	) {
		return { kind: 'valid', sid: known.sid, userId: known.userId };
	}
	try {
		const { payload } = await jwtVerify(
			token,
			({ kid }) => {
				const key = kid === undefined ? undefined : context.ring.find(kid, 'zumo-sign');
				if (!key) throw new errors.JWKSNoMatchingKey();
				return key.bytes;
			},
			{
				algorithms: ['HS256'],
				issuer: context.issuer,
				audience: context.issuer,
				requiredClaims: ['jti', 'sub', 'exp'],
				clockTolerance: toleranceS,
				currentDate: new Date(context.now()),
			},
		);
		context.verified.set(token, {
			sid: payload.jti!,
			userId: payload.sub!,
			expiresAt: payload.exp! * 1000,
			checkedAt: now,
			generation: context.ring.generation,
		});
		return { kind: 'valid', sid: payload.jti!, userId: payload.sub! };
	} catch (error) {
		// jose checks the expiry last, after signature, issuer and audience.
		if (
			error instanceof errors.JWTExpired &&
			error.payload.jti &&
			error.payload.sub &&
			error.payload.exp
		) {
			return {
				kind: 'expired',
				sid: error.payload.jti,
				userId: error.payload.sub,
				expiredAt: error.payload.exp * 1000,
			};
		}
		return { kind: 'invalid' };
	}
}
