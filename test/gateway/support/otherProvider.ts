/** An OpenID Connect provider that others wrote (oidc-provider), on a free port of this machine. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OtherProvider {
	readonly issuer: string;
	/** Address of its discovery document. */
	readonly discovery: string;
	stop(): Promise<void>;
}

export interface OtherProviderClient {
	readonly clientId: string;
	readonly clientSecret: string;
	/** Where people return to after signing in, and after signing out. */
	readonly redirectUri: string;
	readonly signedOutUri?: string;
}

/** One client; its own pages for name and consent; refresh tokens that rotate. */
export async function startOtherProvider(client: OtherProviderClient): Promise<OtherProvider> {
	const { default: Provider } = await import('oidc-provider');
	const http = createServer();
	await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
	const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
	const { warn } = console;
	console.warn = () => {};
	const provider = new Provider(issuer, {
		clients: [
			{
				client_id: client.clientId,
				client_secret: client.clientSecret,
				redirect_uris: [client.redirectUri],
				...(client.signedOutUri === undefined
					? {}
					: { post_logout_redirect_uris: [client.signedOutUri] }),
				grant_types: ['authorization_code', 'refresh_token'],
				response_types: ['code'],
				token_endpoint_auth_method: 'client_secret_post',
			},
		],
		pkce: { required: () => true },
		claims: { openid: ['sub'], email: ['email', 'email_verified'] },
		findAccount: (_context: unknown, id: string) => ({
			accountId: id,
			claims: () => Promise.resolve({ sub: id, email: `${id}@corp.example`, email_verified: true }),
		}),
		issueRefreshToken: () => Promise.resolve(true),
		rotateRefreshToken: true,
		features: { devInteractions: { enabled: true } },
		cookies: { keys: ['test-key'] },
	});
	console.warn = warn;
	const app = provider.callback();
	http.on('request', (request, response) => void app(request, response));
	return {
		issuer,
		discovery: `${issuer}/.well-known/openid-configuration`,
		stop: async () => {
			http.closeAllConnections();
			await new Promise((resolve) => http.close(resolve));
		},
	};
}
