/** Clients of other servers' interfaces: npm ollama, LangChain's and the AI SDK's Ollama providers, Anthropic's SDK. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import Anthropic, { NotFoundError } from '@anthropic-ai/sdk';
import { ChatOllama } from '@langchain/ollama';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { Ollama } from 'ollama';
import { createOllama } from 'ollama-ai-provider-v2';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { type TinyModels, tinyModels } from './tinyModels.ts';

let server: TestServer;
let faked: TestServer;
let models: TinyModels;
let ollama: Ollama;
let anthropic: Anthropic;
before(async () => {
	models = await tinyModels();
	server = await startTestServer({ modelsDir: models.dir });
	faked = await startTestServer({ fakeRunner: true });
	ollama = new Ollama({ host: server.url });
	anthropic = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
});
after(async () => {
	await Promise.all([server.close(), faked.close()]);
	await models.remove();
});

const model = 'starter-chat';
const messages = [{ role: 'user' as const, content: 'How do I list all files?' }];
const greedy = { temperature: 0 };
const parameters = {
	type: 'object',
	properties: { zone: { type: 'integer', minimum: 0, maximum: 24 } },
	required: ['zone'],
	additionalProperties: false,
};
const clock = { name: 'get_time', description: 'Tells the time.', parameters };

test('ollama: a chat, whole and streamed, says the same as chat completions', async () => {
	const whole = await ollama.chat({ model: `${model}:latest`, messages, options: greedy });
	assert.equal(whole.model, `${model}:latest`);
	assert.deepEqual(
		[whole.done, whole.done_reason, whole.message.role],
		[true, 'stop', 'assistant'],
	);
	const reply = await server.post('/v1/chat/completions', { model, messages, temperature: 0 });
	const { choices, usage } = (await reply.json()) as {
		choices: { message: { content: string } }[];
		usage: { prompt_tokens: number; completion_tokens: number };
	};
	assert.equal(whole.message.content, choices[0]?.message.content);
	assert.deepEqual(
		[whole.prompt_eval_count, whole.eval_count],
		[usage.prompt_tokens, usage.completion_tokens],
	);
	assert.ok(whole.total_duration > 1e5 && Number.isInteger(whole.total_duration), 'nanoseconds');
	let text = '';
	let last: unknown;
	for await (const part of await ollama.chat({ model, messages, options: greedy, stream: true })) {
		text += part.message.content;
		last = part.done_reason;
	}
	assert.deepEqual([text, last], [whole.message.content, 'stop']);
});

test('ollama: results of tools find their calls, schemas hold', async () => {
	const tools = [{ type: 'function', function: clock }];
	const question = [{ role: 'user', content: 'What time is it?' }];
	const options = { seed: 3, num_predict: 300 };
	const talk = [
		...question,
		{
			role: 'assistant',
			content: '',
			tool_calls: [{ function: { name: 'get_time', arguments: { zone: 2 } } }],
		},
		{ role: 'tool', content: 'noon', tool_name: 'get_time' },
	];
	const after = await ollama.chat({
		model: 'tiny',
		messages: talk,
		tools,
		options: { num_predict: 2 },
	});
	assert.equal(after.done_reason, 'length');
	assert.ok(after.prompt_eval_count > 40, 'the whole conversation was read');
	const held = await ollama.chat({ model: 'tiny', messages, format: parameters, options });
	assert.equal(typeof JSON.parse(held.message.content).zone, 'number');
	const raw = await ollama.generate({ model: 'tiny', prompt: 'x', format: 'json', options });
	assert.equal(typeof JSON.parse(raw.response ?? ''), 'object');
});

test('ollama: a prompt goes through the template, another template, or none; its context goes on', async () => {
	const options = { ...greedy, num_predict: 8 };
	const prompt = messages[0]?.content ?? '';
	const first = await ollama.generate({ model, prompt, options });
	const chat = await ollama.chat({ model, messages, options });
	assert.equal(first.response, chat.message.content);
	assert.ok(first.context.length >= first.prompt_eval_count + first.eval_count - 1);
	const next = await ollama.generate({ model, prompt, options, context: first.context });
	assert.ok(next.prompt_eval_count > first.context.length, 'the conversation was read again');
	const rendered = await server.post('/tokenize', { model, messages });
	const { tokens } = (await rendered.json()) as { tokens: number[] };
	const { content } = (await (
		await server.post('/detokenize', { model, tokens, special: true })
	).json()) as {
		content: string;
	};
	const raw = await ollama.generate({ model, prompt: content, raw: true, options });
	assert.equal(raw.response, first.response);
	assert.equal('context' in raw, false);
	const template = content.replace(prompt, '{{- if .System }}no{{ else }}{{ .Prompt }}{{ end -}}');
	const own = await ollama.generate({
		model,
		prompt,
		template: `${template}{{ .Response }}x`,
		options,
	});
	assert.equal(own.response, first.response);
	let text = '';
	for await (const part of await ollama.generate({ model, prompt, options, stream: true }))
		text += part.response;
	assert.equal(text, first.response);
});

test('ollama: lists, what is in memory, copies, removal; unloaded at once on wish', async () => {
	const { version } = await ollama.version();
	assert.match(version, /^\d+\.\d+\.\d+$/);
	const listed = await ollama.list();
	assert.ok(listed.models.some(({ name }) => name === 'starter-chat:1'));
	assert.deepEqual((await ollama.show({ model })).capabilities, ['completion', 'tools']);
	await ollama.generate({ model: 'tiny', prompt: '', keep_alive: '10m' });
	const [row] = (await ollama.ps()).models.filter(({ name }) => name === 'tiny:1');
	const leftMs = Date.parse(String(row?.expires_at)) - Date.now();
	assert.ok(leftMs > 60_000 && leftMs <= 601_000, String(row?.expires_at));
	await ollama.chat({ model: 'tiny', messages, options: { num_predict: 1 }, keep_alive: 0 });
	await until('it is unloaded', async () =>
		(await ollama.ps()).models.every(({ name }) => name !== 'tiny:1'),
	);
	const owner = new Ollama({
		host: server.url,
		headers: { authorization: `Bearer ${server.key}` },
	});
	await owner.copy({ source: 'tiny', destination: 'twin:latest' });
	assert.ok((await owner.list()).models.some(({ name }) => name === 'twin:1'));
	await assert.rejects(ollama.delete({ model: 'twin' }), /key of the model server/);
	await owner.delete({ model: 'twin' });
	await assert.rejects(owner.show({ model: 'twin' }), /no model 'twin'/i);
});

test('ollama: what cannot be done is said as a sentence, and ignored fields are named', async () => {
	await assert.rejects(ollama.chat({ model: 'nope', messages }), (error: Error) => {
		assert.match(error.message, /nope/);
		return !error.message.includes('[object');
	});
	const seen = { ...messages[0], role: 'user', content: 'x', images: ['aGk='] };
	await assert.rejects(ollama.chat({ model, messages: [seen] }), /images/);
	await assert.rejects(ollama.generate({ model, prompt: 'a', suffix: 'b' }), /suffix/);
	await assert.rejects(ollama.create({ model: 'x', from: model }), /Modelfiles/);
	await assert.rejects(ollama.pull({ model: 'hf.co/nobody/nothing' }), /needs the key/);
	const response = await server.post('/api/chat', {
		model,
		messages,
		stream: false,
		think: true,
		options: { num_predict: 1, num_ctx: 4096, mirostat: 1 },
	});
	assert.equal(response.status, 200);
	assert.deepEqual(response.headers.get('x-ignored-parameters')?.split(', ').sort(), [
		'options.mirostat',
		'options.num_ctx',
		'think',
	]);
	const crash = { model, messages: [{ role: 'user', content: 'crash' }], stream: true as const };
	await assert.rejects(async () => {
		for await (const _ of await new Ollama({ host: faked.url }).chat(crash));
	}, /ended|unloaded/);
	const none = await server.post('/api/nothing', {});
	assert.equal(none.status, 404);
	assert.equal(typeof ((await none.json()) as { error: unknown }).error, 'string');
});

test('ollama: a stream that is broken off frees the engine', async () => {
	const client = new Ollama({ host: faked.url });
	const slow = { model, messages: [{ role: 'user', content: 'slow' }], stream: true as const };
	for await (const _ of await client.chat(slow)) break;
	client.abort();
	const running = async () => (await faked.backend.host.stats())[0]?.stats.running;
	await until('nothing runs', async () => (await running()) === 0);
	assert.equal(await running(), 0);
});

test('langchain and the ai sdk speak to it as they do to ollama', async () => {
	const chat = new ChatOllama({ baseUrl: server.url, model, temperature: 0 });
	const answer = await chat.invoke('How do I list all files?');
	assert.ok(String(answer.content).length > 3);
	let text = '';
	for await (const chunk of await chat.stream('How do I list all files?'))
		text += String(chunk.content);
	assert.equal(text, answer.content);
	const provider = createOllama({ baseURL: `${server.url}/api` });
	const whole = await generateText({ model: provider(model), messages, ...greedy, maxRetries: 0 });
	assert.equal(whole.text, answer.content);
	const stream = streamText({ model: provider(model), messages, ...greedy, maxRetries: 0 });
	let streamed = '';
	for await (const piece of stream.textStream) streamed += piece;
	assert.equal(streamed, answer.content);
	assert.equal((await stream.usage).outputTokens, whole.usage.outputTokens);
	const called = await generateText({
		model: provider('tiny'),
		messages,
		maxRetries: 0,
		maxOutputTokens: 5,
		tools: { get_time: tool({ inputSchema: jsonSchema<{ zone: number }>(parameters as object) }) },
	});
	assert.ok(['length', 'tool-calls', 'stop'].includes(called.finishReason));
});

test('anthropic: whole and streamed say the same, count what is read, and know the cache', async () => {
	const tiers = ['auto', 'standard_only'] as const;
	const asked = { model, messages, max_tokens: 40, temperature: 0, service_tier: tiers[0] };
	const whole = await anthropic.messages.create(asked);
	assert.deepEqual(
		[whole.type, whole.role, whole.stop_reason],
		['message', 'assistant', 'end_turn'],
	);
	const [said] = whole.content;
	assert.ok(said?.type === 'text' && said.text.length > 3);
	const seen: string[] = [];
	assert.equal(whole.usage.service_tier, 'standard');
	const stream = anthropic.messages
		.stream({ ...asked, service_tier: tiers[1] })
		.on('streamEvent', ({ type }) => seen.push(type));
	const final = await stream.finalMessage();
	assert.deepEqual(final.content, whole.content);
	assert.equal(final.usage.output_tokens, whole.usage.output_tokens);
	const prompt = (usage: { input_tokens: number; cache_read_input_tokens: number | null }) =>
		usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
	const counted = await anthropic.messages.countTokens({ model, messages });
	assert.deepEqual([prompt(whole.usage), prompt(final.usage)], Array(2).fill(counted.input_tokens));
	assert.ok((final.usage.cache_read_input_tokens ?? 0) > 0, 'the second time from the cache');
	const deltas = seen.filter((type) => type === 'content_block_delta').length;
	assert.ok(deltas > 1);
	assert.deepEqual(
		seen.filter((type) => type !== 'content_block_delta'),
		['message_start', 'content_block_start', 'content_block_stop', 'message_delta', 'message_stop'],
	);
});

test('anthropic: a tool loop, a stop sequence, a limit, a schema', async () => {
	const tools = [
		{
			name: 'get_time',
			description: 'Tells the time.',
			input_schema: { ...parameters, type: 'object' as const },
		},
	];
	const question = { role: 'user' as const, content: 'What time is it?' };
	const asked = {
		model: 'tiny',
		max_tokens: 300,
		tools,
		tool_choice: { type: 'any' as const, disable_parallel_tool_use: true },
	};
	const called = await anthropic.messages.stream({ ...asked, messages: [question] }).finalMessage();
	assert.equal(called.stop_reason, 'tool_use');
	const [use] = called.content;
	assert.ok(use?.type === 'tool_use' && use.name === 'get_time', JSON.stringify(called.content));
	assert.match(use.id, /^toolu_/);
	assert.equal(typeof (use.input as { zone: unknown }).zone, 'number');
	const answered = await anthropic.messages.create({
		...asked,
		system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
		tool_choice: { type: 'none' },
		max_tokens: 2,
		messages: [
			question,
			{ role: 'assistant', content: called.content },
			{
				role: 'user',
				content: [
					{ type: 'tool_result', tool_use_id: use.id, content: [{ type: 'text', text: 'noon' }] },
					{ type: 'text', text: 'And now?' },
				],
			},
		],
	});
	assert.equal(answered.stop_reason, 'max_tokens');
	const plain = { model, messages, max_tokens: 40, temperature: 0 };
	const [first] = (await anthropic.messages.create(plain)).content;
	const words = first?.type === 'text' ? first.text : '';
	const stop = words.slice(3, 6);
	const stopped = { ...plain, stop_sequences: ['never', stop] };
	const cut = await anthropic.messages.create(stopped);
	assert.deepEqual([cut.stop_reason, cut.stop_sequence], ['stop_sequence', stop]);
	assert.ok(cut.content[0]?.type === 'text' && words.startsWith(cut.content[0].text));
	const held = await anthropic.messages.create({
		model: 'tiny',
		messages,
		max_tokens: 200,
		output_config: { format: { type: 'json_schema', schema: parameters } },
	});
	const [json] = held.content;
	assert.equal(typeof JSON.parse(json?.type === 'text' ? json.text : '').zone, 'number');
});

test('anthropic: errors have their class and shape, a stream that is broken off frees the engine', async () => {
	const asked = { model, messages, max_tokens: 4 };
	const wrong = async (body: object, type: string, status: number) => {
		const response = await server.post('/v1/messages', { ...asked, ...body });
		assert.equal(response.status, status, JSON.stringify(body).slice(0, 200));
		const error = (await response.json()) as { type: string; error: { type: string } };
		assert.deepEqual([error.type, error.error.type], ['error', type]);
	};
	await assert.rejects(
		anthropic.messages.create({ ...asked, model: 'nope' }),
		(error) =>
			error instanceof NotFoundError && error.requestID !== null && error.requestID !== undefined,
	);
	const image = {
		type: 'image',
		source: { type: 'base64', media_type: 'image/png', data: 'aGk=' },
	};
	for (const body of [
		{ service_tier: 'priority' },
		{ max_tokens: null },
		{ messages: [{ role: 'user', content: [image] }] },
		{ messages: [...messages, { role: 'assistant', content: 'It is' }] },
		{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
		{ messages: [{ role: 'user', content: 'list all files '.repeat(4000) }] },
	])
		await wrong(body, 'invalid_request_error', 400);
	await wrong({ system: 'x'.repeat(9 << 20) }, 'request_too_large', 413);
	const client = new Anthropic({ baseURL: faked.url, apiKey: 'none', maxRetries: 0 });
	const slow = client.messages.stream({ ...asked, messages: [{ role: 'user', content: 'slow' }] });
	for await (const _ of slow) break;
	const running = async () => (await faked.backend.host.stats())[0]?.stats.running;
	await until('nothing runs', async () => (await running()) === 0);
	const crash = client.messages.stream({
		...asked,
		messages: [{ role: 'user', content: 'crash' }],
	});
	await assert.rejects(crash.finalMessage(), /api_error/);
	assert.equal((await anthropic.models.retrieve('starter-chat:1')).id, 'starter-chat:1');
});

test('the commands of docs/api.md are answered', async () => {
	const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
	const commands = [
		...page.matchAll(
			/^curl (?:(?!\ncurl)[^`])*?\$URL([^\s"]+)"? (?:(?!\ncurl)[^`])*?-d '([^']*)'/gm,
		),
	];
	assert.ok(commands.length >= 4, 'they are found');
	for (const [, path = '', body = ''] of commands) {
		// There is no such model among the built-in ones; test/conformance/embeddings asks at this path.
		if (path === '/v1/rerank') continue;
		const response = await server.post(path, JSON.parse(body));
		assert.equal(response.status, 200, `${path} ${await response.text()}`);
	}
	const names = new Map(
		[...page.matchAll(/\b(ANTHROPIC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
	);
	const agent = new Anthropic({
		apiKey: null,
		authToken: String(names.get('ANTHROPIC_AUTH_TOKEN')),
		baseURL: String(names.get('ANTHROPIC_BASE_URL')).replace('$URL', server.url),
		maxRetries: 0,
	});
	for (const name of ['ANTHROPIC_MODEL', 'ANTHROPIC_DEFAULT_HAIKU_MODEL'])
		await agent.messages.create({ model: String(names.get(name)), messages, max_tokens: 1 });
});
