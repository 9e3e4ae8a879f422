/**
 * Bodies that are almost right, over HTTP: none is a 500, none hangs, each error has its interface's shape, and the
 * server goes on. `npm run bench -- hostile --bodies 3000` sends more of them to a daemon of its own.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { jsonRoutes, sendMutatedBodies } from './mutatedBodies.ts';

/** A place where nobody answers: names of models out of a hat are looked up nowhere. */
const nowhere = 'http://127.0.0.1:9';
let server: TestServer;
before(async () => {
	const env = { HF_ENDPOINT: nowhere, NEARGLOT_STUDENTS: nowhere };
	server = await startTestServer({ fakeRunner: true, env });
});
after(() => server.close());

test('two bodies for each JSON route, made of its schema and changed, are answered as they should be', async (t) => {
	const seed = 26;
	t.diagnostic(`seed ${seed}`);
	assert.ok(jsonRoutes.length >= 80, `${jsonRoutes.length} routes`);
	const { problems, sent } = await sendMutatedBodies({
		...{ url: server.url, headers: server.keyed, model: 'starter-chat' },
		...{ seed, count: 2 * jsonRoutes.length },
	});
	assert.deepEqual(problems, [], `seed ${seed}`);
	assert.equal(sent, 2 * jsonRoutes.length);
	assert.deepEqual(server.stopped, []);
	assert.equal((await fetch(`${server.url}/health`)).status, 200);
});

test('what Japanese readings cannot look up stays as it is', async () => {
	const path = '/transliterate?api-version=3.0&language=ja&fromScript=Jpan&toScript=Latn';
	const answer = await server.post(path, [{ Text: '\u0000\ufffd' }, { Text: '日本\u0000語' }]);
	assert.equal(answer.status, 200);
	const texts = ((await answer.json()) as { text: string }[]).map(({ text }) => text);
	assert.equal(texts[0], '\u0000\ufffd');
	assert.match(texts[1] ?? '', /^nippon\u0000/i);
});
