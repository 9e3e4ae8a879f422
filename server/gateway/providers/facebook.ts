/** The social network: OAuth 2.0 and a token inspection that says for which app a token was made. */

import { createHmac } from 'node:crypto';
import { type ConfigFields, numberOf, section, textOf } from '../config/configFields.ts';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { policyFacts, toClaims } from '../identity/claims.ts';
import type { SignedIn } from '../identity/signedIn.ts';
import { clientFields } from './clientFields.ts';
import { acceptedObject, fetchJson } from './fetchJson.ts';
import { createOAuth2Flow } from './oauth2Flow.ts';
import { type Provider, type ProviderDeps, ProviderError } from './provider.ts';
import { noBearer, noRefresh, noSignOut } from './unsupported.ts';

const standard = {
	issuer: 'https://www.facebook.com',
	authorization: 'https://www.facebook.com/v19.0/dialog/oauth',
	token: 'https://graph.facebook.com/v19.0/oauth/access_token',
	userInfo: 'https://graph.facebook.com/v19.0/me',
	debugToken: 'https://graph.facebook.com/v19.0/debug_token',
};

export function createFacebookProvider(settings: ProviderSettings, deps: ProviderDeps): Provider {
	const endpoints = { ...standard, ...settings.endpoints };
	const flow = createOAuth2Flow(settings, endpoints, ',', deps);
	const secret = settings.clientSecret ?? '';

	const person = async (accessToken: string, signal: AbortSignal): Promise<SignedIn> => {
		const debug = new URL(endpoints.debugToken);
		debug.searchParams.set('input_token', accessToken);
		const headers = { Authorization: `Bearer ${settings.clientId}|${secret}` };
		const inspected = acceptedObject(
			await fetchJson(debug, { headers }, deps, signal),
			'the access token',
		);
		const data = section(inspected, 'data');
		if (data['is_valid'] !== true || String(data['app_id'] ?? '') !== settings.clientId) {
			throw new ProviderError('rejected', 'The access token is not valid for this app.');
		}
		const expiresS = numberOf(data, 'expires_at', 0);
		if (expiresS > 0 && expiresS * 1000 <= deps.now())
			throw new ProviderError('rejected', 'The access token has ended.');
		const me = new URL(endpoints.userInfo);
		me.searchParams.set('fields', 'id,name,email');
		me.searchParams.set(
			'appsecret_proof',
			createHmac('sha256', secret).update(accessToken).digest('hex'),
		);
		const init = { headers: { Authorization: `Bearer ${accessToken}` } };
		const user = acceptedObject(await fetchJson(me, init, deps, signal), 'the access token');
		const id = textOf(user, 'id');
		if (id === undefined || id !== String(data['user_id'] ?? '')) {
			throw new ProviderError('rejected', 'The access token belongs to somebody else.');
		}
		const claims = { sub: id, name: textOf(user, 'name'), email: textOf(user, 'email') };
		return {
			provider: settings.name,
			issuer: endpoints.issuer,
			subject: id,
			name: claims.email ?? claims.name ?? id,
			principalId: id,
			claims: toClaims(claims),
			tokens: { accessToken, ...(expiresS > 0 ? { expiresAt: expiresS * 1000 } : {}) },
			policy: policyFacts(claims, false),
		};
	};

	return {
		settings,
		formPost: false,
		clientFields: clientFields.facebook,
		begin: (request) => flow.begin(request),
		async finish(request, signal) {
			return person((await flow.redeem(request)).accessToken, signal);
		},
		async clientLogin(body: ConfigFields, signal) {
			const token = textOf(body, 'access_token');
			if (!token) throw new ProviderError('malformed', 'The body needs access_token.');
			return person(token, signal);
		},
		refresh: noRefresh,
		signOut: noSignOut,
		bearer: noBearer,
	};
}
