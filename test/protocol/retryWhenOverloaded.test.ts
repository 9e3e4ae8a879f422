/** Our own callers wait for a server that is overloaded: bounded, cancellable, with a word to people. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AppError, asAppError } from '../../server/protocol/index.ts';
import { retryWhenOverloaded } from '../../server/protocol/retryWhenOverloaded.ts';
import { sender } from '../../server/protocol/routeClient.ts';

const translated = JSON.stringify([{ translations: [] }]);
const overloaded = (retryAfterS?: string) =>
	Response.json(
		{ error: { code: 503000, message: 'The model server is overloaded.' } },
		{ status: 503, headers: retryAfterS === undefined ? {} : { 'retry-after': retryAfterS } },
	);

/** Answers one after the other, the last one for ever; what was told; how often it was asked. */
function server(...answers: (() => Response)[]) {
	const told: string[] = [];
	let asked = 0;
	const send = sender({
		key: 'key',
		unreachable: asAppError,
		fetch: async () => (answers[Math.min(asked++, answers.length - 1)] as () => Response)(),
		room: { maxWaitMs: 100_000, noticeAfterMs: 5000, notify: (text) => told.push(text) },
	});
	return { send, told, asked: () => asked };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const post = (more: RequestInit = {}): RequestInit => ({ method: 'POST', body: '[]', ...more });
/** Lets time pass, a second after the other, with what follows from it. */
async function pass(t: TestContext, seconds: number): Promise<void> {
	for (let second = 0; second < seconds; second++) {
		await turn();
		t.mock.timers.tick(1000);
	}
	await turn();
}

test('a request that was refused for its moment is sent again when the server said, and people are told once', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { send, told, asked } = server(
		() => overloaded('3'),
		() => overloaded('4'),
		() => new Response(translated),
	);
	const answer = send('/translate', post());
	await pass(t, 2);
	assert.equal(asked(), 1);
	await pass(t, 2);
	assert.equal(asked(), 2);
	assert.deepEqual(told, []);
	await pass(t, 2);
	assert.equal(told.length, 1);
	assert.match(told[0] ?? '', /overloaded/);
	await pass(t, 4);
	assert.equal(await (await answer).text(), translated);
	assert.equal(asked(), 3);
	assert.equal(told.length, 1);
});

test('whoever cancels does not wait, and nothing is sent or told after it', async (t) => {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { send, told, asked } = server(() => overloaded('30'));
	const stop = new AbortController();
	const answer = send('/translate', post({ signal: stop.signal }));
	await pass(t, 1);
	stop.abort();
	await assert.rejects(answer, { code: 'cancelled' });
	await pass(t, 60);
	assert.equal(asked(), 1);
	assert.deepEqual(told, []);
});

test('what would have to wait for longer than anybody does is refused, in the words of the server', async () => {
	for (const wait of ['101', '1e9']) {
		const { send, asked } = server(() => overloaded(wait));
		await assert.rejects(send('/translate', post()), {
			code: 'overloaded',
			message: 'The model server is overloaded.',
		});
		assert.equal(asked(), 1);
	}
});

test('other failures, and what can be sent once only, are not sent again', async () => {
	const crashed = server(() => overloaded());
	await assert.rejects(crashed.send('/translate', post()), { code: 'runner_crashed' });
	assert.equal(crashed.asked(), 1);
	const stream = server(() => overloaded('1'));
	await assert.rejects(stream.send('/sound', post({ body: new ReadableStream() })), {
		code: 'overloaded',
	});
	assert.equal(stream.asked(), 1);
	let asked = 0;
	const room = { maxWaitMs: 1000, noticeAfterMs: 1, notify: () => assert.fail() };
	const ask = async () => {
		asked++;
		throw new AppError('model_loading', undefined, { retryAfterS: 0 });
	};
	await assert.rejects(retryWhenOverloaded(ask, {}, room), { code: 'model_loading' });
	assert.equal(asked, 1);
});
