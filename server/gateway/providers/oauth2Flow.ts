/** The authorization code flow of providers that speak OAuth 2.0 without OpenID Connect. */

import * as client from 'openid-client';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { isLoopback } from '../config/publicUrl.ts';
import { oidcError } from './oidcError.ts';
import {
	type BeginRequest,
	type FinishRequest,
	type ProviderDeps,
	ProviderError,
} from './provider.ts';

export interface OAuth2Flow {
	begin(request: BeginRequest): Promise<{ url: URL }>;
	/** Access token and the seconds it lives. */
	redeem(request: FinishRequest): Promise<{ accessToken: string; expiresInS: number | undefined }>;
}

export function createOAuth2Flow(
	settings: ProviderSettings,
	endpoints: { readonly issuer: string; readonly authorization: string; readonly token: string },
	separator: string,
	deps: ProviderDeps,
): OAuth2Flow {
	const config = new client.Configuration(
		{
			issuer: endpoints.issuer,
			authorization_endpoint: endpoints.authorization,
			token_endpoint: endpoints.token,
		},
		settings.clientId,
		undefined,
		client.ClientSecretPost(settings.clientSecret ?? ''),
	);
	config[client.customFetch] = (url, options) => deps.fetch(url, options as RequestInit);
	config.timeout = deps.timeoutMs / 1000;
	if (isLoopback(new URL(endpoints.token).hostname)) client.allowInsecureRequests(config);
	return {
		async begin(request) {
			const { scope, ...parameters } = request.parameters;
			const scopes = new Set(
				[...settings.scopes, ...(scope?.split(/[\s,]+/) ?? [])].filter((part) => part !== ''),
			);
			const url = client.buildAuthorizationUrl(config, {
				...parameters,
				redirect_uri: request.redirectUri,
				scope: [...scopes].join(separator),
				state: request.state,
				code_challenge: await client.calculatePKCECodeChallenge(request.verifier),
				code_challenge_method: 'S256',
			});
			return { url };
		},
		async redeem(request) {
			try {
				const answer = await client.authorizationCodeGrant(config, request.callback, {
					expectedState: request.state,
					pkceCodeVerifier: request.verifier,
				});
				if (!answer.access_token)
					throw new ProviderError('rejected', 'The provider sent no access token.');
				return { accessToken: answer.access_token, expiresInS: answer.expires_in };
			} catch (error) {
				throw oidcError(error, settings.label);
			}
		},
	};
}
