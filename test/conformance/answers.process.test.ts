/** Answers and events are what their routes declare: every field declared, and none besides. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type * as z from 'zod';
import { AppError, streamEvents } from '../../server/protocol/index.ts';
import { chatCompletions } from '../../server/protocol/routes/chat.ts';
import { completions } from '../../server/protocol/routes/completions.ts';
import { downloadModel } from '../../server/protocol/routes/foundry.ts';
import { type Route, routeName } from '../../server/protocol/routes/route.ts';
import { routes } from '../../server/protocol/routes/routes.ts';
import { pathOf } from '../http/allRoutes.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ env: { HF_ENDPOINT: 'http://127.0.0.1:1' } });
});
after(() => server.close());

function agrees(schema: z.ZodType | undefined, value: unknown, name: string): void {
	const read = schema?.safeParse(value);
	assert.ok(read?.success, `${name}: ${read?.error?.message} ${JSON.stringify(value)}`);
	assert.deepEqual(read.data, value, `${name} has fields that it does not declare`);
}

const own = ['chat', 'models', 'server'];
const reading = routes.filter(
	// A search asks the hub, which is not there; what is kept is read below, what is recorded in recordedRoutes.
	({ method, path, answer, section = '' }) =>
		method === 'GET' &&
		answer &&
		own.includes(section) &&
		path !== '/nearglot/models/hub' &&
		// It proves something about a challenge.
		path !== '/nearglot/proof' &&
		!/^\/(?:v1\/responses|v1\/conversations|nearglot\/requests)\//.test(path),
);

test('what is read answers as it declares, with a model in memory and without', async () => {
	assert.ok(reading.length > 18);
	for (let turn = 0; turn < 2; turn++) {
		for (const route of reading) {
			const answer = await fetch(server.url + pathOf(route), { headers: server.keyed });
			assert.equal(answer.status, 200, routeName(route));
			agrees(route.answer, await answer.json(), routeName(route));
		}
		await server.post('/v1/completions', { model: 'starter-chat', prompt: 'a', max_tokens: 1 });
	}
});

const messages = [{ role: 'user', content: 'How do I list all files?' }];
const tools = [
	{ type: 'function', function: { name: 'get_time', parameters: { type: 'object' } } },
];
const asked: Readonly<Record<string, readonly object[]>> = {
	'/v1/chat/completions': [
		{ messages, max_tokens: 8, logprobs: true, top_logprobs: 2, n: 2 },
		{ messages, tools, tool_choice: 'required', max_tokens: 64 },
		{ messages, functions: tools.map((each) => each.function), max_tokens: 8 },
	],
	'/v1/chat/completions/tokenizer/encode/count': [{ messages }],
	'/v1/completions': [{ prompt: ['a', 'b'], max_tokens: 4, logprobs: 2, echo: true }],
	'/v1/responses': [{ input: 'hi', max_output_tokens: 4 }],
	'/tokenize': [{ content: 'a text' }, { content: 'a text', with_pieces: true }],
	'/detokenize': [{ tokens: [1, 2] }],
	'/api/show': [{}],
	'/nearglot/models/pin': [{ pinned: true }],
	'/nearglot/models/draft': [{ draft_model: null }],
	'/nearglot/models/pause': [{}],
};

const posted = (path: string): Route =>
	routes.find((route) => route.method === 'POST' && route.path === path) ?? assert.fail(path);

test('what is posted answers as it declares', async () => {
	for (const [path, bodies] of Object.entries(asked))
		for (const body of bodies) {
			const whole = { model: 'starter-chat', ...body };
			const answer = await server.post(path, whole, { headers: server.keyed });
			const value: unknown = await answer.json();
			assert.equal(answer.status, 200, `${path}: ${JSON.stringify(value)}`);
			agrees(posted(path).answer, value, path);
		}
});

test('streams send the events they declare', async () => {
	for (const [route, more] of [
		[chatCompletions, { messages, return_progress: true, logprobs: true, top_logprobs: 1 }],
		[chatCompletions, { messages, tools, tool_choice: 'required' }],
		[completions, { prompt: 'a', logprobs: 1 }],
	] as const) {
		const body = {
			model: 'starter-chat',
			max_tokens: 16,
			stream: true,
			stream_options: { include_usage: true },
			...more,
		};
		const response = await server.post(route.path, body);
		let count = 0;
		for await (const event of streamEvents(response, { cut: () => new AppError('internal') })) {
			agrees(route.events, event, route.path);
			count++;
		}
		assert.ok(count > 2, route.path);
	}
});

test('a download that is refused names the field in the sentence of every other route', async () => {
	const answer = await server.post(downloadModel.path, { model: { Name: 7 } });
	assert.equal(answer.status, 400);
	const { error } = (await answer.json()) as { error: { message: string; param: string } };
	assert.equal(error.message, "'model.Name' must be a string, but it is 7.");
	assert.equal(error.param, 'model.Name');
});

test('what is kept answers as it declares', async () => {
	const made = async (path: string, body: object) => {
		const answer = await server.post(path, body, { headers: server.keyed });
		const value = (await answer.json()) as { id: string; data: readonly { id: string }[] };
		const shown = path.replace(/(?<=\/)conv_\w+/, ':id');
		agrees(posted(shown).answer, value, path);
		return value;
	};
	const items = [{ role: 'user', content: 'hi' }];
	const { id: conversation } = await made('/v1/conversations', { items, metadata: { a: 'b' } });
	const input = { model: 'starter-chat', input: 'hi', max_output_tokens: 4 };
	const { id } = await made('/v1/responses', { ...input, conversation });
	await made(`/v1/conversations/${conversation}`, { metadata: {} });
	const { data } = await made(`/v1/conversations/${conversation}/items`, { items });
	const names = { ':id': conversation, ':item': data[0]?.id ?? '' };
	const kept = routes.filter(({ path }) => /^\/v1\/(?:responses|conversations)\//.test(path));
	for (const method of ['GET', 'DELETE'])
		for (const route of kept.filter((each) => each.method === method).reverse()) {
			const isResponse = route.path.startsWith('/v1/responses');
			const path = route.path
				.replace(':item', names[':item'])
				.replace(':id', isResponse ? id : conversation);
			const answer = await fetch(server.url + path, { method, headers: server.keyed });
			assert.equal(answer.status, 200, routeName(route));
			agrees(route.answer, await answer.json(), routeName(route));
		}
});
