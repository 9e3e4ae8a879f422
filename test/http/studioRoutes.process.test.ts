/** What the address of the daemon shows, and the link that opens its page for the owner. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mayCall } from '../../server/http/callerRoles.ts';
import { suggestModelsRoute } from '../../server/protocol/routes/models.ts';
import { claimStudio, openStudio } from '../../server/protocol/routes/studio.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { allRoutes, callRoute } from './allRoutes.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true, listen: { requireKey: true } });
});
after(() => server.close());

/** Opens the page as the editor does; the headers it calls with then. */
async function openPage(): Promise<Record<string, string>> {
	const { url } = await server.client.call(openStudio, {});
	const ticket = new URLSearchParams(new URL(url).hash.slice(1)).get('ticket') ?? '';
	const { token } = await server.client.call(claimStudio, { body: { ticket } });
	return { authorization: `Bearer ${token}` };
}

test('the address says what is there, as a page to browsers and as text to programs', async () => {
	const page = await fetch(server.url, { headers: { accept: 'text/html,*/*' } });
	assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
	const policy = page.headers.get('content-security-policy') ?? '';
	assert.match(policy, /^default-src 'none'/);
	assert.doesNotMatch(policy, /unsafe/);
	const text = await (await fetch(server.url)).text();
	assert.match(text, /^Nearglot is running\./);
	assert.match(text, /\/v1\/models/);
});

test('a link opens one page, once, with a token of its own', async () => {
	const { url } = await server.client.call(openStudio, {});
	assert.ok(!url.includes(server.key), 'the key itself is not in the address');
	const ticket = new URLSearchParams(new URL(url).hash.slice(1)).get('ticket') ?? '';
	const claim = () => server.post('/studio/claim', { ticket });
	const first = await claim();
	assert.equal(first.status, 200);
	const { token } = (await first.json()) as { token: string };
	assert.notEqual(token, server.key);
	assert.equal(first.headers.get('cache-control'), 'no-store');
	assert.equal((await claim()).status, 403);
});

test('links are made for those who know the key, and invented ones open nothing', async () => {
	assert.equal((await server.post('/nearglot/studio', {})).status, 401);
	assert.equal((await server.post('/studio/claim', { ticket: 'guess' })).status, 403);
	assert.equal((await server.post('/studio/claim', {})).status, 400);
});

test('the token of a page opens what the page does, and nothing else', async () => {
	const headers = await openPage();
	for (const path of ['/v1/models', '/nearglot/models/list', '/languages?api-version=3.0'])
		assert.equal((await fetch(server.url + path, { headers })).status, 200, path);
	const count = '/v1/chat/completions/tokenizer/encode/count';
	const body = { model: 'starter-chat', messages: [{ role: 'user', content: 'x' }] };
	assert.equal((await server.post(count, body, { headers })).status, 200);
	for (const route of allRoutes(server.backend)) {
		const request = `${route.method} ${route.path}`;
		const { status, text } = await callRoute(server, route, headers);
		assert.equal(status === 403, !mayCall('studio', request), `${request}: ${text}`);
	}
	const secret = ['/mcp', '/nearglot/studio', '/nearglot/shutdown', '/nearglot/secrets/set'];
	for (const path of [...secret, '/nearglot/recorder', '/nearglot/models/register'])
		assert.equal((await server.post(path, {}, { headers })).status, 403, path);
	assert.deepEqual(server.stopped, []);
	// Through a sign-in layer it is worth no more than a member.
	const asMember = { ...headers, 'x-nearglot-role': 'member' };
	const list = await fetch(`${server.url}/nearglot/models/list`, { headers: asMember });
	assert.ok(list.status === 401 || list.status === 403);
	// It is no key of the translate interface.
	const key = headers['authorization']?.slice('Bearer '.length) ?? '';
	const elsewhere = { headers: { 'ocp-apim-subscription-key': key } };
	const other = await server.post('/translate?api-version=3.0&to=de', [{ Text: 'x' }], elsewhere);
	assert.equal(other.status, 401);
});

test('models are proposed for this computer, with what the proposal rests on', async () => {
	const { machine, models } = await server.client.call(suggestModelsRoute, {});
	assert.ok((machine.diskFreeBytes ?? 0) > 0, 'of the folder that is there already');
	assert.ok(machine.memoryBytes > 1e8 && machine.bytesPerSecond > 1e8);
	for (const { model, sizeBytes, memoryBytes } of models) {
		assert.equal(model.task, 'chat-completion');
		assert.ok(sizeBytes > 0 && memoryBytes > sizeBytes && memoryBytes < machine.memoryBytes);
	}
	await assert.rejects(server.client.call(suggestModelsRoute, { query: { task: 'singing' } }), {
		code: 'invalid_request',
	});
});

test('pages find their files below whatever path a proxy puts in front', async () => {
	for (const path of ['/', '/recorder']) {
		const response = await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' } });
		const files = [...(await response.text()).matchAll(/(?:src|href)="([^":]+)"/g)];
		assert.equal(files.length, 2, path);
		for (const [, file = ''] of files) {
			const seen = new URL(file, `https://team.example/proxy/4711${path}`).pathname;
			assert.match(seen, /^\/proxy\/4711\/studio\/\w+\.(?:js|css)$/);
		}
	}
});
