/** What a chat keeps of an answer that is not finished, whatever ends it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, branch, type ChatDelta, type ChatResult } from '../../server/protocol/index.ts';
import { answer, echo, setUp } from './chatDouble.ts';

test('what has arrived is saved while more is awaited, so that a window may go away at any time', async () => {
	const late: { say?: (delta: ChatDelta) => void; finish?: (result: ChatResult) => void } = {};
	const { session, saved, timers, wait } = setUp(
		(_params, onDelta) =>
			new Promise((resolve) => Object.assign(late, { say: onDelta, finish: resolve })),
	);
	const asking = session.send('one');
	const last = () => saved.at(-1)?.turns.at(-1);
	late.say?.({ progress: { phase: 'prompt' } });
	assert.equal(timers.size, 0, 'nothing has arrived');
	for (const text of ['half', ' an']) late.say?.({ text });
	assert.equal(timers.size, 1, 'one save for all that comes until then');
	assert.equal(last()?.text, '');
	wait();
	assert.deepEqual([last()?.text, last()?.finishReason], ['half an', undefined]);
	late.say?.({ reasoning: 'hm' });
	wait();
	assert.deepEqual([last()?.text, last()?.reasoning], ['half an', 'hm']);
	late.say?.({ text: ' answer' });
	const count = saved.length;
	late.finish?.(answer('half an answer'));
	await asking;
	assert.equal(timers.size, 0, 'the end is saved by itself');
	assert.deepEqual([saved.length, last()?.text], [count + 1, 'half an answer']);
});

test('what arrives late for a chat that was left is saved there, beside nothing of the new one', async () => {
	const late: { say?: (delta: ChatDelta) => void } = {};
	const { session, saved, wait } = setUp(
		(_params, onDelta) => new Promise(() => Object.assign(late, { say: onDelta })),
	);
	void session.send('one');
	const { id } = session.conversation;
	session.reset('');
	late.say?.({ text: 'late' });
	wait();
	assert.deepEqual([saved.at(-1)?.id, saved.at(-1)?.turns.length], [id, 2]);
	assert.equal(saved.at(-1)?.turns.at(-1)?.text, 'late');
});

test('closing saves what is there at once, and waits until the answer has ended', async () => {
	let leave = () => {};
	const { session, saved } = setUp(
		(_params, onDelta, signal) =>
			new Promise((_, reject) => {
				onDelta({ text: 'half' });
				signal.addEventListener('abort', () => {
					leave = () => reject(new AppError('cancelled'));
				});
			}),
	);
	void session.send('one');
	let isClosed = false;
	const closing = session.close().then(() => {
		isClosed = true;
	});
	await new Promise((resolve) => setImmediate(resolve));
	const last = () => saved.at(-1)?.turns.at(-1);
	assert.deepEqual([last()?.text, last()?.finishReason, isClosed], ['half', undefined, false]);
	leave();
	await closing;
	const { text, finishReason, error } = last() ?? {};
	assert.deepEqual([text, finishReason, error], ['half', undefined, undefined], 'it has no end');
	const count = saved.length;
	await session.close();
	assert.equal(saved.length, count, 'nothing was being written');
});

test('an answer that broke off keeps what arrived, and so does the next prompt', async () => {
	const { session, asked, how } = setUp(async (_params, onDelta) => {
		onDelta({ text: 'half' });
		throw new AppError('upstream_failed', 'It went away.');
	});
	await session.send('one');
	const broken = branch(session.conversation).at(-1);
	assert.deepEqual([broken?.text, broken?.error?.code], ['half', 'upstream_failed']);
	how.complete = echo;
	await session.send('go on');
	assert.deepEqual(
		asked.at(-1)?.messages.map(({ content }) => content),
		['Be brief.', 'one', 'half', 'go on'],
	);
});
