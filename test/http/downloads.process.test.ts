/** `POST /openai/download` field by field, with a hub on loopback that has one repository. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PipeEvent } from '../../server/daemon/pipeEvents.ts';
import type { TestHub } from '../support/hubServer.ts';
import type { TestServer } from '../support/testServer.ts';
import { type DownloadServer, lastOf, startDownloadServer, tinyUri } from './downloadServer.ts';

let tested: DownloadServer;
let home = '';
let hub: TestHub;
let server: TestServer;
before(async () => {
	tested = await startDownloadServer();
	({ home, hub, server } = tested);
});
after(() => tested.close());

const uri = tinyUri;
const last = lastOf;
const download = (body: unknown) => tested.download(body);
const result = (body: unknown) => tested.result(body);
const listed = (name: string) => tested.listed(name);
const loadedModels = async () =>
	(await (await fetch(`${server.url}/openai/loadedmodels`)).json()) as string[];
const count = async (model: string, messages: readonly object[]): Promise<number> => {
	const path = '/v1/chat/completions/tokenizer/encode/count';
	const response = await server.post(path, { model, messages });
	const text = await response.text();
	assert.equal(response.status, 200, text);
	const [, tokens = ''] = /(\d+)/.exec(text) ?? [];
	return Number(tokens);
};

test('a name of its own with an address is that repository under that name and version', async () => {
	const asked = {
		Name: 'my-tiny:3',
		Uri: uri,
		Publisher: 'Acme Labs',
		ProviderType: 'HuggingFace',
	};
	const done = await result({ model: asked });
	assert.equal(done['Success'], true, JSON.stringify(done));
	const entry = await listed('my-tiny:3');
	assert.ok(entry, 'it is listed under its name');
	assert.equal(entry.version, '3');
	assert.equal(entry.publisher, 'Acme Labs');
	assert.equal(entry.providerType, 'HuggingFace');
	assert.equal(entry.uri, `${hub.url}/acme/tiny`);
	assert.equal(entry.license, 'mit');
	assert.equal((await fetch(`${server.url}/openai/load/my-tiny`)).status, 200);
	await fetch(`${server.url}/openai/unload/my-tiny`);
	// Once it is here, its name alone finds it.
	assert.equal((await result({ model: { Name: 'my-tiny:3' } }))['Success'], true);
});

test('the end of each file is told once', async () => {
	const answer = await download({ model: { Name: 'told-once', Uri: uri } });
	const ends = (await answer.text()).split('\n').filter((line) => line.endsWith(', 1)'));
	assert.ok(ends.length > 3, ends.join());
	assert.deepEqual(ends, [...new Set(ends)]);
	assert.equal(ends.at(-1), '("", 1)');
});

test('the older address of the catalogue does not take a name from the catalogue', async () => {
	const answer = await download({ model: { Name: 'smollm2-135m', Uri: uri } });
	assert.match(await answer.text(), /has no HuggingFaceTB/);
});

test('a name belongs to one model', async () => {
	for (const name of ['starter-chat:1', 'STARTER-CHAT']) {
		const taken = await result({ model: { Name: name, Uri: uri } });
		assert.equal(taken['Success'], false, name);
		assert.match(String(taken['ErrorMessage']), /is on this machine already/);
	}
	assert.equal(
		(await result({ model: { Name: 'starter-chat:1', Uri: 'local://starter-chat' } }))['Success'],
		true,
	);
});

test('a folder of the repository is named by Path or by the address', async () => {
	for (const model of [
		{ Name: 'by-path', Uri: uri, Path: 'exports/small' },
		{ Name: 'by-tree', Uri: `${uri}/tree/main/exports/small` },
		{ Name: 'by-both', Uri: `hf://acme/tiny/tree/main/exports`, Path: '/small/' },
	]) {
		const done = await result({ model });
		assert.equal(done['Success'], true, JSON.stringify(done));
		const { folder = '' } = await server.backend.host.resolve(model.Name);
		const manifest = JSON.parse(await readFile(join(folder, 'nearglot.json'), 'utf8'));
		assert.equal(manifest.precision, 'q8', model.Name);
	}
	const missing = await result({ model: { Name: 'by-nothing', Uri: uri, Path: 'exports/large' } });
	assert.equal(missing['Success'], false);
});

const chat = [
	{ role: 'system', content: 'Be brief.' },
	{ role: 'user', content: 'list files' },
	{ role: 'assistant', content: 'ls' },
	{ role: 'user', content: 'count lines' },
] as const;
/** This model reads no earlier turns. */
const question = [chat[0], chat[3]];
const template = {
	system: '[S]{Content}[/S]',
	user: '[U]{Content}[/U]',
	assistant: '[A]{Content}[/A]',
	prompt: '[Q]{Content}[/Q][A]',
};

