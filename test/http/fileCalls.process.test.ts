/** How many file system calls requests make, with many models on disk: what is known is not asked again. */

import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import { countFileCalls } from '../support/fileCalls.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

const folder = temporaryFolder('calls');
let server: TestServer;
before(async () => {
	const models = join(folder, 'models');
	await mkdir(models);
	const starter = join(builtInModelsDir() ?? '', 'starter-translate');
	for (let index = 0; index < 20; index++)
		await symlink(starter, join(models, `linked-${index}`), 'junction');
	server = await startTestServer({ modelsDir: models, fakeRunner: true });
});
after(async () => {
	await server.close();
});

/** Calls that a request makes when it comes again; with the check of the folders that is due once a second. */
const maxCalls = 50;

async function callsOf(ask: () => Promise<Response>): Promise<number> {
	const once = async () => {
		const response = await ask();
		const text = await response.text();
		assert.equal(response.status, 200, text);
	};
	await once();
	using calls = countFileCalls();
	await once();
	return calls.take().total;
}

const texts = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ Text: `The house number ${index} is old.` }));

const translate = (count: number, more = '') =>
	server.post(`/translate?api-version=3.0&from=en&to=de${more}`, texts(count));

test('a translation of one cached text', async () => {
	assert.ok((await callsOf(() => translate(1))) <= maxCalls);
});

test('a translation of 100 cached texts', async () => {
	assert.ok((await callsOf(() => translate(100))) <= maxCalls);
});

test('a translation of 100 cached texts in detected languages to two others', async () => {
	const ask = () => server.post('/translate?api-version=3.0&to=de&to=fr', texts(100));
	assert.ok((await callsOf(ask)) <= maxCalls);
});

test('the list of models', async () => {
	const ask = () => fetch(`${server.url}/nearglot/models/list`, { headers: server.keyed });
	assert.ok((await callsOf(ask)) <= maxCalls);
});

test('a question of a chat', async () => {
	const ask = () =>
		server.post('/v1/chat/completions', {
			model: 'starter-chat',
			messages: [{ role: 'user', content: 'Hello' }],
		});
	assert.ok((await callsOf(ask)) <= maxCalls);
});
