/** What is recorded of requests: nothing until it is switched on, the last ones, within a bound. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../server/protocol/index.ts';
import { RequestLog } from '../../../server/services/observe/requestLog.ts';

const never = new AbortController().signal;
const request = (content: string) => ({
	...{ owner: 'local', model: 'm', messages: [{ role: 'user' as const, content }] },
});
const context = { requestId: 'r', route: '/v1/chat/completions' };
const outcome = {
	...{ model: 'm:1', omittedTurns: 1, olderForm: false, promptTokens: [] },
	usage: {
		...{ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
		prompt_tokens_details: { cached_tokens: 1 },
		completion_tokens_details: { reasoning_tokens: 0 },
	},
	timings: {
		...{ prompt_n: 3, prompt_ms: 1, prompt_per_second: 1, cache_n: 0 },
		...{ predicted_n: 2, predicted_ms: 1, predicted_per_second: 1, load_ms: 0, queue_ms: 0 },
	},
};

test('nothing is recorded before it is switched on, and nothing is left when it is switched off', async () => {
	const log = new RequestLog({ now: () => 1, render: async () => 'the prompt' });
	assert.equal(log.begin(request('a'), context), undefined);
	log.switch(true);
	log.begin(request('a'), context);
	const [{ id = '' } = {}] = log.list();
	log.switch(false);
	assert.deepEqual(log.list(), []);
	await assert.rejects(log.detail(id, never), { code: 'not_found' });
});

test('a request has its prompt, its answer, its times and why it ended; its owner is not told', async () => {
	const log = new RequestLog({ now: () => 7, render: async () => 'the prompt' });
	log.switch(true);
	const one = log.begin(request('a question'), context);
	const piece = { reasoning: '', calls: [{ index: 0, id: 'c', name: 'f', arguments: '{}' }] };
	one?.event({ type: 'start', model: 'm:1', choices: 1 });
	one?.event({ type: 'piece', choice: 0, piece: { ...piece, content: 'an ' }, tokenIds: [1] });
	one?.event({
		...{ type: 'piece', choice: 0, tokenIds: [2] },
		piece: { ...piece, content: 'answer', calls: [] },
	});
	one?.event({ type: 'finish', choice: 0, reason: 'stop' });
	one?.end(outcome, undefined);
	const two = log.begin(request('another'), undefined);
	two?.end(undefined, new AppError('overloaded'));
	const [failed, done] = log.list();
	assert.equal(failed?.reason, 'overloaded');
	assert.equal(done?.reason, 'stop');
	assert.equal(done?.startedAt, 7);
	const detail = await log.detail(done?.id ?? '', never);
	assert.equal(detail.prompt, 'the prompt');
	assert.equal(detail.answer, 'an answer');
	assert.deepEqual(detail.calls, [{ name: 'f', arguments: '{}' }]);
	assert.equal(detail.omittedTurns, 1);
	assert.equal(typeof detail.ms, 'number');
	assert.deepEqual(detail.request, {
		model: 'm',
		messages: [{ role: 'user', content: 'a question' }],
	});
});

test('a model that is gone leaves the rest of a request to be read', async () => {
	const render = () => Promise.reject(new AppError('model_not_found'));
	const log = new RequestLog({ now: () => 1, render });
	log.switch(true);
	log.begin(request('a'), context);
	assert.equal((await log.detail('req_1', never)).prompt, undefined);
});

test('only the last requests are kept, and fewer when they are long', () => {
	const log = new RequestLog({ now: () => 1, render: async () => '', maxChars: 1000 });
	log.switch(true);
	for (let n = 0; n < 60; n++) log.begin(request('a'), context);
	assert.equal(log.list().length, 50);
	assert.equal(log.list()[0]?.id, 'req_60');
	for (let n = 0; n < 3; n++) log.begin(request('a'.repeat(400)), context);
	assert.ok(log.list().length < 50);
	log.begin(request('a'.repeat(2000)), context);
	assert.deepEqual(log.list(), [], 'one that is too long for itself is not kept');
});
