/**
 * The sign-in layer of a team server, as an editor uses it. The session token goes to the origin it
 * came from and nowhere else; redirects are never followed with it.
 */

import {
	AppError,
	type ErrorCode,
	isRecord,
	sentenceOfCode,
	teamStrings,
	translatableError,
} from '../../server/protocol/index.ts';

export interface TeamSession {
	readonly token: string;
	readonly userId: string;
}

/** What a refresh led to. `fixed`: the provider gives no refresh tokens. */
export type RefreshedSession =
	| { readonly kind: 'renewed'; readonly session: TeamSession }
	| { readonly kind: 'fixed' | 'ended' | 'revoked' };

/** The editor's own session at the directory, as the team accepts it. */
export interface EditorSession {
	/** Path segment of the provider there. */
	readonly provider: string;
	/** Scopes to ask the editor's provider for, tenant included. */
	readonly scopes: readonly string[];
}

export interface DeviceAuthorization {
	readonly deviceCode: string;
	/** Typed or confirmed on the page. */
	readonly userCode: string;
	readonly page: string;
	readonly expiresInS: number;
	readonly intervalS: number;
}

/** Address of a team server as typed: its origin. Plain HTTP only on this computer. */
export function teamOrigin(address: string): string {
	let url: URL;
	try {
		url = new URL(address.includes('://') ? address : `https://${address}`);
	} catch {
		throw translatableError('invalid_request', teamStrings.notAnAddress, [address]);
	}
	const local = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
	if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
		throw translatableError('invalid_request', teamStrings.needsHttps);
	}
	return url.origin;
}

/** One per origin. */
export class TeamApi {
	readonly origin: string;
	readonly #fetch: typeof fetch;

	constructor(origin: string, fetchImplementation: typeof fetch = fetch) {
		this.origin = origin;
		this.#fetch = fetchImplementation;
	}

	/** Page on which the person signed in there hands a session to this editor. */
	handoffPage(callback: string, challenge: string): string {
		const query = new URLSearchParams({
			callback,
			code_challenge: challenge,
			code_challenge_method: 'S256',
		});
		return `${this.origin}/.auth/handoff?${query}`;
	}

	/** Trades a one-time code for a session. */
	async redeem(provider: string, code: string, verifier: string): Promise<TeamSession> {
		const path = `/.auth/login/${encodeURIComponent(provider)}/token`;
		return session(await this.#post(path, { authorization_code: code, code_verifier: verifier }));
	}

	async beginDevice(): Promise<DeviceAuthorization> {
		const grant = (await this.#post('/.auth/device', {})) as Record<string, unknown>;
		return {
			deviceCode: String(grant['device_code']),
			userCode: String(grant['user_code']),
			page: String(grant['verification_uri_complete'] ?? grant['verification_uri']),
			expiresInS: Number(grant['expires_in'] ?? 600),
			intervalS: Number(grant['interval'] ?? 5),
		};
	}

	/** The session when somebody has approved; `undefined` while waiting, `slow` to ask less often. */
	async pollDevice(deviceCode: string): Promise<TeamSession | undefined | 'slow'> {
		const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
		const response = await this.#send('/.auth/device/token', {
			method: 'POST',
			body: JSON.stringify({ device_code: deviceCode, grant_type: grantType }),
		});
		const body = (await response.json()) as Record<string, unknown>;
		if (response.ok) return session(body);
		if (body['error'] === 'authorization_pending') return undefined;
		if (body['error'] === 'slow_down') return 'slow';
		throw refusal(response.status, body);
	}

	/** A new token for the same session. Throws when nothing can be said: no network, a failing server. */
	async refresh(token: string): Promise<RefreshedSession> {
		const response = await this.#send('/.auth/refresh', { method: 'GET' }, token);
		if (response.status === 400) return { kind: 'fixed' };
		if (response.status === 401) return { kind: 'ended' };
		if (response.status === 403) return { kind: 'revoked' };
		if (!response.ok) throw await problem(response);
		return { kind: 'renewed', session: session(await response.json()) };
	}

