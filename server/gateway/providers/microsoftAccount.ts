/**
 * The consumer account platform: OpenID Connect, and on request its old access tokens. Those name no
 * audience, so any app's token would do; they are refused unless the settings accept that.
 */

import { type ConfigFields, section, textOf } from '../config/configFields.ts';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { policyFacts, toClaims } from '../identity/claims.ts';
import type { SignedIn } from '../identity/signedIn.ts';
import { acceptedObject, fetchJson } from './fetchJson.ts';
import { OidcProvider } from './oidc.ts';
import { type Provider, type ProviderDeps, ProviderError } from './provider.ts';

const profileAddress = 'https://apis.live.net/v5.0/me';

/** Kept for the app, which may call the platform with it; it proves nothing about who signs in. */
async function withAccessToken(
	signedIn: Promise<SignedIn>,
	accessToken: string | undefined,
): Promise<SignedIn> {
	const person = await signedIn;
	if (accessToken === undefined || accessToken === '') return person;
	return { ...person, tokens: { ...person.tokens, accessToken } };
}

export function createMicrosoftAccountProvider(
	settings: ProviderSettings,
	deps: ProviderDeps,
): Provider {
	const oidc = new OidcProvider(settings, deps);
	const opaque = async (token: string, signal: AbortSignal): Promise<SignedIn> => {
		const address = settings.endpoints.userInfo ?? profileAddress;
		const init = { headers: { Authorization: `Bearer ${token}` } };
		const user = acceptedObject(await fetchJson(address, init, deps, signal), 'the access token');
		const id = textOf(user, 'id');
		if (id === undefined) throw new ProviderError('rejected', 'The provider named no user.');
		const email = textOf(section(user, 'emails'), 'account');
		const claims = { sub: id, name: textOf(user, 'name'), email };
		return {
			provider: settings.name,
			issuer: new URL(address).origin,
			subject: id,
			name: email ?? claims.name ?? id,
			principalId: id,
			claims: toClaims(claims),
			tokens: { accessToken: token },
			policy: policyFacts(claims, true),
		};
	};
	return {
		settings,
		formPost: false,
		clientFields: oidc.clientFields,
		begin: (request) => oidc.begin(request),
		finish: (request) => oidc.finish(request),
		clientLogin(body: ConfigFields, signal) {
			const token = textOf(body, 'access_token');
			const signed = textOf(body, 'authentication_token') ?? textOf(body, 'id_token');
			if (signed !== undefined || token === undefined) {
				const { access_token: _, ...rest } = body;
				return withAccessToken(oidc.clientLogin(rest), token);
			}
			if (settings.acceptUnboundAccessTokens) return opaque(token, signal);
			return Promise.reject(
				new ProviderError(
					'rejected',
					'Access tokens of this provider name no audience and are not accepted; send authentication_token.',
				),
			);
		},
		refresh: (tokens) => oidc.refresh(tokens),
		signOut: (tokens, returnTo, state) => oidc.signOut(tokens, returnTo, state),
		bearer: (token) => oidc.bearer(token),
	};
}
