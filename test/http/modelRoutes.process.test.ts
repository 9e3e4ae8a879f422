import assert from 'node:assert/strict';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { localIds } from '../../server/protocol/routes/foundry.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const starter = fileURLToPath(new URL('../../starter/models/starter-chat', import.meta.url));
const tiny = sharedFolder('models-tiny');
const home = temporaryFolder('routes');
let server: TestServer;
before(async () => {
	await cp(starter, join(home, 'models', 'own-model'), { recursive: true });
	server = await startTestServer({
		fakeRunner: true,
		modelsDir: join(home, 'models'),
		settings: {
			models: { defaultTtlS: 1, loadTimeoutMs: 60_000 },
			modelRoots: [join(home, 'more')],
		},
	});
});
after(async () => {
	await server.close();
});

const get = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, init);
const loaded = async () => (await (await get('/openai/loadedmodels')).json()) as string[];
const keyed = (path: string, body: unknown) =>
	get(path, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: `Bearer ${server.key}` },
		body: JSON.stringify(body),
	});

test('load answers with an empty 200 and takes ids, names, aliases and encoded colons', async () => {
	for (const name of ['own-model:1', 'own-model%3A1', 'own-model', 'OWN-model']) {
		const response = await get(`/openai/load/${name}?ttl=600&ep=`);
		assert.equal(response.status, 200, name);
		assert.equal(await response.text(), '');
		assert.deepEqual(await loaded(), ['own-model:1']);
		assert.equal((await get(`/openai/unload/${name}?force=true`)).status, 200);
		assert.deepEqual(await loaded(), []);
	}
});

test('an idle model is unloaded by itself, unless unload=false; a ttl above 0 overrides that', async () => {
	await get('/openai/load/own-model');
	await until('unloaded after the default time', async () => (await loaded()).length === 0);
	await get('/openai/load/own-model?unload=false');
	assert.deepEqual(await loaded(), ['own-model:1']);
	await get('/openai/load/own-model?unload=false&ttl=1');
	await until('unloaded by its ttl', async () => (await loaded()).length === 0);
});

test('a pinned model stays', async () => {
	await keyed('/nearglot/models/pin', { model: 'own-model', pinned: true });
	await get('/openai/load/own-model');
	assert.deepEqual(await loaded(), ['own-model:1']);
	await keyed('/nearglot/models/pin', { model: 'own-model', pinned: false });
	await until('unloaded once unpinned', async () => (await loaded()).length === 0);
});

test('a model in use is not unloaded unless forced, and its idle time starts when the request ends', async () => {
	const stop = new AbortController();
	const stream = await get('/v1/chat/completions', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({
			model: 'own-model',
			stream: true,
			messages: [{ role: 'user', content: 'slow' }],
		}),
		signal: stop.signal,
	});
	await stream.body?.getReader().read();
	const refused = await get('/openai/unload/own-model');
	assert.equal(refused.status, 409);
	assert.match(await refused.text(), /answering a request/);
	assert.deepEqual(await loaded(), ['own-model:1']);
	assert.equal((await get('/openai/unload/own-model?force=true')).status, 200);
	assert.deepEqual(await loaded(), []);
	stop.abort();
});

test('the newer routes say what happened', async () => {
	const json = async (path: string) => (await (await get(path)).json()) as unknown;
	assert.deepEqual(await json('/models/load/own-model?ttl=60'), { status: 'loaded' });
	assert.deepEqual(await json('/models/load/own-model?ttl=60'), { status: 'already_loaded' });
	assert.deepEqual(await json('/models/loaded'), ['own-model:1']);
	assert.deepEqual(await json('/models/unload/own-model'), { status: 'unloaded' });
	assert.deepEqual(await json('/models/unload/own-model'), { status: 'not_loaded' });
	await get('/openai/load/own-model?ttl=60');
	await get('/openai/unloadall');
	assert.deepEqual(await loaded(), []);
});

