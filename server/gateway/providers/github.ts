/** The code hosting provider. Only the browser flow: its tokens name no audience, so a client's own token proves nothing. */

import { asFields, textOf } from '../config/configFields.ts';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { policyFacts, toClaims } from '../identity/claims.ts';
import { clientFields } from './clientFields.ts';
import { acceptedObject, fetchJson } from './fetchJson.ts';
import { createOAuth2Flow } from './oauth2Flow.ts';
import { type Provider, type ProviderDeps, ProviderError } from './provider.ts';
import { noBearer, noRefresh, noSignOut } from './unsupported.ts';

const standard = {
	issuer: 'https://github.com',
	authorization: 'https://github.com/login/oauth/authorize',
	token: 'https://github.com/login/oauth/access_token',
	userInfo: 'https://api.github.com/user',
	emails: 'https://api.github.com/user/emails',
};

export function createGithubProvider(settings: ProviderSettings, deps: ProviderDeps): Provider {
	const endpoints = { ...standard, ...settings.endpoints };
	const flow = createOAuth2Flow(settings, endpoints, ' ', deps);
	return {
		settings,
		formPost: false,
		clientFields: clientFields.github,
		begin: (request) => flow.begin(request),
		async finish(request, signal) {
			const { accessToken } = await flow.redeem(request);
			const headers = {
				Authorization: `Bearer ${accessToken}`,
				Accept: 'application/vnd.github+json',
				'User-Agent': 'nearglot-gateway',
			};
			const user = acceptedObject(
				await fetchJson(endpoints.userInfo, { headers }, deps, signal),
				'the access token',
			);
			const id = user['id'];
			if (typeof id !== 'number')
				throw new ProviderError('rejected', 'The provider named no user.');
			const emails = await fetchJson(endpoints.emails, { headers }, deps, signal);
			const rows =
				emails.status === 200 && Array.isArray(emails.body) ? emails.body.map(asFields) : [];
			const primary = rows.find((row) => row['primary'] === true && row['verified'] === true);
			const claims = {
				sub: String(id),
				preferred_username: textOf(user, 'login'),
				name: textOf(user, 'name'),
				email: primary && textOf(primary, 'email'),
			};
			return {
				provider: settings.name,
				issuer: endpoints.issuer,
				subject: claims.sub,
				name: claims.preferred_username ?? claims.sub,
				principalId: claims.sub,
				claims: toClaims(claims),
				tokens: { accessToken },
				policy: policyFacts(claims, true),
			};
		},
		clientLogin: () =>
			Promise.reject(
				new ProviderError(
					'unsupported',
					`${settings.label} has no client-directed sign-in; open /login/${settings.name} in a browser.`,
				),
			),
		refresh: noRefresh,
		signOut: noSignOut,
		bearer: noBearer,
	};
}
