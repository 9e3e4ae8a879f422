/** The port for probes: readiness, numbers, and nothing else. */

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { listen } from '../../server/http/listen.ts';
import { answerOps, listenOps, type OpsServer } from '../../server/http/opsServer.ts';
import { Ending } from '../../server/net/ending.ts';
import { serverLoad } from '../../server/services/serverLoad.ts';
import { startTestServer } from '../support/testServer.ts';

const ending = new Ending();
const stats = { running: 3, waiting: 2 };
const models = [
	{ stats: { ...stats, kvBytes: 30, kvLimitBytes: 120 } },
	{ stats: { ...stats, kvBytes: 90, kvLimitBytes: 100 } },
	{ stats: { ...stats, running: 0, waiting: 0, kvBytes: 0, kvLimitBytes: 0 } },
];
const load = async () => serverLoad(models, [{ waiting: 5 }, { waiting: 0 }]);

let ops: OpsServer;
before(async () => {
	const backend = { ending, load };
	ops = await listenOps(backend, { port: 0, host: '127.0.0.1', names: 'vllm' });
});
after(() => ops.close());

/** The value behind a name of the scraped text. */
const sample = (text: string, name: string): number => {
	const line = text.split('\n').find((each) => each.startsWith(`${name} `));
	return line === undefined ? Number.NaN : Number(line.slice(name.length));
};

test('it is not ready before it can work, and from the moment it ends', async () => {
	const status = async (path: string) => (await fetch(ops.url + path)).status;
	assert.equal(ending.probed, false);
	const { promise, resolve } = Promise.withResolvers<void>();
	const prepared = ending.prepare(promise, 'the model is being loaded');
	const waiting = await fetch(`${ops.url}/readyz`);
	assert.equal(waiting.status, 503);
	assert.equal(await waiting.text(), 'not ready\nthe model is being loaded\n');
	assert.equal(await status('/livez'), 200);
	assert.equal(ending.probed, true, 'the soft end waits for those who choose by it');
	resolve();
	await prepared;
	assert.equal(await status('/readyz'), 200);
	ending.begin();
	assert.equal(await status('/readyz'), 503);
	assert.equal(await status('/livez'), 200);
	assert.equal(sample(await (await fetch(`${ops.url}/metrics`)).text(), 'nearglot_ready'), 0);
});

test('its numbers are totals over all models and queues, without a name in them', async () => {
	const answer = await fetch(`${ops.url}/metrics`);
	assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
	const text = await answer.text();
	assert.doesNotMatch(text, /[{}]/, 'labels could name models and people');
	for (const [name, alias, value] of [
		['nearglot_requests_waiting', 'vllm:num_requests_waiting', 9],
		['nearglot_requests_running', 'vllm:num_requests_running', 6],
		['nearglot_kv_cache_usage_ratio', 'vllm:kv_cache_usage_perc', 0.9],
	] as const) {
		assert.equal(sample(text, name), value);
		assert.equal(sample(text, alias), value);
		assert.match(text, new RegExp(`# HELP ${name} .*\n# TYPE ${name} gauge\n`));
	}
	assert.equal(sample(text, 'nearglot_models_loaded'), 3);
});

test('any address is answered, and nothing can be done here', async () => {
	const { hostname, port } = new URL(ops.url);
	const status = (path: string, method: string) =>
		new Promise((resolve, reject) => {
			const headers = { host: 'pod-7.cluster.example' };
			request({ hostname, port, path, method, headers }, (response) => {
				response.resume();
				resolve(response.statusCode);
			})
				.on('error', reject)
				.end();
		});
	for (const path of ['/livez', '/metrics', '/metrics?name=x'])
		for (const method of ['GET', 'HEAD']) assert.equal(await status(path, method), 200, path);
	assert.equal(await status('/metrics', 'POST'), 405);
	for (const path of ['/', '/v1/models', '/nearglot/shutdown', '/constructor', '//livez'])
		assert.equal(await status(path, 'GET'), 404, path);
});

test('the port of all requests answers probes and scrapers where it is told to, without a key and by any name', async () => {
	const server = await startTestServer({ fakeRunner: true });
	const listener = await listen(server.backend, {
		...{ port: 0, host: '127.0.0.1', key: server.key, requireKey: true },
		...{ allowedOrigins: [], allowedHosts: [], ops: answerOps(server.backend, 'nearglot') },
	});
	const { port } = new URL(listener.url);
	const asked = (path: string) =>
		new Promise<number | undefined>((resolve, reject) =>
			request({ port, path, host: '127.0.0.1', headers: { host: '10.2.3.4:8080' } }, (response) => {
				response.resume();
				resolve(response.statusCode);
			})
				.on('error', reject)
				.end(),
		);
	try {
		for (const path of ['/livez', '/readyz', '/metrics'])
			assert.equal(await asked(path), 200, path);
		for (const path of ['/v1/models', '/metrics/x'])
			assert.ok([401, 403].includes((await asked(path)) ?? 0), path);
	} finally {
		await listener.close();
		await server.close();
	}
});
