/** What an answer costs on its way from a runner: every piece is encoded once, and nothing comes twice. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { serialize } from 'node:v8';
import { serveRunner } from '../../server/daemon/runnerMain.ts';
import type { FromRunner, ToRunner } from '../../server/daemon/runnerProtocol.ts';
import type { GenerateEvent, GenerateRequest } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { tokensRequest } from '../engine/support.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { greedy } from '../fixtures/greedy.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = writeDecoderModel(join(temporaryFolder(), 'model'), { attention: 'gqa' });

/** Everything a runner sends for one request. */
async function messagesOf(request: GenerateRequest): Promise<FromRunner[]> {
	const sent: FromRunner[] = [];
	const calls = ['load', 'generate', 'close'] as const;
	let ask = (_message: ToRunner): void => {};
	const next = (id: number) => {
		const method = calls[id];
		const wanted = { load: { folder, threads: 1 }, generate: request, close: undefined };
		if (method !== undefined) ask({ type: 'call', id, method, request: wanted[method] });
	};
	const served = serveRunner(
		{
			send: (messages) => {
				for (const message of messages) {
					if (message.id === 1) sent.push(message);
					if (message.type === 'result') next(message.id + 1);
					if (message.type === 'error') throw new Error(message.error.message);
				}
			},
			onMessage: (listener) => {
				ask = listener;
			},
		},
		loadEngine,
	);
	next(0);
	await served;
	return sent;
}

const bytesOf = (message: FromRunner): number => serialize(message).byteLength;

for (const n of [1, 3])
	test(`a token costs one message, and the last message none of them: ${n} choices`, async () => {
		const maxTokens = 64;
		// It never ends by itself.
		const sampling = { ...greedy, logitBias: { 257: -100 } };
		const messages = await messagesOf(tokensRequest([1, 2, 3, 4], { maxTokens, n, sampling }));
		const events = messages.flatMap((message) =>
			message.type === 'event' ? [message.event as GenerateEvent] : [],
		);
		const texts = events.filter((event) => event.type === 'text');
		const tokens = texts.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
		assert.ok(tokens > n * 20, `${tokens} tokens`);
		assert.ok(texts.length <= tokens + n, `${texts.length} messages for ${tokens} tokens`);

		const last = messages.at(-1);
		assert.equal(last?.type, 'result');
		const { value } = last as { value: { completionTokens: number } };
		assert.equal(value.completionTokens, tokens);
		assert.ok(!('choices' in value), 'the choices came again');
		assert.ok(bytesOf(last as FromRunner) < 400, `${bytesOf(last as FromRunner)} bytes at the end`);

		const perToken = messages.reduce((sum, each) => sum + bytesOf(each), 0) / tokens;
		assert.ok(perToken < 150, `${perToken} bytes per token`);
	});
