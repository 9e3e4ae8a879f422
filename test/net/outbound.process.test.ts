/** Which proxy a request takes, what the proxy is told, and which certificates are believed. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type LookupFunction } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createProxiedFetch } from '../../server/daemon/proxiedFetch.ts';
import { createHubHttp } from '../../server/hub/http.ts';
import { createOutbound, type OutboundOptions } from '../../server/net/outbound.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** What the proxy was asked, and with which credentials. */
const asked: { readonly what: string; readonly credentials: string | undefined }[] = [];
/** What came with requests that went through the tunnel or past the proxy. */
const arrived: (string | undefined)[] = [];
let refusesWith = 0;

const origin = createServer((request, response) => {
	arrived.push(request.headers['proxy-authorization']);
	response.end('direct');
});
const proxy = createServer((request, response) => {
	const { 'proxy-authorization': credentials } = request.headers;
	asked.push({ what: `${request.method} ${request.url}`, credentials });
	if (refusesWith !== 0) response.writeHead(refusesWith);
	response.end('proxied');
});
proxy.on('connect', (request, socket, head) => {
	const { 'proxy-authorization': credentials } = request.headers;
	asked.push({ what: `CONNECT ${request.url}`, credentials });
	if (refusesWith !== 0) return socket.end(`HTTP/1.1 ${refusesWith} No\r\n\r\n`);
	const port = Number(request.url?.split(':').at(-1));
	const onward = connect(port, '127.0.0.1', () => {
		socket.write('HTTP/1.1 200 OK\r\n\r\n');
		onward.write(head);
		onward.pipe(socket).pipe(onward);
	});
	for (const end of [onward, socket])
		end.on('error', () => [onward, socket].map((s) => s.destroy()));
});

const listen = (server: Server) =>
	new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const portOf = (server: Server) => (server.address() as AddressInfo).port;
const stop = (server: Server) => {
	server.closeAllConnections();
	server.close();
};
before(() => Promise.all([origin, proxy].map(listen)));
after(() => [origin, proxy].map(stop));

/** Every name is this machine. */
const lookup: LookupFunction = (_name, { all }, callback) =>
	all === true
		? callback(null, [{ address: '127.0.0.1', family: 4 }])
		: callback(null, '127.0.0.1', 4);

async function wayTo(host: string, options: Partial<OutboundOptions>): Promise<string> {
	const url = new URL(`http://${host}:${portOf(origin)}/file`);
	const outbound = createOutbound({ env: {}, lookup, ...options });
	try {
		const connections = await outbound.connectionsFor(url);
		const { body } = await connections.request({
			origin: url.origin,
			path: url.pathname,
			method: 'GET',
		});
		const way = await body.text();
		const taken = outbound.proxyTaken(url);
		assert.equal(taken, way === 'direct' ? undefined : `127.0.0.1:${portOf(proxy)}`);
		return way;
	} finally {
		outbound.close();
	}
}

test('NO_PROXY leaves out names, suffixes, ports and everything', async () => {
	const [here, elsewhere] = [portOf(origin), 1];
	const cases: readonly (readonly [string, string, string])[] = [
		['', 'example.test', 'proxied'],
		['example.test', 'example.test', 'direct'],
		['example.test', 'EXAMPLE.test', 'direct'],
		['example.test', 'notexample.test', 'proxied'],
		['example.test', 'hub.example.test', 'direct'],
		['.example.test', 'hub.example.test', 'direct'],
		['*.example.test', 'hub.example.test', 'direct'],
		['*.example.test', 'example.test', 'proxied'],
		['*', 'example.test', 'direct'],
		[`example.test:${here}`, 'example.test', 'direct'],
		[`example.test:${elsewhere}`, 'example.test', 'proxied'],
		['other.test, example.test', 'example.test', 'direct'],
		['other.test example.test', 'example.test', 'direct'],
		['127.0.0.1', '127.0.0.1', 'direct'],
	];
	const uri = `http://127.0.0.1:${portOf(proxy)}`;
	for (const [noProxy, host, way] of cases)
		for (const name of ['no_proxy', 'NO_PROXY'])
			assert.equal(
				await wayTo(host, { env: { HTTP_PROXY: uri, [name]: noProxy } }),
				way,
				`${name}=${noProxy} ${host}`,
			);
});

test('the proxy of the settings goes before those of the environment, and those before ALL_PROXY', async () => {
	const port = portOf(proxy);
	const nobody = 'http://127.0.0.1:9';
	const ways: readonly (readonly [Partial<OutboundOptions>, string])[] = [
		[{ proxy: `http://127.0.0.1:${port}`, env: { http_proxy: nobody, no_proxy: '*' } }, 'proxied'],
		[{ proxy: '', env: { http_proxy: nobody } }, 'direct'],
		[{ env: { http_proxy: `127.0.0.1:${port}`, all_proxy: nobody } }, 'proxied'],
		[{ env: { ALL_PROXY: `http://127.0.0.1:${port}` } }, 'proxied'],
		[{ env: { https_proxy: nobody } }, 'direct'],
		[{ env: {} }, 'direct'],
	];
	for (const [options, way] of ways)
		assert.equal(await wayTo('example.test', options), way, JSON.stringify(options));
	const https = createOutbound({ env: { HTTP_PROXY: nobody } });
	assert.equal(https.proxyTaken(new URL('https://example.test')), undefined);
});

