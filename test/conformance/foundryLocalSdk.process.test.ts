/** npm `foundry-local-sdk@0.5.0` against the daemon, with models from a hub on loopback. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FoundryLocalManager as CliManager } from 'foundry-local-sdk';
import { FoundryLocalManager } from 'foundry-local-sdk/browser';
import type { EndpointFile } from '../../server/protocol/index.ts';
import { joinPipe } from '../daemon/pipeClient.ts';
import { startHub, type TestHub } from '../support/hubServer.ts';
import { programArgs } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const starter = join(root, 'starter', 'models', 'starter-chat');
const cpu = 'qwen2.5-0.5b-instruct-generic-cpu:1';
const home = temporaryFolder('sdk');
let hub: TestHub;
let daemon: ChildProcess;
let url = '';

before(async () => {
	const names = [
		'config.json',
		'generation_config.json',
		'tokenizer.json',
		'tokenizer_config.json',
	];
	const files = await Promise.all(
		names.map(async (name) => [name, await readFile(join(starter, name))] as const),
	);
	const graph = await readFile(join(starter, 'onnx', 'model_quantized.onnx'));
	hub = await startHub(
		{ ...Object.fromEntries(files), 'onnx/model_q4.onnx': graph },
		{ bytesPerMs: 8000 },
		'onnx-community/Qwen2.5-0.5B-Instruct',
	);
	daemon = spawn(process.execPath, programArgs('serve', '--json'), {
		env: { ...process.env, NEARGLOT_HOME: home, HF_ENDPOINT: hub.url, NO_PROXY: '*' },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line] = (await once(daemon.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
	url = (JSON.parse(line.toString()) as { url: string }).url;
});

after(async () => {
	daemon.kill('SIGTERM');
	if (daemon.exitCode === null) await once(daemon, 'exit');
	await hub[Symbol.asyncDispose]();
});

test('the catalogue lists every field the SDK types name, only for devices of this machine', async () => {
	const manager = new FoundryLocalManager({ serviceUrl: url });
	const models = await manager.listCatalogModels();
	assert.ok(models.length > 30);
	const raw = (await (await fetch(`${url}/foundry/list`)).json()) as Record<string, unknown>[];
	assert.equal(raw.length, models.length);
	const fields =
		'name displayName providerType uri version modelType promptTemplate publisher task runtime fileSizeMb modelSettings alias supportsToolCalling license licenseDescription parentModelUri maxOutputTokens';
	for (const entry of raw) assert.deepEqual(Object.keys(entry).sort(), fields.split(' ').sort());
	const wrapped = (await (await fetch(`${url}/svc/list`)).json()) as { models: unknown };
	assert.deepEqual(wrapped.models, raw);
	assert.equal((await manager.getModelInfo('qwen2.5-0.5b'))?.id, cpu);
	assert.equal(await manager.getCacheLocation(), join(home, 'models'));
});

test('a model downloads with progress, loads, answers and unloads', async () => {
	const manager = new FoundryLocalManager({ serviceUrl: url });
	assert.deepEqual(
		(await manager.listCachedModels()).map((model) => model.id),
		['starter-chat:1', 'starter-speech:1', 'starter-translate:1'],
	);
	await assert.rejects(manager.loadModel('qwen2.5-0.5b'), /has not been downloaded yet/);
	const percents: number[] = [];
	const info = await manager.downloadModel('qwen2.5-0.5b', undefined, undefined, false, (percent) =>
		percents.push(percent),
	);
	assert.equal(info.id, cpu);
	assert.ok(percents.length >= 3, `progress ${percents.join(' ')}`);
	assert.deepEqual(
		percents,
		[...percents].sort((a, b) => a - b),
	);
	assert.equal(percents.at(-1), 100);
	assert.ok((await manager.listCachedModels()).some((model) => model.id === cpu));
	await manager.loadModel('qwen2.5-0.5b');
	assert.deepEqual(
		(await manager.listLoadedModels()).map((model) => model.id),
		[cpu],
	);
	const response = await fetch(`${manager.endpoint}/chat/completions`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({
			model: cpu,
			messages: [{ role: 'user', content: 'extract a tar.gz file' }],
		}),
	});
	const answer = (await response.json()) as { choices: { message: { content: string } }[] };
	assert.match(answer.choices[0]?.message.content ?? '', /tar/);
	await manager.unloadModel('qwen2.5-0.5b');
	assert.deepEqual(await manager.listLoadedModels(), []);
	assert.equal(await manager.isModelUpgradeable('qwen2.5-0.5b'), false);
});

test('a second download of a cached model ends at once and forced ones keep the files right', async () => {
	const manager = new FoundryLocalManager({ serviceUrl: url });
	const sent = hub.sentBytes;
	await manager.downloadModel('qwen2.5-0.5b');
	assert.equal(hub.sentBytes, sent);
	await manager.downloadModel('qwen2.5-0.5b', undefined, undefined, true);
	const here = join(home, 'models', 'qwen2.5-0.5b-instruct-generic-cpu-1', 'onnx', 'model_q4.onnx');
	assert.ok(
		(await readFile(here)).equals(await readFile(join(starter, 'onnx', 'model_quantized.onnx'))),
	);
});

test('a folder below the model folder is used; a precision the hub lacks is refused plainly', async () => {
	const endpoint = JSON.parse(await readFile(join(home, 'endpoint.json'), 'utf8')) as EndpointFile;
	const told: number[] = [];
	const pipe = await joinPipe(endpoint.pipe ?? '', endpoint.secret, (event) => {
		if (event.type === 'download' && event.progressToken === 'mine') told.push(event.doneBytes);
	});
	const folder = join(home, 'models', 'elsewhere');
	const response = await fetch(`${url}/openai/download`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: `Bearer ${endpoint.key}` },
		body: JSON.stringify({
			model: { Name: 'qwen2.5-0.5b-instruct-generic-gpu:1' },
			progressToken: 'mine',
			customDirPath: folder,
			bufferSize: 16,
		}),
	});
	const text = await response.text();
	pipe.close();
	// The hub has the precision of the CPU variant only, so this one is refused, plainly.
	assert.match(text, /has no q4f16 variant; it has q4/);
	await fetch(`${url}/openai/unload/${cpu}?force=true`);
	const again = await fetch(`${url}/openai/download`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: `Bearer ${endpoint.key}` },
		body: JSON.stringify({ model: 'onnx-community/Qwen2.5-0.5B-Instruct', customDirPath: folder }),
	});
	assert.match(await again.text(), /"Success":true/);
	const inFolder = join(folder, 'qwen2.5-0.5b-instruct@1', 'nearglot.json');
	assert.match(await readFile(inFolder, 'utf8'), /"alias": "onnx-community/);
	assert.deepEqual(told, []);
});

test('a token on a download that works tells the pipe and not the answer', async () => {
	const endpoint = JSON.parse(await readFile(join(home, 'endpoint.json'), 'utf8')) as EndpointFile;
	await fetch(`${url}/openai/unload/${cpu}?force=true`);
	await fetch(`${url}/nearglot/models/remove`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: `Bearer ${endpoint.key}` },
		body: JSON.stringify({ model: cpu }),
	});
	const told: number[] = [];
	const pipe = await joinPipe(endpoint.pipe ?? '', endpoint.secret, (event) => {
		if (event.type === 'download' && event.progressToken === 'mine') told.push(event.doneBytes);
	});
	const response = await fetch(`${url}/openai/download`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ model: { Name: cpu }, progressToken: 'mine' }),
	});
	const lines = (await response.text()).split('\n');
	pipe.close();
	assert.equal(lines[0], '("", 1)');
	assert.match(lines[1] ?? '', /"Success":true/);
	assert.ok(told.length > 1, 'the pipe was told');
});

test('upgrading a model that is up to date changes nothing', async () => {
	const manager = new FoundryLocalManager({ serviceUrl: url });
	const info = await manager.upgradeModel('qwen2.5-0.5b');
	assert.equal(info.id, cpu);
});

test('a model whose repository is gone is an error the SDK can show', async () => {
	const manager = new FoundryLocalManager({ serviceUrl: url });
	await assert.rejects(manager.downloadModel('smollm2-135m'), /has no HuggingFaceTB/);
});

test('the main entry finds the service through a `foundry` on the PATH', async (context) => {
	if (process.platform === 'win32') return context.skip('the shim is a shell script');
	const shim = join(home, 'foundry');
	await writeFile(
		shim,
		`#!/bin/sh\necho "🟢 Model management service is running on ${url}/openai/status"\n`,
	);
	await chmod(shim, 0o755);
	const path = process.env['PATH'] ?? '';
	process.env['PATH'] = `${home}${delimiter}${path}`;
	try {
		const manager = new CliManager();
		const info = await manager.init('qwen2.5-0.5b');
		assert.equal(info?.id, cpu);
		assert.equal(manager.serviceUrl, url);
	} finally {
		process.env['PATH'] = path;
	}
});
