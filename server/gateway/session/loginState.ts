/**
 * The state of a login that has begun, kept only in a sealed cookie so that any replica can finish it.
 * Nonce and PKCE verifier are derived from the random state, which keeps the cookie small.
 */

import { createHmac, randomBytes, randomInt } from 'node:crypto';
import { defined } from '../../protocol/defined.ts';
import type { GatewaySettings } from '../config/gatewaySettings.ts';
import type { KeyRing } from '../keys/keyRing.ts';
import { seal, unseal } from '../keys/seal.ts';
import { type Cookie, type CookieOptions, loginCookieName, writeCookie } from './cookies.ts';

/** What the login ends in. */
export type LoginMode =
	| { readonly kind: 'browser' }
	| {
			readonly kind: 'token';
			/** Allowed address outside that gets the result, undefined for the completion page. */
			readonly redirect?: string;
			/** PKCE challenge of a native client: it gets a code instead of the token. */
			readonly challenge?: string;
			readonly completion?: 'postMessage' | 'iframe';
			readonly origin?: string;
	  };

export interface LoginState {
	/** Value of the `state` parameter; its first character is the slot of the cookie. */
	readonly state: string;
	readonly provider: string;
	readonly returnTo: string;
	readonly mode: LoginMode;
	/** Unix ms. */
	readonly issuedAt: number;
	/** Key the secrets are derived from. */
	readonly kid: string;
	/** How often this login was begun again because it took too long. */
	readonly retry: number;
	/** Secret of an OAuth 1.0a request token. */
	readonly memo?: string;
}

/** What a login is for. */
export type LoginRequest = Pick<LoginState, 'provider' | 'returnTo' | 'mode' | 'retry'>;

export interface LoginSecrets {
	readonly nonce: string;
	/** PKCE verifier, 43 characters. */
	readonly verifier: string;
}

const slots = 8;
const lifeMs = 600_000;
/** Of all login cookies together; browsers and servers give cookies about 4 kB. */
const maxBytes = 3400;

export interface LoginCookies {
	/** State of a slot; undefined when absent, foreign or older than ten minutes. */
	find(cookies: readonly Cookie[], state: string): LoginState | undefined;
	/** `Set-Cookie` lines: the new one, and removals that keep the total small. */
	write(
		login: LoginState,
		cookies: readonly Cookie[],
		sameSite: CookieOptions['sameSite'],
	): string[];
	remove(state: string): string;
	/** A login with a fresh state in a free slot. */
	begin(cookies: readonly Cookie[], asked: LoginRequest): LoginState;
	secrets(login: LoginState): LoginSecrets;
}

export function createLoginCookies(
	ring: KeyRing,
	settings: GatewaySettings,
	now: () => number,
): LoginCookies {
	const secure = settings.publicUrl.protocol === 'https:';
	const nameOf = (slot: string) => `${secure ? '__Host-' : ''}${loginCookieName}${slot}`;
	const read = (value: string): LoginState | undefined => {
		const text = unseal(ring, 'login-enc', value);
		if (text === undefined) return undefined;
		const [state, provider, returnTo, mode, issuedAt, kid, retry, memo] = JSON.parse(text) as [
			string,
			string,
			string,
			LoginMode,
			number,
			string,
			number,
			string?,
		];
		if (now() - issuedAt > lifeMs) return undefined;
		return {
			state,
			provider,
			returnTo,
			mode,
			issuedAt,
			kid,
			retry,
			...defined({ memo }),
		};
	};
	const alive = (cookies: readonly Cookie[]) =>
		[...Array(slots).keys()].flatMap((slot) => {
			const name = nameOf(String(slot));
			const cookie = cookies.find((row) => row.name === name);
			const login = cookie && read(cookie.value);
			return cookie
				? [
						{
							slot: String(slot),
							bytes: name.length + cookie.value.length + 3,
							issuedAt: login?.issuedAt ?? 0,
						},
					]
				: [];
		});
	const derive = (login: LoginState, label: string) => {
		const key = ring.find(login.kid, 'login-enc') ?? ring.current('login-enc');
		return createHmac('sha256', key.bytes).update(`${label}\n${login.state}`).digest('base64url');
	};

	return {
		find(cookies, state) {
			const slot = state.slice(0, 1);
			const cookie = cookies.find((row) => row.name === nameOf(slot));
			const login = cookie && read(cookie.value);
			return login?.state === state ? login : undefined;
		},
		begin(cookies, asked) {
			const taken = alive(cookies);
			const free = [...Array(slots).keys()]
				.map(String)
				.filter((slot) => !taken.some((row) => row.slot === slot));
			// Free slots are drawn by chance, so that tabs opened in the same moment rarely meet in one.
			const slot =
				free[randomInt(Math.max(1, free.length))] ??
				taken.sort((a, b) => a.issuedAt - b.issuedAt)[0]!.slot;
			return {
				...asked,
				state: `${slot}${randomBytes(18).toString('base64url')}`,
				issuedAt: now(),
				kid: ring.current('login-enc').kid,
			};
		},
		write(login, cookies, sameSite) {
			const { state, provider, returnTo, mode, issuedAt, kid, retry, memo } = login;
			const row = [
				state,
				provider,
				returnTo,
				mode,
				issuedAt,
				kid,
				retry,
				...(memo === undefined ? [] : [memo]),
			];
			const value = seal(ring, 'login-enc', JSON.stringify(row));
			const name = nameOf(state.slice(0, 1));
			const lines = [writeCookie(name, value, { secure, sameSite, maxAgeS: lifeMs / 1000 })];
			let total = name.length + value.length + 3;
			const others = alive(cookies).filter((other) => other.slot !== state.slice(0, 1));
			for (const other of others.sort((a, b) => b.issuedAt - a.issuedAt)) {
				total += other.bytes;
				if (total > maxBytes)
					lines.push(writeCookie(nameOf(other.slot), '', { secure, sameSite, maxAgeS: 0 }));
			}
			return lines;
		},
		remove: (state) =>
			writeCookie(nameOf(state.slice(0, 1)), '', { secure, sameSite: 'Lax', maxAgeS: 0 }),
		secrets: (login) => ({ nonce: derive(login, 'nonce'), verifier: derive(login, 'pkce') }),
	};
}
