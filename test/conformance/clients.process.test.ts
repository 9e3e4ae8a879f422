/** Clients nobody here wrote: npm openai, ai with its OpenAI-compatible provider, LangChain, Foundry's. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, Output, streamText, tool } from 'ai';
import { FoundryLocalManager } from 'foundry-local-sdk/browser';
import OpenAI, { APIError, BadRequestError, NotFoundError } from 'openai';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { type TinyModels, tinyModels } from './tinyModels.ts';

let server: TestServer;
let faked: TestServer;
let models: TinyModels;
let openai: OpenAI;
before(async () => {
	models = await tinyModels();
	server = await startTestServer({ modelsDir: models.dir });
	faked = await startTestServer({ fakeRunner: true });
	openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
after(async () => {
	await Promise.all([server.close(), faked.close()]);
	await models.remove();
});

const messages = [{ role: 'user' as const, content: 'How do I list all files?' }];
const model = 'starter-chat';
const time = {
	type: 'function' as const,
	function: {
		name: 'get_time',
		parameters: {
			type: 'object',
			properties: { zone: { type: 'integer', minimum: 0, maximum: 24 } },
			required: ['zone'],
			additionalProperties: false,
		},
	},
};

test('openai: a whole answer, its usage and the list of models', async () => {
	const answer = await openai.chat.completions.create({ model, messages });
	assert.ok((answer.choices[0]?.message.content ?? '').length > 3);
	assert.equal(answer.choices[0]?.finish_reason, 'stop');
	assert.equal(
		answer.usage?.total_tokens,
		(answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0),
	);
	const listed = await openai.models.list();
	assert.ok(listed.data.some((each) => each.id === 'starter-chat:1'));
	assert.equal((await openai.models.retrieve('starter-chat:1')).id, 'starter-chat:1');
});

test('openai: the stream helper assembles the same answer and finds the finish reason', async () => {
	const whole = await openai.chat.completions.create({ model, messages, temperature: 0 });
	const stream = openai.chat.completions.stream({
		model,
		messages,
		temperature: 0,
		stream_options: { include_usage: true },
	});
	const final = await stream.finalChatCompletion();
	assert.equal(final.choices[0]?.message.content, whole.choices[0]?.message.content);
	assert.equal(final.choices[0]?.finish_reason, 'stop');
	assert.equal(final.usage?.completion_tokens, whole.usage?.completion_tokens);
});

test('openai: an answer that says what was left out is read, whole, streamed and as a response', async () => {
	const turns = [
		{ role: 'user' as const, content: 'hi' },
		{ role: 'assistant' as const, content: 'Hello.' },
		...messages,
	];
	const alone = await openai.chat.completions.create({ model, messages, temperature: 0 });
	const text = alone.choices[0]?.message.content;
	const { data, response } = await openai.chat.completions
		.create({ model, messages: turns, temperature: 0 })
		.withResponse();
	assert.equal(response.headers.get('x-omitted-turns'), '1');
	assert.equal(data.choices[0]?.message.content, text);
	assert.ok('omitted_turns' in data && data.omitted_turns === 1);
	const asked = { model, messages: turns, temperature: 0 };
	const started = await openai.chat.completions.create({ ...asked, stream: true }).withResponse();
	assert.equal(started.response.headers.get('x-omitted-turns'), '1');
	started.data.controller.abort();
	const stream = openai.chat.completions.stream(asked);
	assert.equal((await stream.finalChatCompletion()).choices[0]?.message.content, text);
	const input = turns;
	const whole = await openai.responses.create({ model, input, temperature: 0, truncation: 'auto' });
	assert.deepEqual([whole.output_text, whole.truncation], [text, 'auto']);
	assert.ok('omitted_turns' in whole && whole.omitted_turns === 1);
	const events = openai.responses.stream({ model, input, temperature: 0 });
	const final = await events.finalResponse();
	assert.deepEqual([final.output_text, final.truncation], [text, 'disabled']);
	assert.ok('omitted_turns' in final && final.omitted_turns === 1);
});

test('openai: streamed tool calls are assembled', async () => {
	const stream = openai.chat.completions.stream({
		model: 'tiny',
		messages,
		tools: [time],
		tool_choice: 'required',
		parallel_tool_calls: false,
		seed: 1,
		max_tokens: 300,
	});
	const final = await stream.finalChatCompletion();
	assert.equal(final.choices[0]?.finish_reason, 'tool_calls');
	const [call] = final.choices[0]?.message.tool_calls ?? [];
	assert.ok(call?.type === 'function');
	assert.equal(call.function.name, 'get_time');
	assert.equal(typeof JSON.parse(call.function.arguments).zone, 'number');
});

test('openai: errors have their class, code and parameter', async () => {
	await assert.rejects(openai.chat.completions.create({ model: 'nope', messages }), (error) => {
		assert.ok(error instanceof NotFoundError);
		assert.equal(error.code, 'model_not_found');
		assert.equal(error.param, 'model');
		return true;
	});
	await assert.rejects(
		openai.chat.completions.create({ model, messages, temperature: 3 }),
		(error) => {
			assert.ok(error instanceof BadRequestError);
			assert.equal(error.param, 'temperature');
			return true;
		},
	);
});

test('openai: an error in mid-stream is raised with its code', async () => {
	const client = new OpenAI({ baseURL: `${faked.url}/v1`, apiKey: 'none', maxRetries: 0 });
	const stream = await client.chat.completions.create({
		model,
		messages: [{ role: 'user', content: 'crash' }],
		stream: true,
	});
	await assert.rejects(
		async () => {
			for await (const _ of stream);
		},
		(error) => error instanceof APIError && error.code === 'runner_crashed',
	);
});

test('openai: breaking off a stream frees the engine', async () => {
	const client = new OpenAI({ baseURL: `${faked.url}/v1`, apiKey: 'none', maxRetries: 0 });
	const stream = await client.chat.completions.create({
		model,
		messages: [{ role: 'user', content: 'slow' }],
		stream: true,
	});
	for await (const _ of stream) break;
	const running = async () => (await faked.backend.host.stats())[0]?.stats.running;
	await until('nothing runs', async () => (await running()) === 0);
	assert.equal(await running(), 0);
});

test('openai: completions with echo and log-probabilities', async () => {
	const answer = await openai.completions.create({
		model,
		prompt: 'tar',
		echo: true,
		logprobs: 2,
		max_tokens: 3,
	});
	const [choice] = answer.choices;
	assert.ok(choice);
	assert.ok(choice.text.startsWith('tar'));
	assert.equal(choice.logprobs?.tokens?.join(''), choice.text);
	assert.equal(choice.logprobs?.token_logprobs?.[0], null);
	const streamed = await openai.completions.create({
		model,
		prompt: 'tar',
		max_tokens: 3,
		temperature: 0,
		stream: true,
	});
	let text = '';
	for await (const chunk of streamed) text += chunk.choices[0]?.text ?? '';
	const whole = await openai.completions.create({
		model,
		prompt: 'tar',
		max_tokens: 3,
		temperature: 0,
	});
	assert.equal(text, whole.choices[0]?.text);
});

test('openai: responses, whole and streamed, with a conversation of items', async () => {
	const answer = await openai.responses.create({
		model,
		instructions: 'Be brief.',
		input: [
			{ role: 'user', content: 'How do I list all files?' },
			{ role: 'assistant', content: 'With ls.' },
			{ role: 'user', content: [{ type: 'input_text', text: 'How do I extract a tar.gz file?' }] },
		],
		temperature: 0,
		metadata: { team: 'docs' },
	});
	assert.equal(answer.status, 'completed');
	assert.ok(answer.output_text.length > 3);
	assert.deepEqual(answer.metadata, { team: 'docs' });
	const stream = openai.responses.stream({
		model,
		input: 'How do I list all files?',
		temperature: 0,
	});
	const types = new Set<string>();
	let deltas = '';
	for await (const event of stream) {
		types.add(event.type);
		if (event.type === 'response.output_text.delta') deltas += event.delta;
	}
	const final = await stream.finalResponse();
	assert.equal(final.output_text, deltas);
	for (const type of [
		'response.created',
		'response.output_item.added',
		'response.output_text.done',
		'response.completed',
	])
		assert.ok(types.has(type), type);
});

test('openai: responses call functions and take their results', async () => {
	const tools = [{ type: 'function' as const, ...time.function, strict: true }];
	const first = await openai.responses.create({
		model: 'tiny',
		input: 'What time is it?',
		tools,
		tool_choice: 'required',
		parallel_tool_calls: false,
		max_output_tokens: 300,
	});
	const [call] = first.output;
	assert.ok(call?.type === 'function_call', JSON.stringify(first.output));
	assert.equal(typeof JSON.parse(call.arguments).zone, 'number');
	const second = await openai.responses.create({
		model: 'tiny',
		input: [
			{ role: 'user', content: 'What time is it?' },
			{ type: 'function_call', call_id: call.call_id, name: call.name, arguments: call.arguments },
			{ type: 'function_call_output', call_id: call.call_id, output: 'noon' },
		],
		max_output_tokens: 4,
	});
	assert.ok((second.usage?.input_tokens ?? 0) > 40, 'the whole conversation was read');
});

test('openai: responses call custom tools, whose input a grammar holds, and take their results', async () => {
	const tools = [
		{
			...{ type: 'custom' as const, name: 'sum', description: 'Adds numbers.' },
			format: { type: 'grammar' as const, syntax: 'regex' as const, definition: '\\d{1,3}\\+\\d' },
		},
	];
	const stream = openai.responses.stream({
		model: 'tiny',
		input: 'How much is it?',
		tools,
		tool_choice: { type: 'custom', name: 'sum' },
		parallel_tool_calls: false,
		max_output_tokens: 300,
	});
	let input = '';
	for await (const event of stream)
		if (event.type === 'response.custom_tool_call_input.delta') input += event.delta;
	const first = await stream.finalResponse();
	const [call] = first.output;
	assert.ok(call?.type === 'custom_tool_call', JSON.stringify(first.output));
	assert.match(call.input, /^\d{1,3}\+\d$/);
	assert.equal(call.input, input);
	assert.deepEqual(first.tool_choice, { type: 'custom', name: 'sum' });
	const second = await openai.responses.create({
		model: 'tiny',
		previous_response_id: first.id,
		input: [{ type: 'custom_tool_call_output', call_id: call.call_id, output: '7' }],
		max_output_tokens: 4,
	});
	assert.ok((second.usage?.input_tokens ?? 0) > 20, 'the call was read');
	const format = { type: 'grammar' as const, syntax: 'regex' as const, definition: '(?=a)' };
	await assert.rejects(
		openai.responses.create({ model, input: 'x', tools: [{ type: 'custom', name: 'f', format }] }),
		(error) => error instanceof BadRequestError && error.param === 'tools[0].format.definition',
	);
});

test('ai sdk: text, stream, tools and structured output', async () => {
	const provider = createOpenAICompatible({
		name: 'nearglot',
		baseURL: `${server.url}/v1`,
		includeUsage: true,
		supportsStructuredOutputs: true,
	});
	const whole = await generateText({
		model: provider(model),
		messages,
		temperature: 0,
		maxRetries: 0,
	});
	assert.ok(whole.text.length > 3);
	assert.equal(whole.finishReason, 'stop');
	const stream = streamText({ model: provider(model), messages, temperature: 0, maxRetries: 0 });
	let text = '';
	for await (const piece of stream.textStream) text += piece;
	assert.equal(text, whole.text);
	assert.equal((await stream.usage).outputTokens, whole.usage.outputTokens);
	const called = await generateText({
		model: provider('tiny'),
		messages,
		maxRetries: 0,
		maxOutputTokens: 300,
		seed: 1,
		toolChoice: 'required',
		tools: {
			get_time: tool({
				inputSchema: jsonSchema<{ zone: number }>(time.function.parameters as object),
			}),
		},
	});
	assert.equal(called.finishReason, 'tool-calls');
	assert.equal(called.toolCalls[0]?.toolName, 'get_time');
	const structured = await generateText({
		model: provider('tiny'),
		messages,
		maxRetries: 0,
		maxOutputTokens: 200,
		output: Output.object({
			schema: jsonSchema<{ zone: number }>({
				...time.function.parameters,
				$schema: 'http://json-schema.org/draft-07/schema#',
			} as object),
		}),
	});
	assert.equal(typeof structured.output.zone, 'number');
});

test('langchain: invoke, stream and tools', async () => {
	const configuration = { baseURL: `${server.url}/v1` };
	const options = { apiKey: 'none', configuration, maxRetries: 0, temperature: 0 };
	const chat = new ChatOpenAI({ ...options, model });
	const answer = await chat.invoke('How do I list all files?');
	assert.ok(String(answer.content).length > 3);
	const { usage_metadata: usage } = answer as unknown as {
		usage_metadata?: { output_tokens: number };
	};
	assert.ok((usage?.output_tokens ?? 0) > 0);
	let text = '';
	for await (const chunk of await chat.stream('How do I list all files?'))
		text += String(chunk.content);
	assert.equal(text, answer.content);
	const withTools = new ChatOpenAI({ ...options, model: 'tiny', maxTokens: 300 }).bindTools(
		[time],
		{
			tool_choice: 'required',
			parallel_tool_calls: false,
		},
	);
	const called = await withTools.invoke('What time is it?');
	assert.equal(called.tool_calls?.[0]?.name, 'get_time');
	assert.equal(typeof called.tool_calls?.[0]?.args['zone'], 'number');
});

test('foundry-local-sdk: its endpoint and key serve a chat client', async () => {
	const manager = new FoundryLocalManager({ serviceUrl: server.url });
	const client = new OpenAI({ baseURL: manager.endpoint, apiKey: manager.apiKey, maxRetries: 0 });
	const stream = await client.chat.completions.create({ model, messages, stream: true });
	let text = '';
	let reason: string | null = null;
	for await (const chunk of stream) {
		text += chunk.choices[0]?.delta.content ?? '';
		reason = chunk.choices[0]?.finish_reason ?? reason;
	}
	assert.ok(text.length > 3);
	assert.equal(reason, 'stop');
});
