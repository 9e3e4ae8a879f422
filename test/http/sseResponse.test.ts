import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallerRole } from '../../server/http/callerRoles.ts';
import { sse } from '../../server/http/sseResponse.ts';
import { AppError } from '../../server/protocol/index.ts';

const caller = 'local';
const signal = new AbortController().signal;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('comment lines tell that the work goes on while nothing else is sent', async () => {
	const { promise: heard, resolve } = Promise.withResolvers<void>();
	const response = await sse({ caller, signal, heartbeatMs: 5, last: '[DONE]' }, async (writer) => {
		await heard;
		writer.data({ a: 1 });
	});
	let text = '';
	for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
		text += piece;
		if ((text.match(/^: still working$/gm) ?? []).length >= 2) resolve();
	}
	assert.ok(text.endsWith('data: {"a":1}\n\ndata: [DONE]\n\n'), text);
});

test('what fails before the first event is thrown, so that it keeps its status', async () => {
	await assert.rejects(
		sse({ caller, signal }, async () => {
			throw new AppError('model_not_found');
		}),
		(error) => error instanceof AppError && error.code === 'model_not_found',
	);
});

test('what fails afterwards is one error event and the end', async () => {
	for (const pause of [0, 20]) {
		const response = await sse({ caller, signal, last: '[DONE]' }, async (writer) => {
			writer.data('first');
			if (pause > 0) await sleep(pause);
			throw new AppError('out_of_memory');
		});
		const [first, second, rest] = (await response.text()).split('\n\n');
		assert.equal(first, 'data: first');
		assert.equal(JSON.parse(second?.slice(6) ?? '').error.code, 'out_of_memory');
		assert.equal(rest, '');
	}
});

test('a reader that goes away aborts the producer', async () => {
	let aborted: () => void = () => {};
	const seen = new Promise<void>((resolve) => {
		aborted = resolve;
	});
	const response = await sse({ caller, signal }, async (writer, stop) => {
		writer.data('first');
		await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
		aborted();
	});
	const reader = response.body?.getReader();
	await reader?.read();
	await reader?.cancel();
	await seen;
});

test('text with line feeds in a comment stays one comment', async () => {
	const response = await sse({ caller, signal }, async (writer) => writer.comment('a\n\ndata: b'));
	assert.equal(await response.text(), ': a  data: b\n\n');
});

test('an error in mid-stream names folders to who owns the machine, and to nobody else', async () => {
	const told = async (caller: CallerRole) => {
		const response = await sse({ caller, signal }, async (writer) => {
			writer.data('first');
			throw new AppError('unsupported_model', 'Cannot open /srv/models/qwen/model.onnx.');
		});
		return response.text();
	};
	for (const caller of ['owner', 'studio', 'local'] as const)
		assert.match(await told(caller), /\/srv\/models/);
	for (const caller of ['member', 'anonymous', 'stranger'] as const)
		assert.match(await told(caller), /Cannot open …\/model\.onnx\./);
});
