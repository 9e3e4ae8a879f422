/** An engine on a machine that drops what is sent to it: found out once, for all of its models. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openUpstreamFile } from '../../server/daemon/upstreamBackend.ts';
import { listUpstreams } from '../../server/protocol/routeAddresses.ts';
import { startSilentMachine } from '../support/silentMachine.ts';
import { needsLinux } from '../support/systemNeeds.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

interface Listed {
	readonly id: string;
	readonly problem?: string;
}

test('a machine that answers no connection is found out in the time of a connection, for all models, and marked in lists', {
	skip: needsLinux,
}, async () => {
	const machine = await startSilentMachine('{"data":[{"id":"a"},{"id":"b"}]}');
	try {
		const url = `http://127.0.0.1:${machine.port}/v1`;
		const lab = { name: 'lab', url, models: [], timeoutS: 2 };
		await openUpstreamFile(server.backend.settings.dataDir).change(() => [
			{ upstreams: [lab] },
			undefined,
		]);
		const ask = async (model: string) => {
			const messages = [{ role: 'user', content: 'Hello' }];
			const response = await server.post('/v1/chat/completions', { model, messages });
			const { error } = (await response.json()) as { error: { code: string; message: string } };
			return { ...error, status: response.status, again: response.headers.get('retry-after') };
		};
		const list = async (): Promise<Listed[]> => {
			const { data } = (await (
				await fetch(new URL('/v1/models', server.url), { headers: server.keyed })
			).json()) as { data: Listed[] };
			return data.filter(({ id }) => id.startsWith('lab/'));
		};
		assert.deepEqual(
			(await list()).map(({ id, problem }) => [id, problem]),
			[
				['lab/a', undefined],
				['lab/b', undefined],
			],
		);
		await machine.fallSilent();
		const first = await ask('lab/a');
		assert.equal(first.status, 502);
		assert.match(first.message, /^The engine 'lab' \(.*\) answers no connection \(1 s\)\. /);
		const other = await ask('lab/b');
		assert.equal(other.status, 502);
		assert.match(other.message, /answered no connection and is left alone .* all its models/);
		assert.ok(Number(other.again) > 0);
		for (const { problem } of await list()) assert.match(problem ?? '', /^The engine 'lab' .*away/);
		const own = await server.client.call(listUpstreams, {});
		for (const { notices } of own.models)
			assert.match(notices?.[0]?.message ?? '', /^The engine 'lab' .*away/, 'editors show it');
		machine.wake();
		const tested = await server.post('/nearglot/upstreams/lab/test', '', {
			headers: server.keyed,
		});
		assert.deepEqual(((await tested.json()) as { models: string[] }).models, ['lab/a', 'lab/b']);
		assert.deepEqual(
			(await list()).map(({ problem }) => problem),
			[undefined, undefined],
		);
	} finally {
		machine.stop();
	}
});
