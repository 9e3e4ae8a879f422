import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseCatalogue } from '../../server/hub/catalogue.ts';
import { createHubHttp } from '../../server/hub/http.ts';
import { readRefresh, refreshModelFacts } from '../../server/hub/refresh.ts';
import { startHub, testCommit } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const never = new AbortController().signal;
const folder = temporaryFolder('refresh');

const model = (alias: string, repository: string) => ({
	alias,
	displayName: alias,
	task: 'chat-completion',
	publisher: 'acme',
	license: 'unknown',
	variants: [
		{
			name: `${alias}-cpu`,
			version: 1,
			device: 'CPU',
			executionProvider: 'CPUExecutionProvider',
			repository,
			precision: 'q4',
		},
	],
});
const catalogue = parseCatalogue({
	models: [model('tiny', 'acme/tiny'), model('gone', 'acme/gone')],
});

test('a refresh learns commit, size and licence, and names what it could not ask', async () => {
	await using hub = await startHub({
		'config.json': Buffer.alloc(10),
		'onnx/model_q4.onnx': Buffer.alloc(2000),
		'onnx/model.onnx': Buffer.alloc(9000),
	});
	const http = createHubHttp({ endpoint: hub.url });
	const path = join(folder, 'deep', 'catalogue.json');
	const { file, failures } = await refreshModelFacts(http, catalogue, path, () => 0, never);
	assert.deepEqual(file.facts, {
		'tiny-cpu:1': { commit: testCommit, sizeBytes: 2010, license: 'mit' },
	});
	assert.equal(failures.length, 1);
	assert.match(failures[0] ?? '', /^acme\/gone: /);
	assert.deepEqual(await readRefresh(path), file);
	http.close();
});

test('what is known stays known when the hub cannot be reached', async () => {
	const path = join(folder, 'deep', 'catalogue.json');
	const http = createHubHttp({ endpoint: 'http://127.0.0.1:9' });
	const { file, failures } = await refreshModelFacts(http, catalogue, path, () => 1, never);
	assert.equal(failures.length, 2);
	assert.equal(file.facts['tiny-cpu:1']?.sizeBytes, 2010);
	http.close();
});

test('a hub that is away is waited for once, not once for each repository', async () => {
	let asked = 0;
	await using hub = await startHub({});
	hub.faults.onList = (_request, response) => {
		asked++;
		response.writeHead(503).end();
		return true;
	};
	const http = createHubHttp({ endpoint: hub.url });
	const names = Array.from({ length: 12 }, (_, index) => `model-${index}`);
	const many = parseCatalogue({ models: names.map((name) => model(name, `acme/${name}`)) });
	const path = join(folder, 'away.json');
	const { failures } = await refreshModelFacts(http, many, path, () => 2, never);
	http.close();
	assert.equal(failures.length, 12);
	// Four at once, three times each; the other eight once.
	assert.equal(failures.filter((told) => told.includes('Given up after 1 try;')).length, 8);
	assert.equal(asked, 20);
});
