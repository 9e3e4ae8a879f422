/** Providers that speak OpenID Connect: the directory, accounts, search, Apple and any by name. */

import type { JWTPayload } from 'jose';
import * as client from 'openid-client';
import { defined } from '../../protocol/defined.ts';
import { type ConfigFields, numberOf, textOf } from '../config/configFields.ts';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import type { ProviderTokens, SignedIn } from '../identity/signedIn.ts';
import { clientFields } from './clientFields.ts';
import { OidcConfiguration } from './oidcConfiguration.ts';
import { oidcError } from './oidcError.ts';
import { oidcPerson } from './oidcPerson.ts';
import {
	type BeginRequest,
	type FinishRequest,
	type Provider,
	type ProviderDeps,
	ProviderError,
	type RefreshedTokens,
} from './provider.ts';
import { ProviderTokenVerifier } from './tokenCheck.ts';

export class OidcProvider implements Provider {
	readonly settings: ProviderSettings;
	readonly formPost: boolean;
	readonly clientFields: readonly string[];
	readonly #deps: ProviderDeps;
	readonly #configuration: OidcConfiguration;
	readonly #check: ProviderTokenVerifier;

	constructor(settings: ProviderSettings, deps: ProviderDeps) {
		this.settings = settings;
		this.#deps = deps;
		this.#configuration = new OidcConfiguration(settings, deps);
		this.#check = new ProviderTokenVerifier(settings, deps);
		// Apple sends name and address only in a posted form.
		this.formPost = settings.kind === 'apple' && settings.scopes.length > 0;
		this.clientFields = clientFields[settings.kind];
	}

	async begin(request: BeginRequest): Promise<{ url: URL }> {
		const config = await this.#configuration.get();
		const { scope, ...parameters } = request.parameters;
		const asked = new Set(
			[...this.settings.scopes, ...(scope?.split(/\s+/) ?? [])].filter((part) => part !== ''),
		);
		if (this.settings.kind !== 'apple') asked.add('openid');
		const url = client.buildAuthorizationUrl(config, {
			...this.settings.loginParameters,
			...parameters,
			redirect_uri: request.redirectUri,
			scope: [...asked].join(' '),
			state: request.state,
			nonce: request.nonce,
			code_challenge: await client.calculatePKCECodeChallenge(request.verifier),
			code_challenge_method: 'S256',
			...(this.formPost ? { response_mode: 'form_post' } : {}),
		});
		return { url };
	}

	async finish(request: FinishRequest): Promise<SignedIn> {
		const config = await this.#configuration.get();
		try {
			const answer = await client.authorizationCodeGrant(config, request.callback, {
				expectedState: request.state,
				expectedNonce: request.nonce,
				pkceCodeVerifier: request.verifier,
				idTokenExpected: true,
			});
			const claims = answer.claims();
			if (!claims) throw new ProviderError('rejected', 'The provider sent no id token.');
			this.#check.checkClaims(claims, 'id token');
			const all = await this.#withUserInfo(config, claims, answer.access_token);
			return this.#person(all, this.#tokens(answer, {}));
		} catch (error) {
			throw oidcError(error, this.settings.label);
		}
	}

	async clientLogin(body: ConfigFields): Promise<SignedIn> {
		const config = await this.#configuration.get();
		const metadata = config.serverMetadata();
		const idToken = textOf(body, 'id_token') ?? textOf(body, 'authentication_token');
		const accessToken = textOf(body, 'access_token');
		const code = this.clientFields.includes('authorization_code')
			? textOf(body, 'authorization_code')
			: undefined;
		const wantsId = this.settings.kind === 'google' || this.settings.kind === 'apple';
		if (idToken === undefined && (accessToken === undefined || wantsId)) {
			throw new ProviderError(
				'malformed',
				`The body needs ${wantsId ? 'id_token' : 'access_token or id_token'}.`,
			);
		}
		const fromId =
			idToken === undefined ? undefined : await this.#check.verify(idToken, metadata, 'id token');
		// Google's access tokens are opaque and only passed on; all others must be for this app.
		const checkAccess = accessToken !== undefined && !wantsId;
		const fromAccess = checkAccess
			? await this.#check.verify(accessToken, metadata, 'access token')
			: undefined;
		if (fromId && fromAccess && !samePerson(fromId, fromAccess)) {
			throw new ProviderError(
				'rejected',
				'The id token and the access token belong to different people.',
			);
		}
		const expiresIn = numberOf(body, 'expires_in', 0) || Number(textOf(body, 'expires_in') ?? 0);
		const given: ProviderTokens = {
			...defined({ idToken, accessToken }),
			...(textOf(body, 'refresh_token') === undefined
				? {}
				: { refreshToken: textOf(body, 'refresh_token')! }),
			...(textOf(body, 'authentication_token') === undefined
				? {}
				: { authenticationToken: idToken! }),
			...(expiresIn > 0
				? { expiresAt: this.#deps.now() + expiresIn * 1000 }
				: expiryOf(fromAccess)),
		};
		const claims = (fromId ?? fromAccess)!;
		if (code === undefined) return this.#person(claims, given);
		return this.#person(
			claims,
			await this.#redeem(config, code, textOf(body, 'redirect_uri') ?? '', claims, given),
		);
	}

