/** Who is calling? Reads the session token, the cookie or a Bearer token of a provider, never mixing them. */

import { decodeJwt } from 'jose';
import type { GatewayContext } from '../context.ts';
import type { SignedIn } from '../identity/signedIn.ts';
import { ProviderError } from '../providers/provider.ts';
import { valuesOf } from '../proxy/rawHeaders.ts';
import { header, type RequestHead } from '../proxy/requestHead.ts';
import { parseCookies } from '../session/cookies.ts';
import { findSessionCookie } from '../session/sessionCookie.ts';
import type { GatewaySession } from '../session/sessions.ts';
import { checkToken } from '../session/sessionToken.ts';

export type Identity =
	| {
			readonly kind: 'anonymous';
			/** There were several session cookies, of which at least one is not ours. */
			readonly severalCookies?: true;
	  }
	| {
			readonly kind: 'session';
			readonly session: GatewaySession;
			readonly via: 'cookie' | 'token';
			/** Ended, but still within the refresh window. */
			readonly expired: boolean;
			/** The token came as Bearer, which the app must not see. */
			readonly inAuthorization?: boolean;
	  }
	| { readonly kind: 'bearer'; readonly person: SignedIn }
	/** A Bearer token of a configured provider that is not good. */
	| { readonly kind: 'refused'; readonly reason: string };

const anonymous: Identity = { kind: 'anonymous' };

/**
 * Finds the caller. A session token wins over a cookie, even a bad one over a good cookie. A Bearer
 * that names none of our providers is not looked at.
 *
 * @param fresh Asks the store itself, for sign-out and refresh.
 * @throws AppError `store_unavailable`; ProviderError `unreachable`.
 */
export async function authenticate(
	head: RequestHead,
	context: GatewayContext,
	signal: AbortSignal,
	fresh = false,
): Promise<Identity> {
	const token = header(head, 'x-zumo-auth');
	if (token !== undefined) return fromToken(token, context, fresh);
	const fromBearer = await bearer(head, context, signal, fresh);
	if (fromBearer) return fromBearer;
	const cookies = parseCookies(valuesOf(head.headers, 'cookie'));
	const found = findSessionCookie(cookies, context);
	if (found.kind === 'several') return { kind: 'anonymous', severalCookies: true };
	const session = found.kind === 'none' ? undefined : await findSession(found.sid, context, fresh);
	if (session?.kind !== 'browser' || !context.providers.find(session.provider)) return anonymous;
	return { kind: 'session', session, via: 'cookie', expired: context.sessions.isExpired(session) };
}

/** The session of the browser that calls, by its cookie alone; undefined when it has none or has ended. */
export async function browserSession(call: {
	readonly head: RequestHead;
	readonly context: GatewayContext;
	readonly signal: AbortSignal;
}): Promise<GatewaySession | undefined> {
	const identity = await authenticate(call.head, call.context, call.signal, true);
	return identity.kind === 'session' && identity.via === 'cookie' && !identity.expired
		? identity.session
		: undefined;
}

/** A remembered session that has ended may have been refreshed at another replica in the meantime. */
async function findSession(
	sid: string,
	context: GatewayContext,
	fresh: boolean,
): Promise<GatewaySession | undefined> {
	const session = await context.sessions.find(sid, fresh);
	const doubtful = !fresh && session !== undefined && context.sessions.isExpired(session);
	return doubtful ? context.sessions.find(sid, true) : session;
}

async function fromToken(
	token: string,
	context: GatewayContext,
	fresh: boolean,
): Promise<Identity> {
	const checked = await checkToken(token, context.tokens);
	if (checked.kind === 'invalid') return anonymous;
	const session = await findSession(checked.sid, context, fresh);
	if (!session || session.kind === 'browser' || session.userId !== checked.userId) return anonymous;
	if (!context.providers.find(session.provider)) return anonymous;
	if (checked.kind === 'expired') {
		const age = context.now() - checked.expiredAt;
		if (age > context.settings.login.refreshWindowMs) return anonymous;
		return { kind: 'session', session, via: 'token', expired: true };
	}
	return { kind: 'session', session, via: 'token', expired: context.sessions.isExpired(session) };
}

async function bearer(
	head: RequestHead,
	context: GatewayContext,
	signal: AbortSignal,
	fresh: boolean,
): Promise<Identity | undefined> {
	const match = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header(head, 'authorization') ?? '');
	if (!match) return undefined;
	if (issuerOf(match[1]!) === context.tokens.issuer) return ownBearer(match[1]!, context, fresh);
	for (const provider of context.providers.all) {
		try {
			const person = await provider.bearer(match[1]!, signal);
			if (person) return { kind: 'bearer', person };
		} catch (error) {
			if (error instanceof ProviderError && error.failure === 'rejected')
				return { kind: 'refused', reason: error.message };
			throw error;
		}
	}
	return undefined;
}

/** Clients that only know API keys (chat kits) may send the session token as one. */
async function ownBearer(
	token: string,
	context: GatewayContext,
	fresh: boolean,
): Promise<Identity> {
	const identity = await fromToken(token, context, fresh);
	if (identity.kind === 'session') return { ...identity, inAuthorization: true };
	return {
		kind: 'refused',
		reason: 'The session token is not valid here or has ended. Sign in again.',
	};
}

function issuerOf(token: string): string | undefined {
	try {
		return decodeJwt(token).iss;
	} catch {
		return undefined;
	}
}
