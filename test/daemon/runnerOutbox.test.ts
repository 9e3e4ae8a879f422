/** What a runner says: all of a turn in one message, and what background work makes in few. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunnerOutbox } from '../../server/daemon/runnerOutbox.ts';
import type { FromRunner } from '../../server/daemon/runnerProtocol.ts';
import type { GenerateEvent } from '../../server/engine/api.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
	const sent: (readonly FromRunner[])[] = [];
	const outbox = new RunnerOutbox((messages) => sent.push(messages));
	return { sent, outbox };
}

const text = (choice: number, text: string, token: number): GenerateEvent => ({
	...{ type: 'text', choice, text, tokenIds: [token] },
	logprobs: [{ token: text, id: token, bytes: [token], logprob: -1, top: [] }] as never,
});

test('what is said in one turn is one message, in its order', async () => {
	const { sent, outbox } = setUp();
	outbox.add({ type: 'event', id: 1, event: 'a' });
	outbox.add({ type: 'event', id: 2, event: 'b' });
	outbox.add({ type: 'result', id: 1, value: 3 });
	await turn();
	outbox.add({ type: 'event', id: 2, event: 'c' });
	await turn();
	assert.deepEqual(
		sent.map((messages) => messages.map(({ type, id }) => `${type} ${id}`)),
		[['event 1', 'event 2', 'result 1'], ['event 2']],
	);
});

test('texts of background work are joined by choice, and come before the end of their call', async () => {
	const { sent, outbox } = setUp();
	for (const [at, letter] of ['a', 'b', 'c'].entries()) {
		outbox.keep(1, text(0, letter, at));
		outbox.keep(1, text(1, letter.toUpperCase(), at));
		outbox.keep(2, text(0, '?', 9));
		await turn();
	}
	outbox.keep(1, { type: 'finish', choice: 0, reason: 'stop' });
	assert.equal(sent.length, 0, 'nothing is to be said yet');
	outbox.add({ type: 'result', id: 1, value: {} });
	await turn();
	const [messages = []] = sent;
	const events = messages.flatMap((each) => (each.type === 'event' ? [each.event] : []));
	assert.deepEqual(
		(events as GenerateEvent[]).map((event) =>
			event.type === 'text'
				? [event.choice, event.text, event.tokenIds, event.logprobs?.length]
				: event.type,
		),
		[[0, 'abc', [0, 1, 2], 3], [1, 'ABC', [0, 1, 2], 3], 'finish'],
	);
	assert.deepEqual(messages.at(-1), { type: 'result', id: 1, value: {} });
	assert.equal(sent.length, 1, 'what is kept of other calls stays');
});

test('what is kept comes while more of it comes, after a while', async (context) => {
	const { sent, outbox } = setUp();
	let now = 1000;
	context.mock.method(performance, 'now', () => now);
	outbox.keep(1, text(0, 'a', 1));
	now += 60;
	outbox.keep(2, text(0, 'b', 2));
	await turn();
	assert.equal(sent.length, 0);
	now += 60;
	outbox.keep(1, text(0, 'c', 3));
	await turn();
	assert.deepEqual(
		sent.map((messages) => messages.map(({ id }) => id)),
		[[1, 2]],
	);
});
