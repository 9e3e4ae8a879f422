/** The last requests are the owner's to see, once switched on, and lie nowhere but in memory. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { listRequests, readRequest } from '../../server/protocol/routes/requests.ts';
import type { AnswerOf } from '../../server/protocol/routes/route.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

type List = AnswerOf<typeof listRequests>;
const secret = 'where is the treasure';

async function read<T>(path: string, body?: object, headers = server.keyed): Promise<T> {
	const response = await fetch(server.url + path, {
		headers: { ...headers, 'content-type': 'application/json' },
		...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
	});
	assert.equal(response.status, 200, path);
	return (await response.json()) as T;
}

async function filesWith(text: string): Promise<string[]> {
	const { dataDir } = server.backend.settings;
	const names = await readdir(dataDir, { recursive: true, withFileTypes: true });
	const files = names
		.filter((each) => each.isFile())
		.map((each) => join(each.parentPath, each.name));
	const found = await Promise.all(
		files.map(async (file) => ((await readFile(file)).includes(text) ? [file] : [])),
	);
	return found.flat();
}

const ask = (path: string, more: object) =>
	read(path, { model: 'starter-chat', ...more }, { ...server.keyed });

test('requests are recorded only while the owner wants it, whichever interface they came by', async () => {
	const messages = [{ role: 'user', content: secret }];
	await ask('/v1/chat/completions', { messages });
	assert.deepEqual(await read<List>('/nearglot/requests'), { isRecording: false, requests: [] });
	await read('/nearglot/requests', { recording: true });
	const tools = [{ type: 'function', function: { name: 'dig', parameters: { type: 'object' } } }];
	await ask('/v1/chat/completions', { messages, tools, max_tokens: 5 });
	await ask('/v1/responses', { input: secret, store: false });
	await ask('/v1/messages', { messages, max_tokens: 5 });
	await ask('/api/chat', { messages, stream: false });
	const { requests } = await read<List>('/nearglot/requests');
	assert.deepEqual(
		requests.map(({ route }) => route),
		['/api/chat', '/v1/messages', '/v1/responses', '/v1/chat/completions'],
	);
	for (const { id, state, usage, timings, ms } of requests) {
		assert.equal(state, 'done');
		assert.ok(usage && timings && typeof ms === 'number');
		const detail = await read<AnswerOf<typeof readRequest>>(`/nearglot/requests/${id}`);
		assert.ok(detail.prompt?.includes(secret), detail.prompt);
		assert.notEqual(detail.prompt, secret, 'as the template writes it');
		assert.equal(detail.answer, 'Hello there.');
		assert.ok(!('owner' in detail.request));
	}
	const first = await read<AnswerOf<typeof readRequest>>(`/nearglot/requests/${requests[3]?.id}`);
	const again = await read<{ choices: unknown[] }>('/v1/chat/completions', first.request);
	assert.equal(again.choices.length, 1, 'what is recorded can be asked again');
	assert.deepEqual(await filesWith(secret), []);
	await read('/nearglot/requests', { recording: false });
	assert.deepEqual(await read<List>('/nearglot/requests'), { isRecording: false, requests: [] });
});

test('nobody but the owner and the owner’s pages may look', async () => {
	const paths = ['/nearglot/requests', '/nearglot/requests/req_1'];
	for (const headers of [{}, { ...server.keyed, ...server.member() }])
		for (const path of paths) {
			const { status } = await fetch(server.url + path, { headers });
			assert.ok([401, 403].includes(status), `${path}: ${status}`);
		}
	const missing = await fetch(`${server.url}/nearglot/requests/req_99`, { headers: server.keyed });
	assert.equal(missing.status, 404);
});
