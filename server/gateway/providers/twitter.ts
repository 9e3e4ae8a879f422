/** The microblogging provider: OAuth 1.0a in three legs. */

import { type ConfigFields, textOf } from '../config/configFields.ts';
import type { ProviderSettings } from '../config/gatewaySettings.ts';
import { policyFacts, toClaims } from '../identity/claims.ts';
import type { SignedIn } from '../identity/signedIn.ts';
import { clientFields } from './clientFields.ts';
import { acceptedObject, fetchJson } from './fetchJson.ts';
import { type OAuth1Keys, oauth1Header } from './oauth1.ts';
import {
	type BeginRequest,
	type FinishRequest,
	type Provider,
	type ProviderDeps,
	ProviderError,
	refusedSignIn,
} from './provider.ts';
import { noBearer, noRefresh, noSignOut } from './unsupported.ts';

const standard = {
	requestToken: 'https://api.twitter.com/oauth/request_token',
	authorization: 'https://api.twitter.com/oauth/authenticate',
	token: 'https://api.twitter.com/oauth/access_token',
	userInfo: 'https://api.twitter.com/1.1/account/verify_credentials.json',
};

export function createTwitterProvider(settings: ProviderSettings, deps: ProviderDeps): Provider {
	const endpoints = { ...standard, ...settings.endpoints };
	const issuer = new URL(endpoints.userInfo).origin;
	const consumer = { consumerKey: settings.clientId, consumerSecret: settings.clientSecret ?? '' };

	const signed = async (
		method: string,
		url: string,
		parameters: Record<string, string>,
		keys: OAuth1Keys,
		signal: AbortSignal,
	) => {
		const plain = Object.fromEntries(
			Object.entries(parameters).filter(([name]) => !name.startsWith('oauth_')),
		);
		const query = new URLSearchParams(plain).toString();
		return fetchJson(
			query === '' ? url : `${url}?${query}`,
			{ method, headers: { Authorization: oauth1Header(method, url, parameters, keys) } },
			deps,
			signal,
		);
	};
	const person = async (
		token: string,
		tokenSecret: string,
		signal: AbortSignal,
	): Promise<SignedIn> => {
		const keys = { ...consumer, token, tokenSecret };
		const answer = await signed(
			'GET',
			endpoints.userInfo,
			{ include_email: 'true', skip_status: 'true' },
			keys,
			signal,
		);
		const user = acceptedObject(answer, 'the access token');
		const id = textOf(user, 'id_str');
		if (id === undefined) throw new ProviderError('rejected', 'The provider named no user.');
		const claims = {
			sub: id,
			name: textOf(user, 'name'),
			preferred_username: textOf(user, 'screen_name'),
			email: textOf(user, 'email'),
		};
		return {
			provider: settings.name,
			issuer,
			subject: id,
			name: claims.preferred_username ?? claims.name ?? id,
			principalId: id,
			claims: toClaims(claims),
			tokens: { accessToken: token, accessTokenSecret: tokenSecret },
			// The interface gives only addresses it has verified.
			policy: policyFacts(claims, true),
		};
	};

	return {
		settings,
		formPost: false,
		clientFields: clientFields.twitter,
		async begin(request: BeginRequest, signal) {
			const callback = new URL(request.redirectUri);
			callback.searchParams.set('state', request.state);
			const answer = await signed(
				'POST',
				endpoints.requestToken,
				{ oauth_callback: callback.href },
				consumer,
				signal,
			);
			const fields = new URLSearchParams(answer.text);
			const [token, secret] = [fields.get('oauth_token'), fields.get('oauth_token_secret')];
			if (
				answer.status !== 200 ||
				!token ||
				!secret ||
				fields.get('oauth_callback_confirmed') !== 'true'
			) {
				throw new ProviderError(
					'unreachable',
					`${settings.label} refused to begin a login (status ${answer.status}). The consumer key or callback may be wrong.`,
				);
			}
			const url = new URL(endpoints.authorization);
			for (const [name, value] of Object.entries(request.parameters))
				url.searchParams.set(name, value);
			url.searchParams.set('oauth_token', token);
			return { url, memo: `${token}\n${secret}` };
		},
		async finish(request: FinishRequest, signal) {
			const query = request.callback.searchParams;
			if (query.has('denied')) throw refusedSignIn(settings.label, 'access_denied');
			const [token, secret] = (request.memo ?? '').split('\n');
			const verifier = query.get('oauth_verifier');
			if (
				query.get('state') !== request.state ||
				!token ||
				query.get('oauth_token') !== token ||
				!verifier
			) {
				throw new ProviderError(
					'rejected',
					'The answer of the provider does not belong to this login.',
				);
			}
			const keys = { ...consumer, token, tokenSecret: secret ?? '' };
			const answer = await signed(
				'POST',
				endpoints.token,
				{ oauth_verifier: verifier },
				keys,
				signal,
			);
			const fields = new URLSearchParams(answer.text);
			const [access, accessSecret] = [fields.get('oauth_token'), fields.get('oauth_token_secret')];
			if (answer.status !== 200 || !access || !accessSecret) {
				throw new ProviderError(
					'rejected',
					`${settings.label} refused the verifier (status ${answer.status}).`,
				);
			}
			return person(access, accessSecret, signal);
		},
		async clientLogin(body: ConfigFields, signal) {
			const [token, secret] = [textOf(body, 'access_token'), textOf(body, 'access_token_secret')];
			if (!token || !secret)
				throw new ProviderError(
					'malformed',
					'The body needs access_token and access_token_secret.',
				);
			return person(token, secret, signal);
		},
		refresh: noRefresh,
		signOut: noSignOut,
		bearer: noBearer,
	};
}
