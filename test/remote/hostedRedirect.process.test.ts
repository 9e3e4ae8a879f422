/** The key of the hosted translator goes to the address the user has set and is not carried on from there. */

import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createProxiedFetch } from '../../server/daemon/proxiedFetch.ts';
import { createHostedTranslator } from '../../server/remote/hostedTranslator.ts';

/** Two servers: one sends all requests on to the other, which notes what it gets. */
async function twoServers(status: number) {
	const seen: IncomingHttpHeaders[] = [];
	const target = createServer((request, response) => {
		seen.push(request.headers);
		response.end('[]');
	});
	await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
	const to = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
	const first = createServer((request, response) => {
		request.resume();
		response.writeHead(status, { location: `${to}/elsewhere` }).end();
	});
	await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
	return {
		endpoint: `http://127.0.0.1:${(first.address() as AddressInfo).port}`,
		to,
		seen,
		async [Symbol.asyncDispose]() {
			for (const server of [first, target]) {
				server.closeAllConnections();
				await new Promise((resolve) => server.close(resolve));
			}
		},
	};
}

for (const status of [302, 307]) {
	for (const useTokens of [false, true]) {
		const what = useTokens ? 'a request for a token' : 'a translation';
		test(`${what} that is sent on (${status}) does not take the key along`, async () => {
			await using servers = await twoServers(status);
			const translator = createHostedTranslator(
				{ endpoint: servers.endpoint, key: 'secret-key', useTokens },
				{
					fetch: createProxiedFetch({}),
					now: Date.now,
					random: () => 0,
					sleep: async () => {},
				},
			);
			await assert.rejects(
				translator.translate({ texts: ['Hello'], to: ['de'], parameters: {} }),
				(error: Error & { code: string }) => {
					assert.equal(error.code, 'upstream_failed');
					if (!useTokens) assert.ok(error.message.includes(servers.to), error.message);
					return true;
				},
			);
			assert.deepEqual(servers.seen, []);
		});
	}
}