	/** Whether the server hands sessions to this address; it would show a refusal otherwise. */
	async allowsCallback(callback: string, challenge: string): Promise<boolean> {
		const page = this.handoffPage(callback, challenge).slice(this.origin.length);
		const response = await this.#send(page, { method: 'GET', redirect: 'manual' });
		await response.body?.cancel();
		if (response.status >= 500) throw await problem(response);
		return response.status !== 403 && response.status !== 400;
	}

	/** The editor's own session, when the team accepts one. */
	async editorSession(): Promise<EditorSession | undefined> {
		const response = await this.#send('/.auth/providers', { method: 'GET' });
		if (!response.ok) throw await problem(response);
		const { providers } = (await response.json()) as { providers?: unknown };
		for (const row of Array.isArray(providers) ? providers : []) {
			const { name, editorSession } = row as { name?: unknown; editorSession?: unknown };
			const { scopes } = (editorSession ?? {}) as { scopes?: unknown };
			if (typeof name === 'string' && Array.isArray(scopes)) {
				return { provider: name, scopes: scopes.map(String) };
			}
		}
		return undefined;
	}

	/** Brings a token of the provider and gets a session for it. */
	async exchange(provider: string, accessToken: string): Promise<TeamSession> {
		const path = `/.auth/login/${encodeURIComponent(provider)}`;
		return session(await this.#post(path, { access_token: accessToken }));
	}

	/** Ends the session there. */
	async signOut(token: string): Promise<void> {
		await this.#send('/.auth/logout', { method: 'POST' }, token);
	}

	/** Name of the person, for the list of accounts. */
	async name(token: string): Promise<string | undefined> {
		const response = await this.#send('/.auth/me', { method: 'GET' }, token);
		if (!response.ok) return undefined;
		const [me] = (await response.json()) as { user_id?: unknown }[];
		return typeof me?.user_id === 'string' ? me.user_id : undefined;
	}

	async #post(path: string, body: object): Promise<unknown> {
		const response = await this.#send(path, { method: 'POST', body: JSON.stringify(body) });
		if (!response.ok) throw await problem(response);
		return response.json();
	}

	async #send(path: string, init: RequestInit, token?: string): Promise<Response> {
		const headers = new Headers({ accept: 'application/json' });
		if (init.body !== undefined) headers.set('content-type', 'application/json');
		if (token !== undefined) headers.set('x-zumo-auth', token);
		try {
			const redirect = token === undefined ? (init.redirect ?? 'error') : 'error';
			return await this.#fetch(this.origin + path, { ...init, headers, redirect });
		} catch (error) {
			throw translatableError('upstream_failed', teamStrings.noAnswer, [this.origin], {
				cause: error,
			});
		}
	}
}

/** When a token ends (milliseconds since 1970), read from its `exp` claim; unknown: `undefined`. */
export function tokenEnd(token: string): number | undefined {
	try {
		const [, claims = ''] = token.split('.');
		const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: unknown };
		return typeof exp === 'number' ? exp * 1000 : undefined;
	} catch {
		return undefined;
	}
}

function session(value: unknown): TeamSession {
	const { authenticationToken: token, user } = (value ?? {}) as {
		authenticationToken?: unknown;
		user?: { userId?: unknown };
	};
	if (typeof token !== 'string' || typeof user?.userId !== 'string') {
		throw translatableError('upstream_failed', teamStrings.noSession);
	}
	return { token, userId: user.userId };
}

async function problem(response: Response): Promise<AppError> {
	const body: unknown = await response.json().catch(() => undefined);
	return refusal(response.status, isRecord(body) ? body : {});
}

/** What the layer refuses, with its code: readers hear it in their language. */
function refusal(status: number, body: Readonly<Record<string, unknown>>): AppError {
	const code: ErrorCode =
		status === 429 ? 'rate_limited' : status >= 500 ? 'upstream_failed' : 'forbidden';
	const refusalCode = [body['code'], body['error']].find((one) => typeof one === 'string');
	const text = ['error_description', 'detail', 'title', 'error']
		.map((field) => body[field])
		.find((part) => typeof part === 'string');
	if (typeof text !== 'string')
		return translatableError(code, teamStrings.answered, [String(status)]);
	return new AppError(code, text, {
		...(sentenceOfCode(refusalCode) === undefined ? {} : { data: { refusalCode } }),
	});
}
