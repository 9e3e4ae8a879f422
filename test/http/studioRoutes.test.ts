/** What the address of the daemon shows, and the link that brings its key to a browser. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from './testServer.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true, listen: { requireKey: true } });
});
after(() => server.close());

const keyed = () => ({ headers: { authorization: `Bearer ${server.key}` } });

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

test('a link brings the key to one page, once', async () => {
	const made = await server.post('/nearglot/studio', {}, keyed());
	const { url } = (await made.json()) as { url: string };
	assert.ok(!url.includes(server.key), 'the key itself is not in the address');
	const ticket = new URLSearchParams(new URL(url).hash.slice(1)).get('ticket') ?? '';
	const claim = () => server.post('/studio/claim', { ticket });
	const first = await claim();
	assert.equal(first.status, 200);
	assert.deepEqual(await first.json(), { key: server.key });
	assert.equal(first.headers.get('cache-control'), 'no-store');
	assert.equal((await claim()).status, 403);
});

test('links are made for those who know the key, and invented ones open nothing', async () => {
	assert.equal((await server.post('/nearglot/studio', {})).status, 401);
	assert.equal((await server.post('/studio/claim', { ticket: 'guess' })).status, 403);
	assert.equal((await server.post('/studio/claim', {})).status, 400);
});

test('models are proposed for this computer, with what the proposal rests on', async () => {
	const ask = (query: string) =>
		fetch(new URL(`/nearglot/models/suggest${query}`, server.url), keyed());
	const { machine, models } = (await (await ask('')).json()) as {
		machine: { memoryBytes: number; diskFreeBytes: number; bytesPerSecond: number };
		models: { model: { task: string }; sizeBytes: number; memoryBytes: number }[];
	};
	assert.ok(machine.diskFreeBytes > 0, 'of the folder that is there already');
	assert.ok(machine.memoryBytes > 1e8 && machine.bytesPerSecond > 1e8);
	for (const { model, sizeBytes, memoryBytes } of models) {
		assert.equal(model.task, 'chat-completion');
		assert.ok(sizeBytes > 0 && memoryBytes > sizeBytes && memoryBytes < machine.memoryBytes);
	}
	assert.equal((await ask('?task=singing')).status, 400);
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