	async refresh(tokens: ProviderTokens): Promise<RefreshedTokens> {
		if (tokens.refreshToken === undefined) {
			throw new ProviderError(
				'unsupported',
				'There is no refresh token for this session. Sign in with a scope such as offline_access.',
			);
		}
		const config = await this.#configuration.get();
		try {
			const answer = await client.refreshTokenGrant(config, tokens.refreshToken);
			const claims = answer.claims();
			return {
				tokens: this.#tokens(answer, tokens),
				person:
					claims && this.#person(await this.#withUserInfo(config, claims, answer.access_token), {}),
			};
		} catch (error) {
			throw oidcError(error, this.settings.label, 'revoked');
		}
	}

	async signOut(tokens: ProviderTokens, returnTo: string, state: string): Promise<URL | undefined> {
		const config = await this.#configuration.get();
		const metadata = config.serverMetadata();
		const token = tokens.refreshToken ?? tokens.accessToken;
		if (this.settings.kind === 'google' && metadata.revocation_endpoint && token) {
			await client.tokenRevocation(config, token).catch(() => undefined);
		}
		if (!metadata.end_session_endpoint) return undefined;
		return client.buildEndSessionUrl(config, {
			post_logout_redirect_uri: returnTo,
			state,
			...defined({ id_token_hint: tokens.idToken }),
		});
	}

	async bearer(token: string): Promise<SignedIn | undefined> {
		const known = this.#configuration.loaded?.serverMetadata();
		if (known && !this.#check.claimsToBeOurs(token, known)) return undefined;
		const metadata = known ?? (await this.#metadataFor(token));
		if (!metadata || !this.#check.claimsToBeOurs(token, metadata)) return undefined;
		return this.#person(await this.#check.verify(token, metadata, 'Bearer token'), {
			accessToken: token,
		});
	}

	/** An unreachable provider matters only to tokens that name it. */
	async #metadataFor(token: string): Promise<client.ServerMetadata | undefined> {
		try {
			return (await this.#configuration.get()).serverMetadata();
		} catch (error) {
			if (this.#check.claimsToBeOurs(token, undefined)) throw error;
			return undefined;
		}
	}

	async #redeem(
		config: client.Configuration,
		code: string,
		redirectUri: string,
		claims: JWTPayload,
		given: ProviderTokens,
	): Promise<ProviderTokens> {
		try {
			const answer = await client.genericGrantRequest(config, 'authorization_code', {
				code,
				redirect_uri: redirectUri,
			});
			const subject = answer.claims()?.sub;
			if (subject !== undefined && subject !== claims.sub) {
				throw new ProviderError(
					'rejected',
					'The authorization code and the id token belong to different people.',
				);
			}
			return this.#tokens(answer, given);
		} catch (error) {
			throw oidcError(error, this.settings.label);
		}
	}

	async #withUserInfo(
		config: client.Configuration,
		claims: client.IDToken,
		accessToken: string,
	): Promise<JWTPayload> {
		const wanted = this.settings.nameClaimType ?? 'email';
		if (
			this.settings.kind !== 'oidc' ||
			!config.serverMetadata().userinfo_endpoint ||
			claims[wanted] !== undefined
		) {
			return claims;
		}
		return { ...(await client.fetchUserInfo(config, accessToken, claims.sub)), ...claims };
	}

	#tokens(answer: client.TokenEndpointResponse, before: ProviderTokens): ProviderTokens {
		return {
			...before,
			accessToken: answer.access_token,
			...defined({ idToken: answer.id_token, refreshToken: answer.refresh_token }),
			...(answer.expires_in === undefined
				? {}
				: { expiresAt: this.#deps.now() + answer.expires_in * 1000 }),
		};
	}

	#person(claims: JWTPayload, tokens: ProviderTokens): SignedIn {
		return oidcPerson(this.settings, claims, tokens);
	}
}

function samePerson(a: JWTPayload, b: JWTPayload): boolean {
	if (typeof a['oid'] === 'string' && typeof b['oid'] === 'string') return a['oid'] === b['oid'];
	return a.sub === b.sub;
}

function expiryOf(payload: JWTPayload | undefined): ProviderTokens {
	return payload?.exp === undefined ? {} : { expiresAt: payload.exp * 1000 };
}
