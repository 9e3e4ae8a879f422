/** Models built of weights by a whole server: from a file, from a hub, and what is refused. */

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { smallGguf } from '../engine/build/smallGguf.ts';
import { startHub } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';

let home = '';
let server: TestServer;
before(async () => {
	home = temporaryFolder('a build');
	// Models may lie behind a link.
	await mkdir(join(home, 'elsewhere'));
	await symlink(join(home, 'elsewhere'), join(home, 'models'), 'junction');
	server = await startTestServer({ modelsDir: join(home, 'models') });
});
after(async () => {
	await server.close();
});

const post = (path: string, body: unknown) => server.post(path, body, { headers: server.keyed });

interface Event {
	readonly start?: { license?: string; totalBytes: number; build?: { sizeBytes: number } };
	readonly progress?: { phase?: string; doneBytes: number; totalBytes: number };
	readonly model?: { id: string; task: string; folder: string };
	readonly error?: { message: string; code: string };
}

async function events(path: string, body: unknown): Promise<Event[]> {
	const response = await post(path, body);
	// What can be refused before anything happens is not a stream.
	if (!response.ok) return [(await response.json()) as Event];
	return (await sseData(response)) as Event[];
}

async function file(name: string, more?: Record<string, unknown>): Promise<string> {
	const path = join(home, name);
	await writeFile(path, smallGguf(more));
	return path;
}

async function answerOf(model: string): Promise<string> {
	const response = await post('/v1/chat/completions', {
		model,
		messages: [{ role: 'user', content: 'Hello' }],
		max_tokens: 8,
		temperature: 0,
	});
	const body = (await response.json()) as {
		choices: { message: { content: string } }[];
		usage: { completion_tokens: number };
	};
	assert.equal(response.status, 200, JSON.stringify(body));
	assert.ok(body.usage.completion_tokens > 0);
	return body.choices[0]?.message.content ?? '';
}

test('a GGUF file becomes a model that answers', async () => {
	const path = await file('small.gguf');
	const told = await events('/nearglot/models/build', { path, plan: true });
	assert.deepEqual(told.slice(1), ['[DONE]'], 'no model says that a plan is complete');
	assert.equal(told[0]?.start?.license, 'apache-2.0');
	const all = await events('/nearglot/models/build', { path });
	const model = all.at(-1)?.model;
	assert.equal(model?.id, 'small:1');
	assert.equal(model.task, 'chat-completion');
	assert.ok(all.some(({ progress }) => progress?.phase === 'build'));
	assert.ok(all.some(({ progress }) => progress?.phase === 'check'));
	const sizes = await Promise.all(
		(await readdir(model.folder, { recursive: true, withFileTypes: true }))
			.filter((entry) => entry.isFile())
			.map(async (entry) => (await readFile(join(entry.parentPath, entry.name))).length),
	);
	const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
	const planned = all[0]?.start?.build?.sizeBytes ?? 0;
	assert.ok(Math.abs(size - planned) < 3000, `${planned} planned, ${size} made`);
	await answerOf('small');
	assert.match(
		(await events('/nearglot/models/build', { path })).at(-1)?.error?.code ?? '',
		/conflict/,
	);
});

test('a repository with GGUF files only is built without being stored, each form under its own name', async () => {
	const bytes = Buffer.from(smallGguf());
	await using hub = await startHub({ 'm-F32.gguf': bytes, 'm-Q8_0.gguf': bytes });
	const body = { hub: hub.url, model: 'acme/tiny' };
	const all = await events('/nearglot/models/download', body);
	assert.equal(all.at(-1)?.model?.id, 'tiny:1', JSON.stringify(all.at(-1)));
	assert.equal(all.find(({ start }) => start)?.start?.license, 'mit');
	const other = await events('/nearglot/models/download', { ...body, model: 'acme/tiny:Q8_0' });
	assert.equal(other.at(-1)?.model?.id, 'tiny-Q8_0:1');
	assert.equal(await answerOf('tiny'), await answerOf('tiny-Q8_0'));
	const kept = await readdir(join(home, 'models'), { recursive: true });
	assert.deepEqual(
		kept.filter((name) => name.endsWith('.gguf') || name.includes('.downloads/')),
		[],
	);
	const missing = await events('/nearglot/models/download', { ...body, model: 'acme/tiny:Q2_K' });
	assert.match(missing.at(-1)?.error?.message ?? '', /no "Q2_K"; it has F32, Q8_0/);
});

test('how a model was built is remembered, and what cannot be is refused', async () => {
	const bytes = Buffer.from(smallGguf());
	await using hub = await startHub({ 'm-F32.gguf': bytes }, {}, 'acme/kept');
	const body = { hub: hub.url, model: 'acme/kept' };
	const graphs = async (more: object) => {
		const all = await events('/nearglot/models/download', { ...body, ...more });
		const folder = all.at(-1)?.model?.folder;
		assert.ok(folder, JSON.stringify(all.at(-1)));
		return (await readdir(join(folder, 'onnx'))).filter((name) => name.endsWith('.onnx'));
	};
	assert.deepEqual(await graphs({ keep: true }), ['model.onnx']);
	assert.deepEqual(await graphs({}), ['model.onnx']);
	assert.deepEqual(await graphs({ quality: true }), ['model_int8.onnx']);
	const both = { ...body, quality: true, keep: true };
	const errorOf = async (asked: object) =>
		(await events('/nearglot/models/download', asked)).at(-1)?.error?.message ?? 'none';
	assert.match(await errorOf(both), /exclude each other/);
	const path = await file('both.gguf');
	const local = await events('/nearglot/models/build', { path, quality: true, keep: true });
	assert.match(local.at(-1)?.error?.message ?? '', /exclude each other/);
	const graph = { 'config.json': Buffer.from('{}'), 'onnx/model.onnx': bytes };
	await using exports = await startHub(graph, {}, 'acme/graphs');
	const asked = { hub: exports.url, model: 'acme/graphs', keep: true };
	assert.match(await errorOf(asked), /'keep' is for weights .* ONNX graphs/);
	const twice = { ...body, model: 'acme/kept:m-F32.gguf', path: 'other' };
	assert.match(await errorOf(twice), /Give one of them/);
});

test('what is broken or not known is refused by its name, and nothing stays', async () => {
	const before = await readdir(join(home, 'models'));
	const broken = join(home, 'broken.gguf');
	await writeFile(broken, smallGguf().subarray(0, 5000));
	const cases: [string, RegExp][] = [
		[broken, /broken\.gguf/],
		[await file('pre.gguf', { 'tokenizer.ggml.pre': 'kimi-k9' }), /"kimi-k9"/],
		[await file('kind.gguf', { 'tokenizer.ggml.model': 'rwkv' }), /"rwkv"/],
		[await file('form.gguf', { 'general.architecture': 'mamba9' }), /mamba9/],
		[join(home, 'absent.gguf'), /no file or folder/],
	];
	for (const [path, words] of cases) {
		const error = (await events('/nearglot/models/build', { path })).at(-1)?.error;
		assert.match(error?.message ?? 'none', words);
		assert.notEqual(error?.code, 'internal');
	}
	assert.deepEqual(await readdir(join(home, 'models')), before);
	assert.deepEqual(await readdir(join(home, 'models', '.downloads')), []);
	const copied = await post('/nearglot/models/import', { path: await file('weights.gguf') });
	assert.equal(copied.status, 400);
	assert.match(await copied.text(), /nearglot models import/);
});
