/** Body fields of a client-directed sign-in, by what a provider speaks; none where it has no such sign-in. */

import type { ProviderKind } from '../config/gatewaySettings.ts';

export const clientFields: Readonly<Record<ProviderKind, readonly string[]>> = {
	aad: ['access_token', 'id_token', 'refresh_token', 'expires_in'],
	microsoftaccount: ['authentication_token', 'access_token', 'id_token'],
	google: ['id_token', 'authorization_code', 'redirect_uri', 'access_token'],
	apple: ['id_token', 'authorization_code'],
	oidc: ['id_token', 'access_token', 'refresh_token', 'expires_in'],
	facebook: ['access_token'],
	twitter: ['access_token', 'access_token_secret'],
	// Its tokens do not say for which app they were made.
	github: [],
};
