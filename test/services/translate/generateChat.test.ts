/** How chat models are asked for translations: engines elsewhere have limits and forms of their own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../server/protocol/index.ts';
import type { ChatService } from '../../../server/services/chat/chatService.ts';
import { generateChatOf } from '../../../server/services/translate/generateChat.ts';

const question = {
	...{ model: 'lab/big', owner: 'local', priority: 'batch' as const, maxTokens: 50 },
	messages: [{ role: 'user' as const, content: '{}' }],
	schema: { type: 'object' },
};

/** A chat service that fails as it is told, and then answers. */
function failing(errors: AppError[]) {
	const asked: { readonly hasSchema: boolean }[] = [];
	const run = async (request: object, onEvent: (event: unknown) => void) => {
		asked.push({ hasSchema: 'response_format' in request });
		const error = errors.shift();
		if (error) throw error;
		onEvent({ type: 'piece', piece: { content: '{"1":"x"}' } });
	};
	return { asked, chat: { run } as unknown as Pick<ChatService, 'run'> };
}

test('an engine that lets no more requests through for now is asked again when it said', async () => {
	const limit = (retryAfterS?: number) =>
		new AppError('rate_limited', undefined, retryAfterS === undefined ? {} : { retryAfterS });
	const waits: number[] = [];
	const sleep = async (milliseconds: number) => void waits.push(milliseconds);
	const { chat, asked } = failing([limit(3), limit(), limit(7)]);
	assert.equal(await generateChatOf(chat, sleep)(question), '{"1":"x"}');
	assert.deepEqual([asked.length, waits], [4, [3000, 2000, 7000]]);
	const { chat: never } = failing(Array.from({ length: 20 }, () => limit(1)));
	await assert.rejects(generateChatOf(never, sleep)(question), { code: 'rate_limited' });
	const { chat: late } = failing([limit(600)]);
	await assert.rejects(generateChatOf(late, sleep)(question), { code: 'rate_limited' });
	const { chat: here } = failing([limit(1)]);
	const own = { ...question, model: 'big:1' };
	await assert.rejects(generateChatOf(here, sleep)(own), { code: 'rate_limited' });
});

test('an engine that knows no schemas is asked without one from then on', async () => {
	const refusal = () =>
		new AppError('invalid_request', "response_format of type 'json_schema' is not supported");
	const { chat, asked } = failing([refusal()]);
	const ask = generateChatOf(chat);
	await ask(question);
	await ask(question);
	assert.deepEqual(
		asked.map(({ hasSchema }) => hasSchema),
		[true, false, false],
	);
	const { chat: other } = failing([new AppError('invalid_request', 'no such field')]);
	await assert.rejects(generateChatOf(other)(question), /no such field/);
});