test('a prompt template is kept, shown, applied and counted', async () => {
	await result({ model: { Name: 'plain', Uri: uri } });
	const done = await result({ model: { Name: 'framed', Uri: uri, PromptTemplate: template } });
	assert.equal(done['Success'], true, JSON.stringify(done));
	assert.deepEqual((await listed('framed:1'))?.promptTemplate, template);
	const textModel = await server.backend.host.textModel('framed');
	assert.equal(
		await textModel.request('render', { prompt: { kind: 'chat', messages: chat } }),
		'[S]Be brief.[/S][U]list files[/U][A]ls[/A][Q]count lines[/Q][A]',
	);
	const text = '[S]Be brief.[/S][Q]count lines[/Q][A]';
	const [tokens = []] = await textModel.request('encode', { texts: [text], addSpecial: false });
	const { length } = tokens;
	assert.equal(await count('framed', question), length);
	assert.notEqual(await count('plain', question), length);
	// Asking again without a template leaves it, an empty one gives back the model's own.
	await result({ model: { Name: 'framed', Uri: uri } });
	assert.deepEqual((await listed('framed:1'))?.promptTemplate, template);
	await result({ model: { Name: 'framed', Uri: uri, PromptTemplate: {} } });
	assert.equal(await count('framed', question), await count('plain', question));
});

test('a loaded model goes by a new template from its next request on', async () => {
	await result({ model: { Name: 'changing', Uri: uri } });
	await fetch(`${server.url}/openai/load/changing?ttl=600`);
	assert.ok((await loadedModels()).includes('changing:1'));
	await result({ model: { Name: 'changing', Uri: uri, PromptTemplate: template } });
	const loaded = await loadedModels();
	assert.ok(!loaded.includes('changing:1'), 'the runner of the older template was kept');
});

test('wrong types are refused with the name of the field', async () => {
	const model = { Name: 'wrong', Uri: uri };
	for (const [body, param] of [
		[{ model: { ...model, PromptTemplate: 5 } }, 'model.PromptTemplate'],
		[{ model: { ...model, PromptTemplate: { user: 5 } } }, 'model.PromptTemplate.user'],
		[{ model: { ...model, PromptTemplate: { user: 'no place' } } }, 'model.PromptTemplate.user'],
		[{ model: { ...model, Publisher: 5 } }, 'model.Publisher'],
		[{ model: { ...model, ProviderType: ['a'] } }, 'model.ProviderType'],
		[{ model: { ...model, Path: '../other' } }, 'model.Path'],
		[{ model: { ...model, Path: 5 } }, 'model.Path'],
		[{ model: { Name: 'wrong', Uri: 'https://example.com/acme/tiny' } }, 'model.Uri'],
		[{ model: { Name: 'wrong', Uri: 'ftp://huggingface.co/acme/tiny' } }, 'model.Uri'],
		[{ model: { Name: 'wrong', Uri: 'https://huggingface.co/acme' } }, 'model.Uri'],
		[{ model: { Name: 'a/b/c', Uri: uri } }, 'model.Name'],
		[{ model: { Name: '../wrong', Uri: uri } }, 'model.Name'],
		// Names that no folder can have on Windows.
		[{ model: { Name: 'nul', Uri: uri } }, 'model.Name'],
		[{ model: { Name: 'tiny.', Uri: uri } }, 'model.Name'],
		[{ model: { Name: 'qwen2.5-0.5b', Path: 'exports' } }, 'model.Path'],
		[{ model, progressToken: true }, 'progressToken'],
		[{ model, progressToken: [1] }, 'progressToken'],
		[{ model: { ...model, name: 'other' } }, 'model.name'],
		[{ model, Model: { ...model } }, 'Model'],
		[{ model, token: 'a', TOKEN: null }, 'TOKEN'],
		[
			{ model: { ...model, PromptTemplate: { User: '{Content}', user: 'x' } } },
			'model.PromptTemplate.user',
		],
	] as const) {
		const response = await download(body);
		assert.equal(response.status, 400, JSON.stringify(body));
		const answer = (await response.json()) as Record<string, unknown> & {
			error: { param: string; message: string };
		};
		assert.equal(answer.error.param, param, JSON.stringify(body));
		assert.equal(answer['Success'], false);
		assert.equal(answer['ErrorMessage'], answer.error.message);
	}
});

