import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createHubHttp } from '../../server/hub/http.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { startHub } from '../support/hubServer.ts';

const never = new AbortController().signal;

/** A forward proxy on loopback that counts what goes through it. */
async function startProxy() {
	const seen: string[] = [];
	const server = createServer((incoming, outgoing) => {
		seen.push(incoming.url ?? '');
		const onward = request(incoming.url ?? '', { headers: incoming.headers }, (answer) => {
			outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(outgoing);
		});
		onward.on('error', () => outgoing.destroy());
		onward.end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		seen,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

test('a proxy of the settings is used for the hub', async () => {
	await using hub = await startHub({ 'config.json': Buffer.from('{}') });
	await using proxy = await startProxy();
	const http = createHubHttp({ endpoint: hub.url, proxy: proxy.url });
	const repository = await readRepository(http, 'acme/tiny', 'main', never);
	assert.equal(repository.files.length, 1);
	assert.equal(proxy.seen.length, 2);
	assert.ok(proxy.seen.every((url) => url.startsWith(hub.url)));
	http.close();
});

test('a proxy of the environment is used, and NO_PROXY leaves it out', async () => {
	await using hub = await startHub({ 'config.json': Buffer.from('{}') });
	await using proxy = await startProxy();
	const before = { ...process.env };
	try {
		process.env['http_proxy'] = proxy.url;
		process.env['no_proxy'] = '';
		const through = createHubHttp({ endpoint: hub.url });
		await readRepository(through, 'acme/tiny', 'main', never);
		through.close();
		assert.equal(proxy.seen.length, 2);
		process.env['no_proxy'] = '127.0.0.1';
		const around = createHubHttp({ endpoint: hub.url });
		await readRepository(around, 'acme/tiny', 'main', never);
		around.close();
		assert.equal(proxy.seen.length, 2);
	} finally {
		for (const key of ['http_proxy', 'no_proxy']) {
			const old = before[key];
			if (old === undefined) delete process.env[key];
			else process.env[key] = old;
		}
	}
});

test('a certificate file that cannot be read is named', () => {
	assert.throws(() => createHubHttp({ endpoint: 'https://hub.example', caFile: '/nowhere.pem' }), {
		code: 'invalid_request',
		message: /nowhere\.pem/,
	});
});

test('an unreachable hub is an error with the address and what to do', async () => {
	const http = createHubHttp({ endpoint: 'http://127.0.0.1:9' });
	await assert.rejects(readRepository(http, 'acme/tiny', 'main', never), {
		code: 'download_failed',
		message: /127\.0\.0\.1:9.*Check the network and the proxy/,
	});
	http.close();
});
