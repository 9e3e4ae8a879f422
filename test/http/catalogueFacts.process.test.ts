/** What the catalogue says of its models once the hub or the disk has told more. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ModelInfo } from '../../server/protocol/index.ts';
import { type DownloadServer, startDownloadServer } from './downloadServer.ts';

const repository = 'onnx-community/Qwen2.5-0.5B-Instruct';
const cpu = 'qwen2.5-0.5b-instruct-generic-cpu:1';
const gpu = 'qwen2.5-0.5b-instruct-generic-gpu:1';
let tested: DownloadServer;
before(async () => {
	tested = await startDownloadServer(repository);
});
after(() => tested.close());

const sizeOf = async (id: string) => {
	const models: readonly ModelInfo[] = await tested.server.backend.models.list();
	return models.find((model) => model.id === id)?.sizeBytes;
};

test('a download tells the sizes and licences of all variants in its repository', async () => {
	assert.equal(await sizeOf(cpu), undefined, 'never invented');
	assert.equal(await sizeOf(gpu), undefined);
	assert.equal((await tested.listed(cpu))?.license, 'apache-2.0');
	const PromptTemplate = { prompt: '[Q]{Content}[A]' };
	const model = { Name: 'qwen2.5-0.5b:latest', Publisher: 'Somebody', PromptTemplate };
	const done = await tested.result({ model });
	assert.equal(done['Success'], true, JSON.stringify(done));
	assert.ok(((await sizeOf(gpu)) ?? 0) > 0);
	const entry = await tested.listed(cpu);
	assert.ok((entry?.fileSizeMb ?? 0) > 0);
	assert.equal(entry?.license, 'mit', 'as the hub says of this repository');
	assert.equal(entry?.publisher, 'Somebody');
	assert.deepEqual(entry?.promptTemplate, PromptTemplate);
	assert.equal(entry?.parentModelUri, `${tested.hub.url}/Qwen/Qwen2.5-0.5B-Instruct`);
	// As it is listed it may be asked for again; no other folder of it may.
	const again = { Name: cpu, Uri: entry?.uri, Publisher: 'Somebody', PromptTemplate };
	assert.equal((await tested.result({ model: again }))['Success'], true);
	const other = await tested.result({ model: { Name: cpu, Path: 'exports' } });
	assert.equal(other['Success'], false);
});
