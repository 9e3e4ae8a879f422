/** The published mobile client, unmodified, against the layer. */

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Harness } from './support/harness.ts';

const require = createRequire(import.meta.url);

interface Client {
	currentUser: { userId: string; mobileServiceAuthenticationToken: string } | null;
	login(provider: string, token: unknown): PromiseLike<unknown>;
	invokeApi(name: string, options: unknown): PromiseLike<{ result: { headers: string[] } }>;
}

/** The little of XMLHttpRequest that the client uses, over fetch. */
class FetchXhr {
	withCredentials = false;
	readyState = 0;
	status = 0;
	responseText = '';
	onreadystatechange: (() => void) | undefined;
	#method = 'GET';
	#url = '';
	readonly #headers: Record<string, string> = {};
	#answer: Headers | undefined;

	open(method: string, url: string): void {
		this.#method = method;
		this.#url = url;
	}

	setRequestHeader(name: string, value: string): void {
		this.#headers[name] = value;
	}

	getResponseHeader(name: string): string | null {
		return this.#answer?.get(name) ?? null;
	}

	send(body?: string | null): void {
		const init = { method: this.#method, headers: this.#headers, ...(body ? { body } : {}) };
		void fetch(this.#url, init).then(async (answer) => {
			this.#answer = answer.headers;
			this.status = answer.status;
			this.responseText = await answer.text();
			this.readyState = 4;
			this.onreadystatechange?.();
		});
	}
}

const dropped = new Set([
	'host',
	'connection',
	'content-length',
	'sec-fetch-mode',
	'transfer-encoding',
]);

/** Stands for the name resolution of app.example: `fetch` cannot set Host. */
async function resolveTo(h: Harness): Promise<Server> {
	const relay = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const headers = Object.entries(request.headers)
				.filter(([name]) => !dropped.has(name))
				.map(([name, value]) => `${name}: ${String(value)}`);
			const call = {
				method: request.method ?? 'GET',
				target: request.url ?? '/',
				headers,
				body: Buffer.concat(chunks).toString(),
			};
			void h.call(call).then((answer) => {
				response
					.writeHead(answer.status, {
						'Content-Type': answer.header('content-type') ?? 'text/plain',
					})
					.end(answer.body);
			});
		});
	});
	await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
	return relay;
}

test('azure-mobile-apps-client signs in, calls and sees its session end', async () => {
	const scope = globalThis as unknown as Record<string, unknown>;
	scope['XMLHttpRequest'] = FetchXhr;
	const { FakeProvider } = await import('./support/fakeProvider.ts');
	await using provider = new FakeProvider();
	await provider.listen();
	const registration = {
		openIdIssuer: provider.issuer,
		clientId: provider.clientId,
		clientSecretSettingName: 'CORP_SECRET',
	};
	await using h = await Harness.start({
		provider,
		config: { identityProviders: { azureActiveDirectory: { registration } } },
	});
	const relay = await resolveTo(h);
	try {
		const sdk = require('azure-mobile-apps-client') as {
			MobileServiceClient: new (url: string) => Client;
		};
		const client = new sdk.MobileServiceClient(
			`http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
		);
		const refused = (error: { request?: { status: number } }) => error.request?.status === 401;
		await assert.rejects(async () => client.invokeApi('thing', { method: 'get' }), refused);
		await assert.rejects(async () => client.login('aad', { access_token: 'a.b.c' }), refused);
		provider.claims = { sub: 'mobile-1' };
		await client.login('windowsazureactivedirectory', {
			access_token: await provider.sign(provider.claims),
		});
		assert.match(client.currentUser!.userId, /^sid:[0-9a-f]{32}$/);
		const { result } = await client.invokeApi('thing', { method: 'get' });
		assert.ok(result.headers.includes('mobile-1'));
		assert.ok(!result.headers.some((text) => String(text).toLowerCase() === 'x-zumo-auth'));
		h.advance(9 * 3_600_000);
		await assert.rejects(async () => client.invokeApi('thing', { method: 'get' }), refused);
	} finally {
		delete scope['XMLHttpRequest'];
		relay.closeAllConnections();
		await new Promise((resolve) => relay.close(resolve));
	}
});
