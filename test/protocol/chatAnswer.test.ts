/** Streams that end, and streams that only stop. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, type ChatDelta, readAnswer, readDownload } from '../../server/protocol/index.ts';
import { pullModel } from '../../server/protocol/routeAddresses.ts';
import { Client } from '../../server/protocol/routeClient.ts';

const words = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const end = (reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const done = '[DONE]';
const broken = new TypeError('terminated');

/** An answer that streams events; an error at the end breaks it. */
function stream(events: readonly (object | string)[]): Response {
	const left = [...events];
	const body = new ReadableStream<Uint8Array>({
		pull(controller) {
			const event = left.shift();
			if (event === undefined) return controller.close();
			if (event instanceof Error) return controller.error(event);
			const data = typeof event === 'string' ? event : JSON.stringify(event);
			controller.enqueue(new TextEncoder().encode(`data: ${data}\n\n`));
		},
	});
	return new Response(body);
}

function read(events: readonly (object | string)[], signal = new AbortController().signal) {
	let arrived = '';
	const result = readAnswer(stream(events), {
		model: 'm',
		signal,
		onDelta: ({ text = '' }) => {
			arrived += text;
		},
	});
	return { result, arrived: () => arrived };
}

test('an answer ends with a reason, with [DONE] or with both; what breaks afterwards costs nothing', async () => {
	for (const [events, reason] of [
		[[words('a'), words('b'), end('length'), done], 'length'],
		[[words('a'), words('b'), end('stop')], 'stop'],
		[[words('a'), words('b'), done], 'stop'],
		[[words('a'), words('b'), end('stop'), broken], 'stop'],
		[[words('a'), words('b'), end('stop'), '{"usage'], 'stop'],
	] as const) {
		const { result, arrived } = read(events);
		const { finishReason } = await result;
		assert.deepEqual([arrived(), finishReason], ['ab', reason]);
	}
});

test('a stream that stops before its end is an error, and what arrived was told before', async () => {
	for (const [events, cause] of [
		[[words('a'), words('b')], false],
		[[words('a'), words('b'), broken], true],
		[[words('a'), words('b'), '{"choices"'], true],
	] as const) {
		const { result, arrived } = read(events);
		await assert.rejects(result, (error: AppError) => {
			assert.equal(error.code, 'daemon_unavailable');
			assert.match(error.message, /in the middle of the answer/);
			assert.equal(error.cause !== undefined, cause);
			return true;
		});
		assert.equal(arrived(), 'ab');
	}
	await assert.rejects(read([]).result, AppError);
});

test('an error in a stream is what it says, and leaving is no failure', async () => {
	const failure = { error: { message: 'It ended.', code: 'runner_crashed' } };
	const failed = read([words('a'), failure, done]);
	await assert.rejects(failed.result, (error: AppError) => error.code === 'runner_crashed');
	for (const last of [[], [broken]]) {
		const left = read([words('a'), ...last], AbortSignal.abort());
		await assert.rejects(left.result, (error: AppError) => error.code === 'cancelled');
	}
});

test('a download has ended when its model is named, not when the stream stops', async () => {
	const { signal } = new AbortController();
	const progress = { file: 'a', fileFraction: 0.5, doneBytes: 1, totalBytes: 2 };
	const told: unknown[] = [];
	const down = (events: readonly (object | string)[], left = signal) =>
		readDownload(
			new Client(async () => stream(events)).stream(
				pullModel,
				{ body: { model: 'm' } },
				{ of: 'download', signal: left },
			),
			(part) => told.push(part),
		);
	await down([{ start: {} }, { progress }, { model: { id: 'm' } }]);
	assert.deepEqual(told, [progress]);
	for (const last of [[], [broken]])
		await assert.rejects(
			down([{ progress }, ...last]),
			(error: AppError) => error.code === 'daemon_unavailable' && /goes on/.test(error.message),
		);
	const full = { error: { message: 'No room.', code: 'disk_full' } };
	await assert.rejects(down([full]), (error: AppError) => error.code === 'disk_full');
	await assert.rejects(
		down([{ progress }, broken], AbortSignal.abort()),
		(error: AppError) => error.code === 'cancelled',
	);
});

test('how many turns were left out is told once, before the words, and is in the result', async () => {
	const told: ChatDelta[] = [];
	const note = { omitted_turns: 3 };
	const result = await readAnswer(
		stream([
			{ ...note, choices: [] },
			{ ...note, ...words('a') },
			{ ...note, ...end('stop') },
			done,
		]),
		{ model: 'm', signal: new AbortController().signal, onDelta: (delta) => told.push(delta) },
	);
	assert.deepEqual(told, [{ omittedTurns: 3 }, { text: 'a' }]);
	assert.equal(result.omittedTurns, 3);
	assert.ok(!('omittedTurns' in (await read([words('a'), end('stop')]).result)));
});
