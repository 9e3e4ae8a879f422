/** The language server as an editor sees it: JSON-RPC on one side, a daemon without models on the other. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { CancellationTokenSource, type MessageConnection, ProgressType } from 'vscode-jsonrpc/node';
import type { ChatDelta, ChatResult, StatusParams } from '../../server/protocol/index.ts';
import { connectFront } from '../support/editorDouble.ts';
import { type FakeDaemon, startFakeDaemon } from '../support/fakeDaemon.ts';
import { until } from '../support/until.ts';

let daemon: FakeDaemon;
let client: MessageConnection;
let connects = 0;
const statuses: StatusParams[] = [];

before(async () => {
	daemon = await startFakeDaemon();
	client = connectFront(() => {
		connects++;
		return daemon;
	});
	client.onNotification('nearglot/status', (status: StatusParams) => {
		statuses.push(status);
	});
	client.listen();
	await client.sendRequest('initialize', {
		processId: null,
		rootUri: null,
		locale: 'en',
		capabilities: {},
		initializationOptions: { translate: { languages: ['de', 'fr'] } },
	});
	await client.sendNotification('initialized', {});
});

beforeEach(() => {
	daemon.answer = { words: ['Use ', '`tar`', ' **now**.'] };
});

after(async () => {
	client.dispose();
	await daemon.close();
});

async function chat(
	params: object,
	token?: CancellationTokenSource,
	onDelta = (_delta: ChatDelta) => {},
) {
	const deltas: ChatDelta[] = [];
	const listening = client.onProgress(new ProgressType<ChatDelta>(), 'p1', (delta) => {
		deltas.push(delta);
		onDelta(delta);
	});
	try {
		const whole = {
			messages: [{ role: 'user', content: 'how?' }],
			partialResultToken: 'p1',
			...params,
		};
		const result = await (token
			? client.sendRequest<ChatResult>('nearglot/chat', whole, token.token)
			: client.sendRequest<ChatResult>('nearglot/chat', whole));
		return { result, deltas };
	} finally {
		listening.dispose();
	}
}

test('a chat streams its pieces as partial results and ends without saying them again', async () => {
	const before = daemon.asked.length;
	const { result, deltas } = await chat({ temperature: 0.5, maxTokens: 9 });
	assert.deepEqual(daemon.asked.slice(before), ['/v1/chat/completions'], 'one request, no other');
	assert.ok(!('text' in result));
	assert.equal(result.finishReason, 'stop');
	assert.equal(result.model, 'fake');
	assert.equal(deltas.map((delta) => delta.text ?? '').join(''), 'Use `tar` **now**.');
	const body = daemon.chats.at(-1);
	assert.equal(body?.['temperature'], 0.5);
	assert.equal(body?.['max_completion_tokens'], 9);
	assert.equal(body?.['stream'], true);
	assert.ok(!('model' in (body ?? {})), 'the daemon chooses where nobody has');
	await chat({ model: 'old', conversation: 'chat-17' });
	assert.deepEqual(daemon.conversations.slice(-2), [undefined, 'chat-17']);
	assert.equal(daemon.chats.at(-1)?.['model'], 'old', 'what was chosen goes on as it is');
});

test('an error of the daemon reaches the editor with its code, message and parameter', async () => {
	await assert.rejects(
		chat({ model: 'unknown' }),
		(error: Error & { code: number; data: object }) => {
			assert.equal(error.code, -32013);
			assert.match(error.message, /Known: fake/);
			assert.deepEqual(error.data, {
				code: 'model_not_found',
				message: "There is no model 'unknown'. Known: fake.",
				param: 'model',
				data: { isInReadersLanguage: true },
			});
			return true;
		},
	);
});

test('an error in the middle of a stream is an error, not an end', async () => {
	daemon.answer = { words: ['half', ' an answer'], errorAfter: 1 };
	await assert.rejects(chat({}), (error: Error & { data: { code: string } }) => {
		assert.equal(error.data.code, 'runner_crashed');
		return true;
	});
});

test('a stream that stops before its end is an error, and what arrived has been handed over', async () => {
	for (const cut of ['closed', 'broken'] as const) {
		daemon.answer = { words: ['half', ' an answer'], cut };
		let arrived = '';
		await assert.rejects(
			chat({}, undefined, ({ text = '' }) => {
				arrived += text;
			}),
			(error: Error & { data: { code: string } }) => {
				assert.equal(error.data.code, 'daemon_unavailable');
				assert.match(error.message, /in the middle of the answer/);
				return true;
			},
		);
		assert.equal(arrived, 'half an answer');
	}
});

test('a download whose stream stops is not taken for one that is done', async () => {
	await assert.rejects(
		client.sendRequest('nearglot/models/download', { model: 'a/b' }),
		/in the middle of the download/,
	);
});

test('cancelling a chat closes the connection to the daemon', async () => {
	daemon.answer = { words: ['one', 'two'], hang: true };
	const before = daemon.left();
	const source = new CancellationTokenSource();
	const running = chat({}, source, ({ text }) => {
		// The first piece is here while the daemon still holds the rest back.
		if (text === 'one') source.cancel();
	});
	await assert.rejects(running, (error: Error & { code: number }) => error.code === -32800);
	await until('the request is left', () => daemon.left() > before);
});

test('a daemon that went away is looked for again', async () => {
	await chat({});
	const before = connects;
	const old = daemon;
	daemon = await startFakeDaemon();
	await old.close();
	const messages = [{ role: 'user', content: 'how?' }];
	const whole = await client.sendRequest<ChatResult>('nearglot/chat', { messages });
	assert.equal(whole.text, 'Use `tar` **now**.', 'nobody asked for partial results');
	assert.equal(connects, before + 1);
	assert.ok(statuses.some((status) => status.daemon === undefined));
	assert.equal(statuses.at(-1)?.daemon?.url, daemon.url);
});

test('texts are translated in order, and a wrong language is told apart from a failure', async () => {
	const result = await client.sendRequest('nearglot/translate', { texts: ['a', 'b'], to: 'de' });
	assert.deepEqual(result, {
		items: [
			{ text: '[de] a', detectedLanguage: 'en', detectedScore: 0.9 },
			{ text: '[de] b', detectedLanguage: 'en', detectedScore: 0.9 },
		],
	});
	await assert.rejects(
		client.sendRequest('nearglot/translate', { texts: ['a'], to: 'xx' }),
		(error: Error & { data: { code: string } }) => {
			assert.equal(error.data.code, 'invalid_request');
			assert.match(error.message, /target language/);
			return true;
		},
	);
});

test('tokens are counted for the model that would answer', async () => {
	const before = daemon.asked.length;
	const messages = [{ role: 'user', content: 'one' }];
	const { tokens } = await client.sendRequest<{ tokens: number }>('nearglot/countTokens', {
		messages,
	});
	assert.equal(tokens, JSON.stringify({ messages }).length);
	assert.deepEqual(daemon.asked.slice(before), ['/v1/chat/completions/tokenizer/encode/count']);
});

test('a gap in code is filled through the completion route, with the text on both sides', async () => {
	const request = { model: 'coder', prefix: 'return ', suffix: ';', maxTokens: 9, stop: ['\n\n'] };
	const { text } = await client.sendRequest<{ text: string }>('nearglot/complete', request);
	assert.equal(text, 'a + b');
	assert.deepEqual(daemon.chats.at(-1), {
		model: 'coder',
		prompt: 'return ',
		suffix: ';',
		max_tokens: 9,
		temperature: 0,
		stop: ['\n\n'],
	});
});

test('a link to the studio comes from the daemon, and a chat asks for its progress', async () => {
	const { url } = await client.sendRequest<{ url: string }>('nearglot/studio', {});
	assert.match(url, /#ticket=/);
	await client.sendRequest('nearglot/chat', { messages: [{ role: 'user', content: 'hi' }] });
	assert.equal(daemon.chats.at(-1)?.['return_progress'], true);
});

test('long lists of texts are cut into calls the interface allows', async () => {
	const before = daemon.asked.length;
	const texts = Array.from({ length: 1001 }, (_, index) => `t${index}`);
	const { items } = await client.sendRequest<{ items: { text: string }[] }>('nearglot/translate', {
		texts,
		to: 'de',
	});
	assert.equal(items.length, 1001);
	assert.equal(items[1000]?.text, '[de] t1000');
	assert.equal(daemon.asked.length - before, 2);
});

test('a selection offers one action per language and resolves it into an edit', async () => {
	const uri = 'file:///a.txt';
	await client.sendNotification('textDocument/didOpen', {
		textDocument: {
			uri,
			languageId: 'plaintext',
			version: 3,
			text: 'one\r\n  two  \r\n\r\n12\r\n',
		},
	});
	const range = { start: { line: 0, character: 0 }, end: { line: 4, character: 0 } };
	const actions = await client.sendRequest<{ title: string; kind: string; edit?: object }[]>(
		'textDocument/codeAction',
		{ textDocument: { uri }, range, context: { diagnostics: [] } },
	);
	assert.deepEqual(
		actions.map(({ title, kind }) => [title, kind]),
		[
			['Translate selection to German', 'refactor.rewrite.nearglot.translate'],
			['Translate selection to French', 'refactor.rewrite.nearglot.translate'],
		],
	);
	const resolved = await client.sendRequest<{
		edit: { changes: Record<string, { newText: string }[]> };
	}>('codeAction/resolve', actions[0]);
	assert.equal(resolved.edit.changes[uri]?.[0]?.newText, '[de] one\r\n  [de] two  \r\n\r\n12\r\n');
	const nothing = { start: { line: 3, character: 0 }, end: { line: 3, character: 2 } };
	assert.deepEqual(
		await client.sendRequest('textDocument/codeAction', {
			textDocument: { uri },
			range: nothing,
			context: { diagnostics: [] },
		}),
		[],
	);
	await client.sendNotification('textDocument/didChange', {
		textDocument: { uri, version: 4 },
		contentChanges: [{ text: 'other' }],
	});
	await assert.rejects(client.sendRequest('codeAction/resolve', actions[1]), /has changed/);
});
