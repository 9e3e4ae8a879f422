import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type DownloadFileOptions, downloadFile } from '../../server/hub/downloadFile.ts';
import { createHubHttp, type HubHttp } from '../../server/hub/http.ts';
import { readRepository } from '../../server/hub/repository.ts';
import { serve, startHub, type TestHub, testCommit } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const big = randomBytes(20 * 1024 * 1024 + 12345);
const content = {
	'onnx/model.onnx': big,
	'config.json': Buffer.from('{"a":1}'),
	empty: Buffer.alloc(0),
};
const never = new AbortController().signal;
const folder = temporaryFolder('hub ü');

let counter = 0;
async function fetchOne(
	hub: TestHub,
	http: HubHttp,
	path: string,
	more: Partial<DownloadFileOptions> = {},
	signal = never,
): Promise<string> {
	const repository = await readRepository(http, 'acme/tiny', 'main', signal);
	const file = repository.files.find((entry) => entry.path === path);
	assert.ok(file, `${path} is not listed by ${hub.url}`);
	const target = more.target ?? join(folder, String(counter++), ...path.split('/'));
	await downloadFile(
		http,
		{ repository: 'acme/tiny', commit: testCommit, file, backoffMs: 5, ...more, target },
		signal,
	);
	return target;
}

test('a file arrives in parts and is equal to the original', async () => {
	await using hub = await startHub(content);
	const http = createHubHttp({ endpoint: hub.url });
	let last = 0;
	const target = await fetchOne(hub, http, 'onnx/model.onnx', {
		onProgress: (done) => (last = done),
	});
	assert.ok((await readFile(target)).equals(big));
	assert.equal(last, big.length);
	assert.ok(hub.requests.filter((entry) => entry.range !== undefined).length >= 3);
	assert.deepEqual(await readdir(join(target, '..')), ['model.onnx']);
	http.close();
});

test('small and empty files arrive too', async () => {
	await using hub = await startHub(content);
	const http = createHubHttp({ endpoint: hub.url });
	assert.equal(await readFile(await fetchOne(hub, http, 'config.json'), 'utf8'), '{"a":1}');
	assert.equal(await readFile(await fetchOne(hub, http, 'empty'), 'utf8'), '');
	http.close();
});

test('a server without ranges is read once from start to end', async () => {
	await using hub = await startHub(content, { ranges: false });
	const http = createHubHttp({ endpoint: hub.url });
	const target = await fetchOne(hub, http, 'onnx/model.onnx');
	assert.ok((await readFile(target)).equals(big));
	assert.equal(hub.requests.filter((entry) => entry.path.includes('/resolve/')).length, 1);
	http.close();
});

test('truncation, 500, 429 and stalls are retried where they stopped', async () => {
	let faults = 0;
	await using hub = await startHub(content);
	hub.faults.onFile = (request, response, name) => {
		faults++;
		if (faults === 1) {
			response.writeHead(500).end();
			return true;
		}
		if (faults === 2) {
			response.writeHead(429, { 'retry-after': '0.01' }).end();
			return true;
		}
		if (faults === 3 || faults === 5) {
			const start = Number(request.headers.range?.match(/\d+/)?.[0] ?? 0);
			const end = Number(request.headers.range?.match(/-(\d+)/)?.[1]);
			response.writeHead(206, {
				'content-length': end - start + 1,
				'content-range': `bytes ${start}-${end}/${big.length}`,
			});
			response.write(big.subarray(start, start + 300_000), () => {
				if (faults === 3) response.destroy();
			});
			return true;
		}
		serve(request, response, hub, big, name);
		return true;
	};
	const http = createHubHttp({ endpoint: hub.url });
	const target = await fetchOne(hub, http, 'onnx/model.onnx', { stallTimeoutMs: 400 });
	assert.ok((await readFile(target)).equals(big));
	http.close();
});

