/** Anthropic's newer client keeps threads and runs tools by itself: no turn of a conversation may be lost. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Anthropic, { NotFoundError } from '@anthropic-ai/sdk';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { type TinyModels, tinyModels } from './tinyModels.ts';

let server: TestServer;
let models: TinyModels;
/** What was asked and answered, in order. */
let calls: {
	readonly messages: number;
	readonly status: number;
	readonly ignored: string | null;
}[];
let anthropic: Anthropic;
before(async () => {
	models = await tinyModels();
	server = await startTestServer({ modelsDir: models.dir });
	anthropic = new Anthropic({
		...{ baseURL: server.url, apiKey: 'none', maxRetries: 0 },
		fetch: async (url, init) => {
			const response = await fetch(url, init);
			const { messages } = JSON.parse(String(init?.body)) as { messages: unknown[] };
			const ignored = response.headers.get('x-ignored-parameters');
			calls.push({ messages: messages.length, status: response.status, ignored });
			return response;
		},
	});
});
after(async () => {
	await server.close();
	await models.remove();
});

const ask = {
	...{ model: 'tiny', max_tokens: 200 },
	messages: [{ role: 'user' as const, content: 'How much is it?' }],
	tool_choice: { type: 'any' as const, disable_parallel_tool_use: true },
};
const look = {
	...{ type: 'custom' as const, name: 'look', description: 'Looks.' },
	input_schema: {
		type: 'object' as const,
		properties: { at: { type: 'integer' } },
		required: ['at'],
		additionalProperties: false,
	},
	run: () => 'seven',
	parse: (input: unknown) => input,
};

for (const stream of [false, true])
	test(`the runner of tools sends the whole conversation with each result${stream ? ', streamed' : ''}`, async () => {
		calls = [];
		const runner = anthropic.beta.messages.toolRunner({
			...{ ...ask, tools: [look], max_iterations: 3, stream },
		});
		const ends: (string | null)[] = [];
		for await (const turn of runner) {
			const message = 'finalMessage' in turn ? await turn.finalMessage() : turn;
			ends.push(message.stop_reason);
		}
		assert.deepEqual(ends, ['tool_use', 'tool_use', 'tool_use']);
		const answered = calls.filter(({ status }) => status === 200);
		assert.deepEqual(
			answered.map(({ messages }) => messages),
			[1, 3, 5],
		);
		assert.equal(answered[0]?.ignored, 'thread');
		assert.ok(calls.every(({ status }) => status === 200 || status === 404));
	});

test('a thread remembers what was said, and one that is continued by hand is refused by name', async () => {
	calls = [];
	const { tool_choice: _, messages: _messages, ...plain } = ask;
	const thread = anthropic.beta.messages.thread({ ...plain, max_tokens: 4 });
	await thread.send({ role: 'user', content: 'One.' });
	const second = await thread.send({ role: 'user', content: 'Two.' });
	assert.equal(calls.at(-1)?.messages, 3);
	const lost = { type: 'continue' as const, previous_message_id: second.id };
	for (const request of [
		() => anthropic.beta.messages.create({ ...ask, thread: lost }),
		() => anthropic.post('/v1/messages/count_tokens', { body: { ...ask, thread: lost } }),
	])
		await assert.rejects(
			request(),
			(error) =>
				error instanceof NotFoundError &&
				/thread\.previous_message_id.*Send all/.test(error.message),
		);
});
