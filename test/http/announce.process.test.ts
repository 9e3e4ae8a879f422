/** Models are told of the requests of those who have been let in and may wait for an answer, and of nobody else's. */

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { startTestServer } from '../support/testServer.ts';

test('a request is announced when its caller has been let in and may wait for what a model says', async () => {
	const server = await startTestServer({ fakeRunner: true, listen: { requireKey: true } });
	try {
		const { mock: told } = mock.method(server.backend.host, 'expect');
		const asked = async (path: string, init: RequestInit) => {
			const before = told.callCount();
			const response = await fetch(server.url + path, init);
			await response.arrayBuffer();
			return { status: response.status, isTold: told.callCount() > before };
		};
		const chat = '/v1/chat/completions';
		const messages = [{ role: 'user', content: 'hello' }];
		const body = JSON.stringify({ model: 'starter-chat', messages });
		const headers = { ...server.keyed, 'content-type': 'application/json' };
		const post = { method: 'POST', headers, body };
		assert.deepEqual(await asked(chat, post), { status: 200, isTold: true });
		const stranger = { ...post, headers: { 'content-type': 'application/json' } };
		assert.deepEqual(await asked(chat, stranger), { status: 401, isTold: false });
		const background = { ...post, headers: { ...headers, priority: 'u=7' } };
		assert.deepEqual(await asked(chat, background), { status: 200, isTold: false });
		assert.equal((await asked('/v1/models', { headers: server.keyed })).isTold, false);
		assert.equal((await asked('/v1/files', post)).isTold, false);
	} finally {
		await server.close();
	}
});