test('wrong parameters are a 400 that names them', async () => {
	for (const [path, param] of [
		['/openai/load/own-model?ttl=soon', 'ttl'],
		['/openai/load/own-model?ttl=99999999999', 'ttl'],
		['/openai/load/own-model?ttl=-5', 'ttl'],
		['/openai/load/own-model?ttl=1.5', 'ttl'],
		['/openai/load/own-model?unload=maybe', 'unload'],
		['/openai/load/own-model?ep=abacus', 'ep'],
		['/openai/unload/own-model?force=2', 'force'],
		['/openai/setgpudevice/7777', 'id'],
		['/openai/setgpudevice/-1', 'id'],
	] as const) {
		const response = await get(path);
		assert.equal(response.status, 400, path);
		const { error } = (await response.json()) as { error: { param: string } };
		assert.equal(error.param, param, path);
	}
	assert.equal((await get('/openai/load/unknown')).status, 404);
	assert.equal((await get('/openai/unload/unknown')).status, 404);
});

test('every spelling of an execution provider is taken', async () => {
	for (const ep of ['cpu', 'CPU', 'CPUExecutionProvider'])
		assert.equal((await get(`/openai/load/own-model?ep=${ep}`)).status, 200, ep);
	await get('/openai/unload/own-model?force=true');
});

test('the chosen GPU is remembered', async () => {
	assert.equal(await (await get('/openai/getgpudevice')).json(), 0);
	assert.equal((await get('/openai/setgpudevice/0')).status, 200);
	assert.equal(await (await get('/openai/getgpudevice')).json(), 0);
});

test('status and cache say where things are, in both casings', async () => {
	const status = (await (await get('/openai/status')).json()) as Record<string, unknown>;
	for (const key of [
		'Endpoints',
		'ModelDirPath',
		'PipeName',
		'endpoints',
		'modelDirPath',
		'pipeName',
	])
		assert.ok(status[key], key);
	assert.equal(status['ModelDirPath'], join(home, 'models'));
	assert.deepEqual(await (await get('/foundry/cache')).json(), { location: join(home, 'models') });
});

