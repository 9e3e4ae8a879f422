/** The interfaces of the providers that are not OpenID Connect, as far as the layer uses them. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { oauth1Signature } from '../../../server/gateway/providers/oauth1.ts';

/** Names of everything the fakes accept. */
export const social = {
	clientId: 'app-1',
	clientSecret: 'secret-1',
	githubToken: 'gho_good',
	facebookToken: 'EAA-good',
	facebookForeignToken: 'EAA-foreign',
	twitterToken: 'tw-token',
	twitterTokenSecret: 'tw-secret',
} as const;

export class FakeSocial implements AsyncDisposable {
	/** What `Authorization` headers of OAuth 1.0a calls said, parsed. */
	readonly twitterCalls: Record<string, string>[] = [];
	readonly #server = createServer((request, response) => {
		this.#answer(request, response).catch((error: unknown) => {
			response.writeHead(500).end(String(error));
		});
	});

	async listen(): Promise<void> {
		await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		let text = '';
		for await (const chunk of request) text += String(chunk);
		const url = new URL(request.url ?? '', this.url);
		const form = new URLSearchParams(text);
		const authorization = request.headers.authorization ?? '';
		const json = (status: number, value: unknown) => {
			response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
		};
		const plain = (status: number, value: string) => {
			response.writeHead(status, { 'Content-Type': 'text/html' }).end(value);
		};
		const route = url.pathname;
		if (route === '/github/token' || route === '/facebook/token') {
			const good =
				form.get('client_id') === social.clientId &&
				form.get('client_secret') === social.clientSecret &&
				form.get('code') === 'good' &&
				(form.get('code_verifier') ?? '').length === 43;
			// The code host answers errors with 200.
			if (!good) json(route.startsWith('/github') ? 200 : 400, { error: 'bad_verification_code' });
			else
				json(200, {
					access_token: route.startsWith('/github') ? social.githubToken : social.facebookToken,
					token_type: 'bearer',
					scope: 'read:user',
				});
		} else if (route === '/github/user') {
			json(authorization === `Bearer ${social.githubToken}` ? 200 : 401, {
				id: 583231,
				login: 'octo',
				name: 'Octo Cat',
				email: 'public@x.example',
			});
		} else if (route === '/github/emails') {
			json(200, [
				{ email: 'old@x.example', verified: true, primary: false },
				{ email: 'octo@x.example', verified: true, primary: true },
			]);
		} else if (route === '/facebook/debug') {
			const token = url.searchParams.get('input_token');
			const known = token === social.facebookToken || token === social.facebookForeignToken;
			if (authorization !== `Bearer ${social.clientId}|${social.clientSecret}`)
				json(400, { error: {} });
			else
				json(200, {
					data: {
						is_valid: known,
						app_id: token === social.facebookToken ? social.clientId : 'another-app',
						user_id: '77',
						expires_at: Math.floor(Date.now() / 1000) + 5000,
					},
				});
		} else if (route === '/facebook/me') {
			json(/^[0-9a-f]{64}$/.test(url.searchParams.get('appsecret_proof') ?? '') ? 200 : 400, {
				id: '77',
				name: 'Fay Book',
				email: 'fay@x.example',
			});
		} else if (route.startsWith('/twitter/')) {
			this.#twitter(request.method ?? '', url, authorization, json, plain);
		} else if (route === '/live/me') {
			json(authorization === 'Bearer live-good' ? 200 : 401, {
				id: 'live-9',
				name: 'Liv',
				emails: { account: 'liv@x.example' },
			});
		} else json(404, {});
	}

	#twitter(
		method: string,
		url: URL,
		authorization: string,
		json: (status: number, value: unknown) => void,
		plain: (status: number, value: string) => void,
	): void {
		const fields = Object.fromEntries(
			[...authorization.matchAll(/(\w+)="([^"]*)"/g)].map((match) => [
				match[1]!,
				decodeURIComponent(match[2]!),
			]),
		);
		this.twitterCalls.push(fields);
		const { oauth_signature, ...signed } = fields;
		const secrets: Record<string, string> = {
			'req-token': 'req-secret',
			[social.twitterToken]: social.twitterTokenSecret,
		};
		const expected = oauth1Signature(
			method,
			url.origin + url.pathname,
			{ ...Object.fromEntries(url.searchParams), ...signed },
			{
				consumerSecret: social.clientSecret,
				tokenSecret: secrets[fields['oauth_token'] ?? ''] ?? '',
			},
		);
		if (fields['oauth_consumer_key'] !== social.clientId || expected !== oauth_signature)
			json(401, { errors: [{ code: 32 }] });
		else if (url.pathname === '/twitter/request_token')
			plain(
				200,
				'oauth_token=req-token&oauth_token_secret=req-secret&oauth_callback_confirmed=true',
			);
		else if (url.pathname === '/twitter/access_token')
			plain(
				fields['oauth_verifier'] === 'ok' ? 200 : 401,
				`oauth_token=${social.twitterToken}&oauth_token_secret=${social.twitterTokenSecret}&user_id=5`,
			);
		else if (fields['oauth_token'] === social.twitterToken)
			json(200, { id_str: '5', screen_name: 'tweety', name: 'Tweety', email: 't@x.example' });
		else json(401, {});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise<void>((resolve) => this.#server.close(() => resolve()));
	}
}