test('a damaged file is thrown away, fetched once more, then refused with the reason', async () => {
	await using hub = await startHub(content);
	const damaged = Buffer.from(big);
	damaged[777] = (damaged[777] ?? 0) ^ 1;
	hub.faults.onFile = (request, response, name) => {
		serve(request, response, hub, damaged, name);
		return true;
	};
	const http = createHubHttp({ endpoint: hub.url });
	await assert.rejects(fetchOne(hub, http, 'onnx/model.onnx'), {
		code: 'download_failed',
		message: /damaged twice/,
	});
	assert.ok(hub.sentBytes >= 2 * big.length);
	http.close();
});

test('a file that changes on the server between two runs is not mixed from two copies', async () => {
	await using hub = await startHub(content);
	const http = createHubHttp({ endpoint: hub.url });
	const target = join(folder, 'changed', 'model.onnx');
	let etag = '"one"';
	hub.faults.etag = () => etag;
	const stop = new AbortController();
	await assert.rejects(
		fetchOne(
			hub,
			http,
			'onnx/model.onnx',
			{ target, onProgress: (done) => (done > 9_000_000 ? stop.abort() : undefined) },
			stop.signal,
		),
		{ code: 'cancelled' },
	);
	etag = '"two"';
	const before = hub.sentBytes;
	await fetchOne(hub, http, 'onnx/model.onnx', { target });
	assert.ok((await readFile(target)).equals(big));
	assert.ok(hub.sentBytes - before >= big.length);
	http.close();
});

test('a cancelled download goes on where it stopped', async () => {
	await using hub = await startHub(content);
	const http = createHubHttp({ endpoint: hub.url });
	const target = join(folder, 'resumed', 'model.onnx');
	const stop = new AbortController();
	const first = fetchOne(
		hub,
		http,
		'onnx/model.onnx',
		{ target, onProgress: (done) => (done > 10_000_000 ? stop.abort() : undefined) },
		stop.signal,
	);
	await assert.rejects(first, { code: 'cancelled' });
	let from = Number.NaN;
	await fetchOne(hub, http, 'onnx/model.onnx', {
		target,
		onProgress: (done) => {
			if (Number.isNaN(from)) from = done;
		},
	});
	assert.ok(from >= 10_000_000, `went on at ${from}`);
	assert.ok((await readFile(target)).equals(big));
	http.close();
});

test('401, 403 and 404 are not retried and give advice', async () => {
	for (const [status, code] of [
		[401, 'invalid_api_key'],
		[403, 'forbidden'],
		[404, 'model_not_found'],
	] as const) {
		await using hub = await startHub(content);
		let asked = 0;
		hub.faults.onFile = (_request, response) => {
			asked++;
			response.writeHead(status).end();
			return true;
		};
		const http = createHubHttp({ endpoint: hub.url });
		await assert.rejects(fetchOne(hub, http, 'config.json'), { code });
		assert.equal(asked, 1);
		http.close();
	}
});

test('what the hub refuses is said also where what was begun cannot be removed', async () => {
	await using hub = await startHub(content);
	const target = join(folder, 'held', 'config.json');
	hub.faults.onFile = (_request, response) => {
		// Stands for a file that another program holds: it cannot be removed either.
		mkdirSync(`${target}.part.id.new`);
		response.writeHead(403).end();
		return true;
	};
	const http = createHubHttp({ endpoint: hub.url });
	await assert.rejects(fetchOne(hub, http, 'config.json', { target }), { code: 'forbidden' });
	http.close();
});

test('the token goes to the hub and not to the host it redirects to', async () => {
	await using cdn = await startHub(content);
	await using hub = await startHub(content, { redirect: cdn.url });
	const http = createHubHttp({ endpoint: hub.url, token: () => 'secret-token' });
	// The second host is a loopback address too, which only the configured hub may be.
	await assert.rejects(fetchOne(hub, http, 'config.json'), { code: 'forbidden' });
	assert.equal(cdn.requests.length, 0);
	assert.ok(hub.requests.every((entry) => entry.authorization === 'Bearer secret-token'));
	http.close();
});