test('a proxy gets its credentials, and the server behind it does not', async () => {
	asked.length = 0;
	const uri = `http://na%6De:p%40ss@127.0.0.1:${portOf(proxy)}`;
	assert.equal(await wayTo('example.test', { proxy: uri }), 'proxied');
	assert.deepEqual(asked, [
		{
			what: `GET http://example.test:${portOf(origin)}/file`,
			credentials: `Basic ${Buffer.from('name:p@ss').toString('base64')}`,
		},
	]);
});

const noOpenssl =
	spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0
		? false
		: 'openssl is not installed (Debian package openssl)';

test('HTTPS goes through a tunnel, and a certificate counts when its authority is in the file of the user', {
	skip: noOpenssl,
}, async () => {
	const folder = temporaryFolder('outbound');
	const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
	const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
	const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
	const made = ['-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...names];
	execFileSync('openssl', ['req', ...made], { stdio: 'ignore' });
	const files = { key: readFileSync(key), cert: readFileSync(cert) };
	const server = createTlsServer(files, (request, response) => {
		arrived.push(request.headers['proxy-authorization']);
		response.end('secret');
	});
	await listen(server);
	const address = `https://localhost:${portOf(server)}`;
	const port = portOf(proxy);
	try {
		for (const uri of ['', `http://me:secret@127.0.0.1:${port}`]) {
			asked.length = 0;
			arrived.length = 0;
			const known = { NEARGLOT_PROXY: uri, NEARGLOT_CA_FILE: cert };
			assert.equal(await (await createProxiedFetch(known)(address)).text(), 'secret');
			const hub = createHubHttp({ endpoint: address, proxy: uri, caFile: cert });
			const answer = await hub.get(`${address}/x`, {}, new AbortController().signal);
			assert.equal(await text(answer.body), 'secret');
			hub.close();
			const tunnel = {
				what: `CONNECT localhost:${portOf(server)}`,
				credentials: `Basic ${Buffer.from('me:secret').toString('base64')}`,
			};
			assert.deepEqual(asked, uri === '' ? [] : [tunnel, tunnel]);
			assert.deepEqual(arrived, [undefined, undefined]);
			const stranger = createHubHttp({ endpoint: address, proxy: uri });
			await assert.rejects(stranger.get(address, {}, new AbortController().signal), {
				code: 'download_failed',
				message: /SELF_SIGNED.*certificate of its authority in NEARGLOT_CA_FILE/,
			});
			stranger.close();
			await assert.rejects(createProxiedFetch({ NEARGLOT_PROXY: uri })(address));
		}
	} finally {
		stop(server);
	}
});

test('a proxy that wants a name and a password is told with how to give them', async () => {
	refusesWith = 407;
	try {
		for (const endpoint of ['http://hub.example', 'https://hub.example']) {
			const hub = createHubHttp({ endpoint, proxy: `http://127.0.0.1:${portOf(proxy)}` });
			await assert.rejects(hub.get(endpoint, {}, new AbortController().signal), {
				code: 'download_failed',
				message: /\(through the proxy 127\.0\.0\.1:\d+\): the proxy wants a name and a password\./,
			});
			hub.close();
		}
	} finally {
		refusesWith = 0;
	}
});

test('what Node itself fetches with stays as it is', () => {
	const parts = new URL('../../server/net/undici.ts', import.meta.url).href;
	const code = `await import(${JSON.stringify(parts)});
		console.log(Reflect.ownKeys(globalThis).map(String).filter((name) => name.includes('undici')).join());`;
	const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code]);
	assert.equal(String(stdout), '\n');
});

test('a body that nobody reads to its end disturbs nobody', async () => {
	const server = createServer((request, response) => {
		if (request.url === '/short') response.end('{}');
		else response.writeHead(200, { 'content-length': '1000000' }).write(Buffer.alloc(100_000));
	});
	await listen(server);
	const endpoint = `http://127.0.0.1:${portOf(server)}`;
	const hub = createHubHttp({ endpoint });
	try {
		for (const path of ['/short', '/long', '/short']) {
			const answer = await hub.get(endpoint + path, {}, new AbortController().signal);
			answer.body.destroy();
			// An error that nobody listens for would end the process in a later turn of the loop.
			await new Promise((resolve) => answer.body.once('close', resolve));
		}
	} finally {
		hub.close();
		stop(server);
	}
});
