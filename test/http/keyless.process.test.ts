/** What programs of this user may do without the key, and how a web page is told from a program. */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { declarations } from '../../server/http/callerRoles.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { pathOf } from './allRoutes.ts';

const page = 'https://studio.example';
let server: TestServer;
before(async () => {
	server = await startTestServer({
		fakeRunner: true,
		env: { HF_ENDPOINT: 'http://127.0.0.1:1' },
		listen: { allowedOrigins: [page] },
	});
});
after(() => server.close());

/** `fetch` adds headers of its own, so this goes below it. */
function ask(path: string, headers: Readonly<Record<string, string>>, method = 'GET') {
	return new Promise<{ status: number; text: string }>((resolve, reject) => {
		const call = request(new URL(path, server.url), { method, headers }, (response) => {
			let text = '';
			response.setEncoding('utf8').on('data', (part: string) => {
				text += part;
			});
			response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
		});
		call.once('error', reject).end();
	});
}

const words = /A web page may have caused this/;
const mozilla = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 Version/15.0 Safari/605.1.15';
const changing = Object.entries(declarations)
	.filter(([, { changes, also }]) => changes && also?.includes('local'))
	.map(([route]) => pathOf({ method: 'GET', path: route.slice('GET '.length) }));

test('a GET that changes something is refused when a page may have caused it', async () => {
	assert.equal(changing.length, 6);
	for (const path of changing)
		for (const method of ['GET', 'HEAD'])
			for (const headers of [
				{ 'user-agent': mozilla },
				{ 'user-agent': mozilla, referer: 'https://evil.example/' },
				{ referer: 'https://evil.example/' },
				{ 'sec-fetch-mode': 'no-cors' },
				{ 'sec-fetch-dest': 'image' },
				{ 'user-agent': mozilla, 'sec-fetch-mode': 'cors' },
				{ 'sec-ch-ua': '"x"' },
				{ 'user-agent': mozilla, 'x-api-key': 'guess' },
			] as Record<string, string>[]) {
				const { status, text } = await ask(path, headers, method);
				assert.equal(status, 403, `${method} ${path} ${JSON.stringify(headers)}`);
				if (method === 'GET') assert.match(text, words);
			}
	// Nothing of that hinders reading.
	assert.equal((await ask('/openai/getgpudevice', { 'user-agent': mozilla })).status, 200);
});

test('a POST that only a Referer tells to be of a page elsewhere is refused', async () => {
	const post = (headers: Record<string, string>) => ask('/libretranslate/detect', headers, 'POST');
	for (const referer of ['https://evil.example/a', 'http://127.0.0.1:1/', 'nonsense']) {
		const { status, text } = await post({ 'user-agent': mozilla, referer });
		assert.equal(status, 403, referer);
		assert.match(text, words);
	}
	for (const headers of [
		{},
		{ referer: `${server.url}/` },
		{ referer: `${page}/chat` },
		{ referer: 'https://evil.example/', ...server.keyed },
	] as Record<string, string>[])
		assert.equal((await post(headers)).status, 400, JSON.stringify(headers));
});

test('programs, the key, typed addresses, own pages and allowed origins get through', async () => {
	for (const path of changing)
		for (const headers of [
			{},
			{ 'user-agent': 'python-requests/2.32' },
			{ 'user-agent': 'foundry-local-js-sdk/0.5' },
			// As `fetch` of Node has it.
			{ 'user-agent': 'node', 'sec-fetch-mode': 'cors', accept: '*/*', 'accept-language': '*' },
			{ 'user-agent': mozilla, 'sec-fetch-site': 'none' },
			{ 'user-agent': mozilla, 'sec-fetch-site': 'same-origin' },
			{ 'user-agent': mozilla, origin: page, 'sec-fetch-site': 'cross-site' },
			{ 'user-agent': mozilla, origin: page },
			{ 'user-agent': mozilla, referer: 'https://evil.example/', ...server.keyed },
		] as Record<string, string>[]) {
			const { status, text } = await ask(path, headers);
			assert.doesNotMatch(text, words, `${path} ${JSON.stringify(headers)}`);
			assert.notEqual(status, 401, path);
		}
});

test('without the key only models of the catalogue are downloaded, to the folder of models', async () => {
	const known = server.backend.models.entries()[0];
	assert.ok(known);
	const download = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
		const response = await server.post('/openai/download', body, { headers });
		return { status: response.status, text: await response.text() };
	};
	for (const body of [
		{ model: 'someone/anything' },
		{ model: { Name: 'someone/anything' } },
		{ model: { Uri: 'hf://someone/anything' } },
		{ model: known.id, token: 'hf_x' },
		{ model: known.id, customDirPath: '/tmp/elsewhere' },
	]) {
		const keyless = await download(body);
		assert.equal(keyless.status, 401, JSON.stringify(body));
		assert.match(keyless.text, /needs the key of the model server/);
		for (const headers of [server.member(), { 'x-nearglot-role': 'member' }])
			assert.match(String((await download(body, headers)).status), /^40[13]$/);
	}
	// It begins, and finds no hub.
	const begun = await download({ model: known.id });
	assert.equal(begun.status, 200, begun.text);
	const owned = await download({ model: 'someone/anything' }, server.keyed);
	assert.equal(owned.status, 200, owned.text);
	assert.equal((await download({ model: 'starter-chat' })).status, 200, 'is here already');
	assert.equal((await download({ model: 'no-such-model' })).status, 404);
});
