/** An OpenID Connect provider in the test: signs everybody in, and can be told to misbehave. */

import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';

interface Pending {
	readonly nonce: string;
	readonly challenge: string;
	readonly redirectUri: string;
	readonly claims: JWTPayload;
}

/** One for all providers of a test file: making one is slow, and who signed is told by the issuer. */
const keyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });

export class FakeProvider implements AsyncDisposable {
	readonly clientId = 'corp-client';
	readonly clientSecret = 'corp-secret';
	/** Claims of the next person. */
	claims: JWTPayload = {
		sub: 'alice',
		email: 'alice@corp.example',
		email_verified: true,
		name: 'Alice',
	};
	/** Shows a page with a link instead of signing in at once. */
	interactive = false;
	/** Makes the id token instead of the usual way. */
	makeIdToken: ((claims: JWTPayload, fake: FakeProvider) => Promise<string>) | undefined;
	/** Waits before answering at the token endpoint; the grant is used up by then. */
	tokenDelayMs = 0;
	/** The token endpoint answers when this is done. */
	tokenHold: Promise<void> | undefined;
	/** Status of the token endpoint when it shall fail. */
	tokenStatus = 200;
	refreshCalls = 0;
	jwksCalls = 0;
	/** Announces an address where people sign out. */
	endSession = true;
	/** Forms that came to the revocation endpoint. */
	readonly revocations: URLSearchParams[] = [];
	revocationStatus = 200;
	readonly revoked = new Set<string>();
	readonly keys: { publicKey: KeyObject; privateKey: KeyObject } = keyPair;
	readonly #server = createServer((request, response) => {
		this.#answer(request, response).catch((error: unknown) => {
			response.writeHead(500).end(String(error));
		});
	});
	readonly #codes = new Map<string, Pending>();
	readonly #refresh = new Map<string, JWTPayload>();

	async listen(): Promise<void> {
		await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
	}

	get issuer(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	/** Plays the browser at the login page: returns the callback address with code and state. */
	authorize(location: string): URL {
		const url = new URL(location);
		const query = url.searchParams;
		const code = randomBytes(16).toString('hex');
		this.#codes.set(code, {
			nonce: query.get('nonce') ?? '',
			challenge: query.get('code_challenge') ?? '',
			redirectUri: query.get('redirect_uri') ?? '',
			claims: this.claims,
		});
		const back = new URL(query.get('redirect_uri') ?? '');
		back.searchParams.set('code', code);
		back.searchParams.set('state', query.get('state') ?? '');
		back.searchParams.set('iss', this.issuer);
		return back;
	}

	/** A code that an app on a device got for its server: no login of ours began it, so there is no PKCE. */
	grant(redirectUri: string, claims: JWTPayload): string {
		const code = randomBytes(16).toString('hex');
		this.#codes.set(code, { nonce: '', challenge: '', redirectUri, claims });
		return code;
	}

	/** A token signed by the provider's key. */
	sign(claims: JWTPayload, header: { kid?: string; alg?: string } = {}): Promise<string> {
		const now = Math.floor(Date.now() / 1000);
		return new SignJWT({
			iss: this.issuer,
			aud: this.clientId,
			iat: now,
			exp: now + 3600,
			...claims,
		})
			.setProtectedHeader({ alg: 'RS256', kid: 'op-1', ...header })
			.sign(this.keys.privateKey);
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? '', this.issuer);
		const json = (status: number, value: unknown) => {
			response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
		};
		if (url.pathname === '/.well-known/openid-configuration') {
			json(200, {
				issuer: this.issuer,
				authorization_endpoint: `${this.issuer}/authorize`,
				token_endpoint: `${this.issuer}/token`,
				jwks_uri: `${this.issuer}/jwks`,
				...(this.endSession ? { end_session_endpoint: `${this.issuer}/end` } : {}),
				revocation_endpoint: `${this.issuer}/revoke`,
				response_types_supported: ['code'],
				subject_types_supported: ['public'],
				id_token_signing_alg_values_supported: ['RS256'],
				authorization_response_iss_parameter_supported: true,
			});
		} else if (url.pathname === '/jwks') {
			this.jwksCalls++;
			json(200, {
				keys: [
					{ ...(await exportJWK(this.keys.publicKey)), kid: 'op-1', alg: 'RS256', use: 'sig' },
				],
			});
		} else if (url.pathname === '/authorize' && this.interactive && !url.searchParams.has('yes')) {
			url.searchParams.set('yes', '1');
			response
				.writeHead(200, { 'Content-Type': 'text/html' })
				.end(`<a id="yes" href="${url.href.replace(/&/g, '&amp;')}">Sign in</a>`);
		} else if (url.pathname === '/authorize') {
			response.writeHead(302, { Location: this.authorize(url.href).href }).end();
		} else if (url.pathname === '/end') {
			const back = new URL(url.searchParams.get('post_logout_redirect_uri') ?? '');
			back.searchParams.set('state', url.searchParams.get('state') ?? '');
			response.writeHead(302, { Location: back.href }).end();
		} else if (url.pathname === '/token') {
			await this.#token(await formOf(request), json);
		} else if (url.pathname === '/revoke') {
			this.revocations.push(await formOf(request));
			response.writeHead(this.revocationStatus).end();
		} else json(404, {});
	}

	async #token(
		form: URLSearchParams,
		json: (status: number, value: unknown) => void,
	): Promise<void> {
		const isRefresh = form.get('grant_type') === 'refresh_token';
		if (isRefresh) this.refreshCalls++;
		if (this.tokenStatus !== 200) {
			json(this.tokenStatus, { error: this.tokenStatus >= 500 ? 'server_error' : 'invalid_grant' });
			return;
		}
		if (
			form.get('client_id') !== this.clientId ||
			form.get('client_secret') !== this.clientSecret
		) {
			json(401, { error: 'invalid_client' });
			return;
		}
		const claims = isRefresh ? this.#takeRefresh(form) : this.#takeCode(form);
		if (this.tokenDelayMs > 0)
			await new Promise((resolve) => setTimeout(resolve, this.tokenDelayMs));
		await this.tokenHold;
		if (!claims) {
			json(400, { error: 'invalid_grant' });
			return;
		}
		const refreshToken = randomBytes(16).toString('hex');
		const { nonce: _, ...kept } = claims;
		this.#refresh.set(refreshToken, kept);
		json(200, {
			access_token: randomBytes(16).toString('hex'),
			token_type: 'Bearer',
			expires_in: 3600,
			refresh_token: refreshToken,
			id_token: await (this.makeIdToken?.(claims, this) ?? this.sign(claims)),
		});
	}

	#takeCode(form: URLSearchParams): JWTPayload | undefined {
		const code = form.get('code') ?? '';
		const pending = this.#codes.get(code);
		this.#codes.delete(code);
		const verifier = form.get('code_verifier');
		const challenge =
			verifier === null ? '' : createHash('sha256').update(verifier).digest('base64url');
		if (
			!pending ||
			pending.challenge !== challenge ||
			pending.redirectUri !== form.get('redirect_uri')
		)
			return undefined;
		return { ...pending.claims, ...(pending.nonce === '' ? {} : { nonce: pending.nonce }) };
	}

	/** A refresh token works once; a second use is an error, as at real providers. */
	#takeRefresh(form: URLSearchParams): JWTPayload | undefined {
		const token = form.get('refresh_token') ?? '';
		const claims = this.#refresh.get(token);
		this.#refresh.delete(token);
		return claims && this.revoked.has(claims.sub ?? '')
			? undefined
			: claims && { ...claims, ...this.claims, sub: claims.sub ?? '' };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise<void>((resolve) => this.#server.close(() => resolve()));
	}
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
	let text = '';
	for await (const chunk of request) text += String(chunk);
	return new URLSearchParams(text);
}
