/** Recordings that are transcribed in the background, as an editor's front asks for them, with a real server. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { QueuedList, Transcript } from '../../server/protocol/index.ts';
import { connectFront } from '../support/editorDouble.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const speech = join(import.meta.dirname, '..', 'fixtures', 'speech');
let server: TestServer;
let client: MessageConnection;
before(async () => {
	server = await startTestServer({ settings: { jobs: { tickMs: 30, width: 1 } } });
	client = connectFront(() => server);
	client.listen();
	await client.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
});
after(async () => {
	client.dispose();
	await server.close();
});

const list = async (...ids: readonly string[]) =>
	(await client.sendRequest<QueuedList>('nearglot/recordings', { ids })).recordings;
const choice = { model: '', language: '', english: false };
const queue = (path: string, mark: string, more = {}) =>
	client.sendRequest<{ id: string }>('nearglot/recordings/queue', {
		...{ path, name: `${mark}.flac`, mark, ...choice, ...more },
	});

test('a recording that was handed over is found by its mark, its transcript taken, and then forgotten', async () => {
	const { id } = await queue(join(speech, 'annie.flac'), 'first');
	await until('it is done', async () => (await list(id))[0]?.state === 'done');
	assert.deepEqual(await list(id), [{ id, mark: 'first', name: 'first.flac', state: 'done' }]);
	const transcript = await client.sendRequest<Transcript>('nearglot/recordings/take', { id });
	assert.match(transcript.text, /window/i);
	assert.ok((transcript.words?.length ?? 0) > 3, 'with the times of its words');
	await client.sendRequest('nearglot/recordings/forget', { id });
	await assert.rejects(client.sendRequest('nearglot/recordings/take', { id }));
});

test('one that is no recording says so, and only models of this computer work in the background', async () => {
	const path = join(temporaryFolder('recordings'), 'notes.flac');
	writeFileSync(path, 'These are notes.');
	const { id } = await queue(path, 'notes');
	await until('it has failed', async () => (await list(id))[0]?.state === 'failed');
	const [failed] = await list(id);
	assert.equal(failed?.id, id);
	assert.match(failed?.reason ?? '', /audio|recording/i);
	await assert.rejects(queue(path, 'english', { english: true }), /language that is spoken/);
	await assert.rejects(queue(path, 'team', { model: 'team:some-model' }), /this computer/);
	await assert.rejects(queue(join(path, 'gone'), 'gone'), /cannot be read/);
});

test('an editor in German reads in German what is refused and why a recording failed', async () => {
	const own = connectFront(() => server);
	own.listen();
	const initialize = { processId: null, rootUri: null, capabilities: {}, locale: 'de-DE' };
	await own.sendRequest('initialize', initialize);
	const path = join(temporaryFolder('recordings'), 'notes.flac');
	writeFileSync(path, 'These are notes.');
	const params = { ...{ path, name: 'n.flac', mark: 'n', ...choice }, english: true };
	await assert.rejects(
		own.sendRequest('nearglot/recordings/queue', params),
		/Das wird hier nicht unterstützt\. Der Server meldet: In the background/,
	);
	const { id } = await queue(path, 'notes');
	await until('it has failed', async () => (await list(id))[0]?.state === 'failed');
	const { recordings } = await own.sendRequest<QueuedList>('nearglot/recordings', { ids: [id] });
	assert.match(recordings[0]?.reason ?? '', /^Der Ton kann nicht gelesen werden\./);
	own.dispose();
});
