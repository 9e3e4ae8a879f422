/** What clients of other servers send and expect: tags, parts, switches for all models, names of fields. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { chat, type Reply, refused, text } from './ask.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer();
});
after(() => server.close());

const question = [{ role: 'user', content: 'extract a tar.gz file' }];

test('the tag of a name without a version is understood', async () => {
	const reply = await chat(server, { model: 'starter-chat:latest', max_tokens: 1 });
	assert.equal(reply.model, 'starter-chat:1');
	const response = await fetch(`${server.url}/openai/load/starter-chat:latest`);
	assert.equal(response.status, 200);
});

test('words at the ends of two parts do not run together', async () => {
	const count = async (content: unknown) =>
		(await chat(server, { messages: [{ role: 'user', content }], max_tokens: 1 })).usage
			.prompt_tokens;
	const parts = ['extract a', 'tar.gz file'].map((text) => ({ type: 'text', text }));
	assert.equal(await count(parts), await count('extract a\ntar.gz file'));
	const spaced = ['extract ', 'a tar.gz file'].map((text) => ({ type: 'text', text }));
	assert.equal(await count(spaced), await count('extract a tar.gz file'));
});

test('of many tools only those that are allowed are called, in chats and in responses', async () => {
	const parameters = { type: 'object', properties: {} };
	const body = { model: 'starter-chat', max_tokens: 40 };
	const nested = (name: string) => ({ type: 'function', function: { name, parameters } });
	const chosen = await chat(server, {
		...{ ...body, messages: question, tools: ['f', 'g', 'h'].map(nested) },
		tool_choice: {
			type: 'allowed_tools',
			allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'g' } }] },
		},
	});
	assert.deepEqual(
		chosen.choices[0]?.message.tool_calls?.map((call) => call.function.name),
		['g'],
	);
	const tool_choice = {
		...{ type: 'allowed_tools', mode: 'required' },
		tools: [{ type: 'function', name: 'h' }],
	};
	const response = await server.post('/v1/responses', {
		...{ model: 'starter-chat', input: 'hello', max_output_tokens: 40, tool_choice },
		tools: ['f', 'g', 'h'].map((name) => ({ type: 'function', name, parameters })),
	});
	const made = (await response.json()) as { output: { name: string }[]; tool_choice: unknown };
	assert.deepEqual(
		made.output.map(({ name }) => name),
		['h'],
	);
	assert.deepEqual(made.tool_choice, tool_choice);
	const unknown = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [nested('x')] } };
	const { param } = await refused(server, { tools: [nested('f')], tool_choice: unknown });
	assert.equal(param, 'tool_choice');
});

test('what does not exist here is refused by name: encrypted reasoning, other tiers', async () => {
	for (const field of [{ include: ['reasoning.encrypted_content'] }, { service_tier: 'flex' }]) {
		const body = { model: 'starter-chat', input: 'hello', ...field };
		const answer = await server.post('/v1/responses', body);
		assert.equal(answer.status, 400);
		assert.match(await answer.text(), new RegExp(Object.keys(field)[0] ?? '-'));
	}
});

test('a tool that runs on a server is refused with why', async () => {
	const search = await refused(server, { tools: [{ type: 'web_search' }] });
	assert.match(search.message, /tools that run on a server do not exist here/);
	assert.deepEqual([search.status, search.param], [400, 'tools[0].type']);
});

test('curl without a type reaches Ollama’s interface; what a browser could send does not', async () => {
	const ask = (headers: Record<string, string>) =>
		fetch(`${server.url}/api/show`, {
			...{ method: 'POST', body: '{"model":"starter-speech"}' },
			headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
		});
	const answer = await ask({ 'user-agent': 'curl/8.5.0' });
	assert.equal(answer.status, 200);
	assert.deepEqual(((await answer.json()) as { capabilities: string[] }).capabilities, []);
	const page = await ask({ 'user-agent': 'Mozilla/5.0' });
	assert.equal(page.status, 400);
	const name = '__proto__';
	const copy = await server.post(
		'/api/copy',
		{ source: 'starter-chat', destination: name },
		{ headers: server.keyed },
	);
	assert.equal(copy.status, 400);
	assert.match(await copy.text(), /cannot be the name of a model/);
});

test('the list of models is read by clients of either interface, in parts', async () => {
	type List = { data: Record<string, unknown>[]; has_more: boolean; last_id: string };
	const list = async (query: string) =>
		(await (await fetch(`${server.url}/v1/models${query}`)).json()) as List;
	const all = await list('');
	assert.equal(all.has_more, false);
	const [first, second] = all.data;
	assert.equal(first?.['type'], 'model');
	assert.equal(typeof first?.['display_name'], 'string');
	assert.ok(Date.parse(String(first?.['created_at'])) > 0);
	const part = await list('?limit=1');
	assert.deepEqual([part.data, part.has_more, part.last_id], [[first], true, first?.['id']]);
	assert.deepEqual((await list(`?limit=1&after_id=${part.last_id}`)).data, [second]);
	assert.deepEqual((await list(`?limit=1&before_id=${second?.['id']}`)).data, [first]);
});

test('switches that a model does not have are named, not refused', async () => {
	const body = {
		model: 'starter-chat',
		messages: question,
		max_tokens: 1,
		reasoning_effort: 'none',
		chat_template_kwargs: { enable_thinking: false },
		enable_thinking: false,
		colour: 'red',
	};
	for (const stream of [false, true]) {
		const response = await server.post('/v1/chat/completions', { ...body, stream });
		assert.equal(response.status, 200, await response.clone().text());
		const named = response.headers.get('x-ignored-parameters') ?? '';
		assert.deepEqual(named.split(', ').sort(), [
			'chat_template_kwargs.enable_thinking',
			'colour',
			'enable_thinking',
			'reasoning_effort',
		]);
		await response.text();
	}
	const response = await server.post('/v1/responses', {
		...{ model: 'starter-chat', input: 'hello', max_output_tokens: 1 },
		reasoning: { effort: 'low' },
	});
	assert.equal(response.status, 200, await response.clone().text());
	assert.equal(response.headers.get('x-ignored-parameters'), 'reasoning.effort');
});

test('a prompt that is too long is an error of the field that holds it', async () => {
	const long = 'list all files '.repeat(4000);
	for (const [path, body, param] of [
		['/v1/chat/completions', { messages: [{ role: 'user', content: long }] }, 'messages'],
		['/v1/responses', { input: long }, 'input'],
		['/v1/completions', { prompt: long }, 'prompt'],
	] as const) {
		const response = await server.post(path, { model: 'starter-chat', ...body });
		const { error } = (await response.json()) as { error: { code: string; param: string } };
		assert.equal(error.code, 'context_length_exceeded', path);
		assert.equal(error.param, param, path);
	}
});

test('compressed bodies are read, and the fingerprint is a text', async () => {
	const asked = { model: 'starter-chat', messages: question, max_tokens: 3, temperature: 0 };
	const plain = await chat(server, asked);
	for (const [encoding, squeeze] of Object.entries({
		...{ gzip: gzipSync, 'X-GZip': gzipSync, deflate: deflateSync, br: brotliCompressSync },
		identity: (text: string) => text,
	})) {
		const response = await fetch(`${server.url}/v1/chat/completions`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'content-encoding': encoding },
			body: squeeze(JSON.stringify(asked)),
		});
		const reply = (await response.json()) as Reply;
		assert.equal(text(reply), text(plain), encoding);
	}
	const whole = (await (
		await server.post('/v1/chat/completions', {
			model: 'starter-chat',
			messages: question,
			max_tokens: 1,
		})
	).json()) as { system_fingerprint: unknown };
	assert.match(String(whole.system_fingerprint), /^fp_/);
	assert.equal((await refused(server, { model: 'nobody:latest' })).status, 404);
});
