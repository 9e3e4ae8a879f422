/** What items of `nearglot batch run --shard` do when their daemon is gone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemOver } from '../../server/cli/batchShards.ts';
import { connectTo } from '../../server/daemon/daemonConnection.ts';
import { codeOf } from '../../server/jobs/itemFailures.ts';
import type { ItemAnswer } from '../../server/jobs/itemRow.ts';
import { requestItem } from '../../server/jobs/runItem.ts';
import { AppError } from '../../server/protocol/index.ts';
import { freePort } from '../support/freePort.ts';

const owner = { caller: 'local', person: 'local' } as const;
const call = { owner, url: '/v1/completions', body: {} };
const { signal } = new AbortController();

test('an item whose daemon was killed is not answered by that, and a part without any for long ends with the reason', async () => {
	let minutes = 0;
	let isThere = false;
	const daemon = {
		request: async () => {
			if (isThere) return Response.json({ fine: true });
			throw new AppError('daemon_unavailable', 'The model server does not answer.');
		},
	};
	const run = itemOver(daemon, '/', () => minutes * 60_000);
	const codeOf = async () =>
		((await run(call, signal)).body as { error?: { code: string } }).error?.code;
	assert.equal(await codeOf(), 'daemon_unavailable');
	minutes = 9;
	assert.equal(await codeOf(), 'daemon_unavailable');
	isThere = true;
	assert.equal(await codeOf(), undefined);
	isThere = false;
	minutes = 25;
	assert.equal(await codeOf(), 'daemon_unavailable', 'the time begins anew');
	minutes = 36;
	await assert.rejects(run(call, signal), { code: 'daemon_unavailable' });
});

test('an item that ends each daemon becomes a row, and those that ran beside it have their answers', async () => {
	const running = new Set<string>();
	let ended = Promise.withResolvers<never>();
	const alone: boolean[] = [];
	const daemon = {
		request: async (path: string, init?: RequestInit) => {
			if (path === '/health') return Response.json({});
			const { item } = JSON.parse(String(init?.body)) as { item: string };
			running.add(item);
			try {
				await new Promise((resolve) => setImmediate(resolve));
				if (item === 'poison') {
					alone.push(running.size === 1);
					ended.promise.catch(() => {});
					ended.reject(new AppError('daemon_unavailable'));
					ended = Promise.withResolvers();
					throw new AppError('daemon_unavailable');
				}
				const answered = new Promise<Response>((resolve) =>
					setImmediate(() => resolve(Response.json({ item }))),
				);
				return await Promise.race([answered, ended.promise]);
			} finally {
				running.delete(item);
			}
		},
	};
	const run = itemOver(daemon, '/');
	const ask = (item: string) =>
		requestItem(run, { owner, url: call.url, body: { item } }, async () => {}, signal);
	const [poison, ...others] = await Promise.all(['poison', 'a', 'b', 'c'].map(ask));
	assert.deepEqual(
		others.map(({ body }) => body),
		['a', 'b', 'c'].map((item) => ({ item })),
	);
	assert.equal(codeOf(poison as ItemAnswer), 'runner_crashed');
	assert.deepEqual(alone, [false, true, true, true]);
});

test('why no other daemon can be started is no answer to a request', async () => {
	const gone = {
		pid: 1,
		url: `http://127.0.0.1:${await freePort()}`,
		key: 'k',
		secret: 's',
		version: '1',
		startedAt: '',
	};
	const daemon = connectTo({ ...gone, pipe: '' }, async () => {
		throw new AppError('out_of_memory', 'There is no room for it.');
	});
	await assert.rejects(daemon.request('/v1/completions', { method: 'POST', body: '{}' }), {
		...{ code: 'daemon_unavailable', message: 'There is no room for it.' },
	});
});