test('bad download bodies are refused before anything starts', async () => {
	const post = (body: unknown) =>
		get('/openai/download', {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
	for (const [body, status] of [
		[{}, 400],
		[{ model: {} }, 400],
		[{ model: { Uri: 'file:///etc/passwd' } }, 400],
		[{ model: 'smollm2-135m', bufferSize: 0 }, 400],
		[{ model: 'smollm2-135m', ignorePipeReport: 'yes' }, 400],
		[{ model: 'smollm2-135m', progressToken: true }, 400],
		[{ model: { Name: 'no such model' } }, 404],
		[{ model: 'smollm2-135m', customDirPath: '/tmp' }, 401],
	] as const)
		assert.equal((await post(body)).status, status, JSON.stringify(body));
});

test('a folder for the files must lie below a configured root', async () => {
	const response = await keyed('/openai/download', {
		model: 'smollm2-135m',
		customDirPath: '/etc',
	});
	const text = await response.text();
	assert.match(text, /"Success":false/);
	assert.match(text, /may be put below/);
});

test('a folder is registered in place, listed, refused for removal and dropped again', async () => {
	const folder = join(home, 'elsewhere', 'their-model');
	await mkdir(join(home, 'elsewhere'), { recursive: true });
	await cp(starter, folder, { recursive: true });
	assert.equal(
		(await keyed('/nearglot/models/register', { folder: join(home, 'nowhere') })).status,
		404,
	);
	assert.equal(
		(await keyed('/nearglot/models/register', { folder: `${home}/elsewhere` })).status,
		200,
	);
	const models = () => server.client.call(localIds, {});
	assert.ok((await models()).includes('their-model:1'));
	assert.equal((await keyed('/nearglot/models/remove', { model: 'their-model' })).status, 403);
	await keyed('/nearglot/models/unregister', { folder: `${home}/elsewhere` });
	assert.ok(!(await models()).includes('their-model:1'));
	const again = await keyed('/nearglot/models/unregister', { folder: `${home}/elsewhere` });
	assert.equal(again.status, 404);
	assert.match(await again.text(), /elsewhere is not used in place\./);
});

test('a model is imported from a folder, and removed', async () => {
	const answer = await keyed('/nearglot/models/import', { path: starter, name: 'imported' });
	assert.equal(answer.status, 200);
	const models = () => server.client.call(localIds, {});
	assert.ok((await models()).includes('imported:1'));
	assert.equal(
		(await keyed('/nearglot/models/import', { path: starter, name: 'imported' })).status,
		409,
	);
	assert.equal(
		(await keyed('/nearglot/models/import', { path: starter, name: '../x' })).status,
		400,
	);
	assert.equal((await keyed('/nearglot/models/remove', { model: 'imported' })).status, 200);
	assert.ok(!(await models()).includes('imported:1'));
	assert.equal((await keyed('/nearglot/models/remove', { model: 'starter-chat' })).status, 403);
});

test('whatever has files of a model open ends before they are removed', async () => {
	await keyed('/nearglot/models/import', { path: starter, name: 'small' });
	await keyed('/nearglot/models/draft', { model: 'own-model', draft_model: 'small' });
	for (const model of ['own-model', 'small']) await get(`/openai/load/${model}?ttl=0`);
	assert.deepEqual((await loaded()).sort(), ['own-model:1', 'small:1']);
	const pids = server.backend.host.runners().map(({ pid }) => pid);
	// Windows removes no file that a process has mapped.
	assert.equal((await keyed('/nearglot/models/remove', { model: 'small' })).status, 200);
	assert.deepEqual(await loaded(), []);
	for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('the model folder is moved with its files and remembered', async () => {
	const moving = await startTestServer({ fakeRunner: true });
	const post = (path: string, body: unknown) =>
		fetch(`${moving.url}${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', authorization: `Bearer ${moving.key}` },
			body: JSON.stringify(body),
		});
	try {
		await post('/nearglot/models/import', { path: starter, name: 'moved' });
		const target = join(home, 'new place');
		assert.equal((await post('/nearglot/models/move', { folder: 'relative' })).status, 400);
		assert.equal((await post('/nearglot/models/move', { folder: home })).status, 409);
		const answer = await post('/nearglot/models/move', { folder: target });
		assert.deepEqual(await answer.json(), { location: target });
		const where = (await moving.backend.host.resolve('moved')).folder;
		assert.equal(where, join(target, 'moved'));
		assert.deepEqual(await (await fetch(`${moving.url}/foundry/cache`)).json(), {
			location: target,
		});
	} finally {
		await moving.close();
	}
});

test('a draft model is chosen, used, and makes no difference to the answer', async (context) => {
	if (tiny.skip !== false) return context.skip(tiny.skip);
	const drafted = await startTestServer({
		settings: { modelRoots: [] },
		modelsDir: tiny.path,
	});
	const post = (path: string, body: unknown) =>
		fetch(`${drafted.url}${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', authorization: `Bearer ${drafted.key}` },
			body: JSON.stringify(body),
		});
	const ask = async () => {
		const response = await post('/v1/completions', {
			model: 'llama3-tjs',
			prompt: 'The cat',
			max_tokens: 24,
			temperature: 0,
		});
		const { choices } = (await response.json()) as { choices: { text: string }[] };
		return choices[0]?.text;
	};
	try {
		const plain = await ask();
		await fetch(`${drafted.url}/openai/unload/llama3-tjs?force=true`);
		const wrong = await post('/nearglot/models/draft', {
			model: 'llama3-tjs',
			draft_model: 'llama3-tjs',
		});
		assert.equal(wrong.status, 400);
		const chosen = await post('/nearglot/models/draft', {
			model: 'llama3-tjs',
			draft_model: 'llama3draft-tjs',
		});
		assert.equal(chosen.status, 200);
		assert.equal(await ask(), plain);
		const [row] = await drafted.backend.host.stats();
		assert.ok((row?.stats.draftedTotal ?? 0) > 0, 'nothing was drafted');
	} finally {
		await drafted.close();
	}
});

test('routes that change the machine need the key, and no route answers another web page', async () => {
	for (const path of [
		'download',
		'remove',
		'pin',
		'register',
		'unregister',
		'import',
		'refresh',
		'pause',
	])
		assert.equal(
			(await get(`/nearglot/models/${path}`, { method: 'POST', body: '{}' })).status,
			401,
			path,
		);
	assert.equal((await get('/nearglot/models/list')).status, 401);
	assert.equal((await get('/nearglot/secrets/names')).status, 401);
	for (const path of [
		'/openai/load/own-model',
		'/openai/unload/own-model',
		'/openai/unloadall',
		'/openai/setgpudevice/0',
		'/openai/models',
		'/foundry/list',
		'/svc/list',
		'/models/load/own-model',
		'/nearglot/models/list',
	]) {
		assert.equal(
			(await get(path, { headers: { origin: 'https://evil.example' } })).status,
			403,
			path,
		);
		assert.equal(
			(await get(path, { headers: { 'sec-fetch-site': 'cross-site' } })).status,
			403,
			path,
		);
	}
	assert.deepEqual(await loaded(), []);
});

test('secrets go in and never come out', async () => {
	await keyed('/nearglot/secrets/set', { hubToken: 'very-secret' });
	const response = await get('/nearglot/secrets/names', {
		headers: { authorization: `Bearer ${server.key}` },
	});
	assert.equal(await response.text(), '{"names":["hubToken"]}');
	assert.equal(server.backend.secrets.get('hubToken'), 'very-secret');
	await keyed('/nearglot/secrets/set', { hubToken: null });
	assert.equal(server.backend.secrets.get('hubToken'), undefined);
	assert.equal((await keyed('/nearglot/secrets/set', { other: 'x' })).status, 400);
	const ofEditor = '/nearglot/secrets/set?source=editor:a';
	await keyed(ofEditor, { hubToken: 'of the editor' });
	const left = await keyed('/nearglot/secrets/set', { hubToken: null });
	assert.deepEqual(await left.json(), { names: ['hubToken'] });
	assert.equal(server.backend.secrets.get('hubToken'), 'of the editor');
	await keyed(ofEditor, { hubToken: null });
	assert.equal(server.backend.secrets.get('hubToken'), undefined);
	for (const source of ['', 'a%20b', 'x'.repeat(81)]) {
		const refused = await keyed(`/nearglot/secrets/set?source=${source}`, { hubToken: 'x' });
		assert.equal(refused.status, 400, source);
	}
});

test('fifty loads and unloads leave no runner behind', async () => {
	for (let round = 0; round < 50; round++) {
		assert.equal((await get('/openai/load/own-model')).status, 200);
		assert.equal((await get('/openai/unload/own-model?force=true')).status, 200);
	}
	assert.deepEqual(await loaded(), []);
	assert.deepEqual(await server.backend.host.stats(), []);
});

test('a download is advised for models of the catalogue alone', async () => {
	const said = async (name: string) => {
		const response = await fetch(`${server.url}/openai/load/${name}`, { headers: server.keyed });
		assert.equal(response.status, 404);
		return response.text();
	};
	assert.match(await said('qwen2.5-coder-0.5b'), /nearglot models pull qwen2\.5-coder-0\.5b/);
	const unknown = await said('nobody-knows-it');
	assert.match(unknown, /nearglot models search/);
	assert.doesNotMatch(unknown, /models pull/);
});