test('whatever refuses a download says so in its fields', async () => {
	const address = `${server.url}/openai/download`;
	const json = { 'content-type': 'application/json' };
	for (const [status, init] of [
		[405, { method: 'GET' }],
		[405, { method: 'PUT', body: '{}', headers: json }],
		[405, { method: 'DELETE' }],
		[400, { method: 'POST', body: '{', headers: json }],
		[400, { method: 'POST', body: '[]', headers: json }],
		[400, { method: 'POST', body: '', headers: json }],
		[403, { method: 'POST', body: '{}', headers: { ...json, origin: 'https://example.com' } }],
		[401, { method: 'POST', body: '{"model":"x","token":"y"}', headers: json }],
		[404, { method: 'POST', body: '{"model":"no-such-model"}', headers: json }],
	] as const) {
		const response = await fetch(address, init);
		const what = `${init.method} ${'body' in init ? init.body : ''}`;
		assert.equal(response.status, status, what);
		const body = (await response.json()) as Record<string, unknown>;
		assert.equal(body['Success'], false, what);
		assert.equal(typeof body['ErrorMessage'], 'string', what);
	}
});

test('a download that is refused before it starts says so as one that fails later', async () => {
	const unknown = await download({ model: { Name: 'no such model' } });
	assert.equal(unknown.status, 404);
	const body = (await unknown.json()) as Record<string, unknown>;
	assert.equal(body['Success'], false);
	assert.match(String(body['ErrorMessage']), /no such model/);
});

test('fields that mean nothing are named', async () => {
	const response = await download({
		model: { Name: 'my-tiny:3', Flavour: 1, PromptTemplate: { bot: 'x' } },
		colour: 'red',
	});
	await response.text();
	assert.equal(
		response.headers.get('x-ignored-parameters'),
		'model.Flavour, model.PromptTemplate.bot, colour',
	);
});

test('a progress token may be an object, and comes back as it came', async () => {
	for (const [index, progressToken] of [{ id: [1, 'a'] }, {}, 7, 'seven'].entries()) {
		const told: unknown[] = [];
		const stop = server.backend.events.on((event: PipeEvent) => {
			if (event.type === 'download' && event.progressToken !== undefined)
				told.push(event.progressToken);
		});
		const model = { Name: `told-${index}`, Uri: uri };
		const text = await (await download({ model, progressToken })).text();
		stop();
		assert.equal(last(text)['Success'], true, text);
		assert.equal(text.split('\n')[0], '("", 1)');
		assert.ok(told.length > 0);
		assert.deepEqual(told[0], progressToken);
	}
});

test('a folder the user has allowed takes downloads and is searched for models', async () => {
	const folder = join(home, 'more', 'deep');
	const done = await result({ model: { Name: 'placed', Uri: uri }, customDirPath: folder });
	assert.equal(done['Success'], true, JSON.stringify(done));
	const model = await server.backend.host.resolve('placed');
	assert.equal(model.folder, join(folder, 'placed@1'));
	const refused = await result({ model: { Name: 'astray', Uri: uri }, customDirPath: home });
	assert.equal(refused['Success'], false);
	assert.match(String(refused['ErrorMessage']), /--model-root/);
});

test('the catalogue says licence, origin and lengths of what is here and of what can be had', async () => {
	const builtIn = await listed('starter-chat:1');
	assert.equal(builtIn?.license, 'mit');
	assert.ok((builtIn?.fileSizeMb ?? 0) >= 1);
	assert.ok((builtIn?.modelSettings.parameters.length ?? 0) > 0);
	const offered = await listed('qwen2.5-0.5b-instruct-generic-cpu:1');
	assert.equal(offered?.parentModelUri, `${hub.url}/Qwen/Qwen2.5-0.5B-Instruct`);
	assert.deepEqual(offered?.modelSettings.parameters[0], { name: 'contextLength', value: '32768' });
});

test('ollama: a download tells its progress in lines', async () => {
	const pull = (body: object, init: RequestInit = {}) =>
		server.post('/api/pull', { model: 'hf.co/acme/tiny:latest', ...body }, init);
	const keyed = { headers: server.keyed };
	assert.equal((await pull({})).status, 401, 'only the catalogue without the key');
	const answer = await pull({}, keyed);
	assert.equal(answer.headers.get('content-type'), 'application/x-ndjson');
	const lines = (await answer.text())
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as { status: string; total?: number; completed?: number });
	assert.equal(lines[0]?.status, 'pulling manifest');
	assert.equal(lines.at(-1)?.status, 'success');
	const bars = lines.filter(({ completed }) => completed !== undefined);
	assert.ok(bars.length > 0 && bars.every(({ total = 0, completed = 1 }) => completed <= total));
	const again = await pull({ stream: false }, keyed);
	assert.deepEqual(await again.json(), { status: 'success' });
	const { models } = (await (await fetch(`${server.url}/api/tags`)).json()) as {
		models: { name: string }[];
	};
	assert.ok(
		models.some(({ name }) => /^(acme-)?tiny/.test(name)),
		JSON.stringify(models),
	);
	const missing = await pull({ model: 'hf.co/acme/none' }, keyed);
	assert.match(await missing.text(), /"error":"/);
});
