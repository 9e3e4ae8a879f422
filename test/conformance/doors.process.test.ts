/** The same cases through every door: in-process, over HTTP (whole and streamed) and over JSON-RPC. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import {
	createMessageConnection,
	type MessageConnection,
	StreamMessageReader,
	StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { createConnection } from 'vscode-languageserver/node';
import { serveLanguageServer } from '../../server/lsp/languageServer.ts';
import { AppError, type ChatResult, readAnswer } from '../../server/protocol/index.ts';
import { sender } from '../../server/protocol/routeClient.ts';
import { chatRequest } from '../../server/protocol/routes/chat.ts';
import { check } from '../../server/protocol/routes/check.ts';
import { AnswerBuilder } from '../../server/services/chat/serializeCompletion.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import type { ErrorReply, Reply } from './ask.ts';
import { type TinyModels, tinyModels } from './tinyModels.ts';

interface Question {
	readonly model: string;
	readonly messages: readonly { readonly role: string; readonly content: string }[];
	readonly temperature: number;
	readonly maxTokens: number;
	readonly tools?: readonly object[];
	readonly toolChoice?: 'required';
	readonly truncation?: 'auto';
}

interface Outcome {
	readonly model?: string;
	readonly text?: string;
	readonly reason?: string;
	readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
	readonly promptTokens?: number | undefined;
	readonly omittedTurns?: number | undefined;
	readonly error?: {
		readonly code: string;
		readonly message: string;
		readonly param: string | null;
	};
}

type Door = (question: Question) => Promise<Outcome>;

let server: TestServer;
let models: TinyModels;
let client: MessageConnection;
before(async () => {
	models = await tinyModels();
	server = await startTestServer({ modelsDir: models.dir });
	const up = new PassThrough();
	const down = new PassThrough();
	const { url, key } = server;
	serveLanguageServer(
		createConnection(new StreamMessageReader(up), new StreamMessageWriter(down)),
		async () => ({
			url,
			key,
			pid: process.pid,
			version: '1.2.3',
			request: sender({ fetch: (path, init) => fetch(new URL(path, url), init), key }),
		}),
	);
	client = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
	client.listen();
	await client.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
	await client.sendNotification('initialized', {});
});
after(async () => {
	client.dispose();
	await server.close();
	await models.remove();
});

function bodyOf({ maxTokens, toolChoice, ...rest }: Question) {
	return { ...rest, max_tokens: maxTokens, ...(toolChoice ? { tool_choice: toolChoice } : {}) };
}

function outcomeOf(reply: Reply): Outcome {
	const [choice] = reply.choices;
	return {
		model: reply.model,
		text: choice?.message.content ?? '',
		reason: choice?.finish_reason ?? '',
		calls: (choice?.message.tool_calls ?? []).map((call) => call.function),
		promptTokens: reply.usage.prompt_tokens,
		omittedTurns: reply.omitted_turns,
	};
}

const doors: Readonly<Record<string, Door>> = {
	'in-process': async (question) => {
		try {
			const builder = new AnswerBuilder();
			const request = { ...check(chatRequest, bodyOf(question)), owner: 'local' };
			const outcome = await server.backend.chat.run(request, (event) => builder.take(event));
			return outcomeOf(builder.build({ id: 'x', created: 0 }, outcome) as unknown as Reply);
		} catch (error) {
			assert.ok(error instanceof AppError);
			return { error: { code: error.code, message: error.message, param: error.param } };
		}
	},
	http: async (question) => {
		const response = await server.post('/v1/chat/completions', bodyOf(question));
		const reply = (await response.json()) as Reply | ErrorReply;
		if (!('error' in reply)) return outcomeOf(reply);
		const { code, message, param } = reply.error;
		return { error: { code, message, param } };
	},
	stream: async (question) => {
		const body = { ...bodyOf(question), stream: true, stream_options: { include_usage: true } };
		const response = await server.post('/v1/chat/completions', body);
		if (!response.ok) {
			const { code, message, param } = ((await response.json()) as ErrorReply).error;
			return { error: { code, message, param } };
		}
		let text = '';
		const answer = await readAnswer(response, {
			model: question.model,
			signal: new AbortController().signal,
			onDelta: (delta) => {
				text += delta.text ?? '';
			},
		});
		return rpcOutcome({ ...answer, text });
	},
	'json-rpc': async (question) => {
		try {
			return rpcOutcome(await client.sendRequest<ChatResult>('nearglot/chat', question));
		} catch (error) {
			const { data } = error as { data: { code: string; message: string; param?: string } };
			return { error: { code: data.code, message: data.message, param: data.param ?? null } };
		}
	},
};

function rpcOutcome(result: ChatResult): Outcome {
	return {
		model: result.model,
		text: result.text ?? '',
		reason: result.finishReason,
		calls: result.toolCalls.map((call) => call.function),
		promptTokens: result.usage?.prompt_tokens,
		omittedTurns: result.omittedTurns,
	};
}

const user = (content: string) => [{ role: 'user', content }];
const tool = {
	type: 'function',
	function: {
		name: 'get_time',
		parameters: {
			type: 'object',
			properties: { zone: { enum: ['utc', 'cet'] } },
			required: ['zone'],
			additionalProperties: false,
		},
	},
};
const cases: Readonly<Record<string, Question>> = {
	'a question': {
		model: 'starter-chat',
		messages: user('How do I list all files?'),
		temperature: 0,
		maxTokens: 60,
	},
	'an answer that is cut': {
		model: 'starter-chat',
		messages: user('How do I list all files?'),
		temperature: 0,
		maxTokens: 3,
	},
	'a tool that must be called': {
		model: 'tiny',
		messages: user('What time is it?'),
		temperature: 0,
		maxTokens: 200,
		tools: [tool],
		toolChoice: 'required',
	},
	'a prompt that is too long': {
		model: 'starter-chat',
		messages: user('list files '.repeat(600)),
		temperature: 0,
		maxTokens: 3,
	},
	'a second turn for a model that reads none before it': {
		model: 'starter-chat',
		messages: [
			...user('who wrote hamlet?'),
			{ role: 'assistant', content: 'I do not know.' },
			...user('How do I list all files?'),
		],
		temperature: 0,
		maxTokens: 60,
	},
	'a conversation that is too long, cut as asked': {
		model: 'tiny',
		messages: [
			...user('a'.repeat(3000)),
			{ role: 'assistant', content: 'b' },
			...user('c'),
			{ role: 'assistant', content: 'd' },
			...user('e'),
		],
		temperature: 0,
		maxTokens: 3,
		truncation: 'auto',
	},
	'a temperature out of range': {
		model: 'starter-chat',
		messages: user('hi'),
		temperature: 3,
		maxTokens: 3,
	},
};

for (const [name, question] of Object.entries(cases))
	test(`${name} has the same outcome through every door`, async () => {
		const expected = await doors['in-process']?.(question);
		assert.ok(expected);
		for (const [door, ask] of Object.entries(doors))
			assert.deepEqual(await ask(question), expected, door);
		if (name === 'an answer that is cut') assert.equal(expected.reason, 'length');
		if (name === 'a tool that must be called') assert.equal(expected.calls?.[0]?.name, 'get_time');
		if (name.startsWith('a prompt')) assert.equal(expected.error?.code, 'context_length_exceeded');
		if (name.startsWith('a second turn')) {
			assert.equal(expected.omittedTurns, 1);
			const alone = cases['a question'];
			assert.ok(alone);
			const { omittedTurns: _, ...same } = expected;
			assert.deepEqual({ omittedTurns: undefined, ...same }, await doors['http']?.(alone));
		}
		if (name.startsWith('a conversation')) assert.equal(expected.omittedTurns, 1);
		if (name.startsWith('a temperature')) assert.equal(expected.error?.param, 'temperature');
	});

test('tokens are counted the same through every door', async () => {
	const question = user('How do I list all files?');
	const body = { model: 'starter-chat', messages: [...user('hi'), ...question] };
	const { tokens, omittedTurns } = await server.backend.chat.countTokens(check(chatRequest, body));
	const http = await server.post('/v1/chat/completions/tokenizer/encode/count', body);
	assert.equal(http.headers.get('x-omitted-turns'), '1');
	assert.deepEqual(await http.json(), { tokenCount: tokens, omitted_turns: omittedTurns });
	assert.deepEqual(await client.sendRequest('nearglot/countTokens', body), { tokens });
	const alone = { ...body, messages: question };
	assert.deepEqual(await client.sendRequest('nearglot/countTokens', alone), { tokens });
});
