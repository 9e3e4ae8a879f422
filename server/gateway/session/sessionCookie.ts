/**
 * The session cookie: nothing but a sealed session id. On HTTPS its name begins with `__Host-`, so that no
 * other host and no plain HTTP can set one; two of them are none.
 */

import type { GatewayContext } from '../context.ts';
import { seal, unseal } from '../keys/seal.ts';
import { type Cookie, sessionCookies, withoutPrefix, writeCookie } from './cookies.ts';
import type { GatewaySession } from './sessions.ts';

interface Sealed {
	readonly sid: string;
	/** When the cookie was made, Unix seconds. */
	readonly iat: number;
	/** It was made for a name that begins with `__Host-`, and counts under no other. */
	readonly host?: true;
}

export type FoundCookie =
	| { readonly kind: 'none' }
	| { readonly kind: 'several' }
	| { readonly kind: 'one'; readonly sid: string };

/** `Set-Cookie` lines that give the browser a session, and take from it one under the name of before. */
export function giveSession(
	session: GatewaySession,
	sent: readonly Cookie[],
	context: GatewayContext,
): string[] {
	const { cookieName } = context.settings.login;
	const sealed: Sealed = {
		sid: session.sid,
		iat: Math.floor(context.now() / 1000),
		...(hasHostPrefix(cookieName) ? { host: true } : {}),
	};
	const value = seal(context.ring, 'cookie-enc', JSON.stringify(sealed));
	const others = sessionCookies(sent, cookieName).filter(({ name }) => name !== cookieName);
	return [
		...removals(others, context),
		writeCookie(cookieName, value, { secure: isSecure(context), sameSite: 'Lax' }),
	];
}

/** `Set-Cookie` lines that take every session cookie from the browser. */
export function removeSession(sent: readonly Cookie[], context: GatewayContext): string[] {
	const { cookieName } = context.settings.login;
	const others = sessionCookies(sent, cookieName).filter(({ name }) => name !== cookieName);
	return removals([{ name: cookieName, value: '' }, ...others], context);
}

/** Ids in all session cookies that were sent, whether they count or not: signing out ends them all. */
export function sentSessionIds(cookies: readonly Cookie[], context: GatewayContext): string[] {
	return sessionCookies(cookies, context.settings.login.cookieName).flatMap(({ value }) => {
		const sealed = open(value, context);
		return sealed ? [sealed.sid] : [];
	});
}

/** The session a browser's cookies name. */
export function findSessionCookie(
	cookies: readonly Cookie[],
	context: GatewayContext,
): FoundCookie {
	const { login } = context.settings;
	const [cookie, ...more] = sessionCookies(cookies, login.cookieName);
	if (!cookie) return { kind: 'none' };
	if (more.length > 0) return { kind: 'several' };
	const sealed = open(cookie.value, context);
	if (!sealed) return { kind: 'none' };
	if (cookie.name === login.cookieName) return { kind: 'one', sid: sealed.sid };
	return isOfBefore(cookie, sealed, context) ? { kind: 'one', sid: sealed.sid } : { kind: 'none' };
}

/**
 * Earlier versions gave their cookie no prefix. It counts until the session it was given for would have
 * ended, so that nobody is signed out by an update; none of that name is given any more.
 */
function isOfBefore(cookie: Cookie, { iat, host }: Sealed, context: GatewayContext): boolean {
	const { cookieName, sessionMs } = context.settings.login;
	const ageMs = context.now() - iat * 1000;
	return (
		cookie.name === withoutPrefix(cookieName) &&
		hasHostPrefix(cookieName) &&
		host === undefined &&
		ageMs < sessionMs
	);
}

function open(value: string, context: GatewayContext): Sealed | undefined {
	const text = unseal(context.ring, 'cookie-enc', value);
	if (text === undefined) return undefined;
	const { sid, iat, host } = JSON.parse(text) as Partial<Sealed>;
	if (typeof sid !== 'string' || typeof iat !== 'number') return undefined;
	return { sid, iat, ...(host === true ? { host } : {}) };
}

function removals(cookies: readonly Cookie[], context: GatewayContext): string[] {
	const names = new Set(cookies.map(({ name }) => name));
	return [...names].map((name) =>
		writeCookie(name, '', { secure: isSecure(context), sameSite: 'Lax', maxAgeS: 0 }),
	);
}

const hasHostPrefix = (name: string): boolean => name.startsWith('__Host-');

const isSecure = ({ settings }: GatewayContext): boolean =>
	settings.publicUrl.protocol === 'https:';
