/** Bulk work as an editor's front asks for it, with a real server. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { FailedItems, JobChange, JobInfo } from '../../server/protocol/index.ts';
import { connectFront } from '../support/editorDouble.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

let server: TestServer;
let client: MessageConnection;
before(async () => {
	server = await startTestServer();
	client = connectFront(() => server);
	client.listen();
	await client.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
});
after(async () => {
	client.dispose();
	await server.close();
});

const jobs = async () => (await client.sendRequest<{ jobs: JobInfo[] }>('nearglot/jobs', {})).jobs;
const change = (id: string, to: JobChange) =>
	client.sendRequest<JobInfo>('nearglot/jobs/change', { id, change: to });

/** Begins a batch of chats. */
async function begin(name: string, models: readonly string[]): Promise<string> {
	const lines = models.map((model, at) =>
		JSON.stringify({
			...{ custom_id: `request ${at}`, method: 'POST', url: '/v1/chat/completions' },
			body: { model, max_tokens: 4, messages: [{ role: 'user', content: `list ${at}` }] },
		}),
	);
	const form = new FormData();
	form.set('purpose', 'batch');
	form.set('file', new Blob([lines.join('\n')]), 'in.jsonl');
	const headers = { authorization: `Bearer ${server.key}` };
	const sent = await fetch(`${server.url}/v1/files`, { method: 'POST', headers, body: form });
	const file = (await sent.json()) as { id: string };
	const answer = await server.post('/v1/batches', {
		...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
		metadata: { name },
	});
	return ((await answer.json()) as { id: string }).id;
}

test('jobs are listed with their state, and those that failed with their requests, which are tried again', async () => {
	assert.deepEqual(await jobs(), []);
	const id = await begin('meetings.jsonl', ['starter-chat', 'no-such-model', 'starter-chat']);
	await until('the job is over', async () => (await jobs())[0]?.status === 'completed');
	const [job] = await jobs();
	assert.ok(job !== undefined);
	assert.deepEqual(
		{ ...job, createdAt: 0 },
		{
			...{ id, name: 'meetings.jsonl', endpoint: '/v1/chat/completions', status: 'completed' },
			...{ paused: false, done: 3, failed: 1, total: 3, createdAt: 0, hasErrors: true },
		},
	);
	const { items, hasMore } = await client.sendRequest<FailedItems>('nearglot/jobs/errors', { id });
	assert.equal(hasMore, false);
	assert.equal(items.length, 1);
	assert.equal(items[0]?.line, 2);
	assert.equal(items[0]?.customId, 'request 1');
	assert.match(items[0]?.message ?? '', /no-such-model/);
	const again = await change(id, 'retry');
	assert.notEqual(again.id, id);
	assert.equal((await jobs())[0]?.id, again.id);
});

test('a job rests, goes on and ends when it is told to, and says why it cannot', async () => {
	const id = await begin(
		'long.jsonl',
		Array.from({ length: 2000 }, () => 'starter-chat'),
	);
	const own = async () => (await jobs()).find((job) => job.id === id);
	assert.equal((await change(id, 'pause')).paused, true);
	assert.equal((await own())?.paused, true);
	assert.equal((await change(id, 'resume')).paused, false);
	await change(id, 'cancel');
	await until('the job is over', async () => (await own())?.status === 'cancelled');
	await assert.rejects(change(id, 'cancel'), /cannot be cancelled/);
	await assert.rejects(change('batch_none', 'pause'), /batch_none/);
	await assert.rejects(
		client.sendRequest('nearglot/jobs/errors', { id: 'batch_none' }),
		/batch_none/,
	);
});
