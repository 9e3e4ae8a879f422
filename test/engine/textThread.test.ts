/** Threads of tokenizers and templates: who waits, who is ended, and what is read on the spot. */

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { TextService } from '../../server/engine/text/textJobs.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { TextReader } from '../../server/engine/text/textReader.ts';
import { TextThread } from '../../server/engine/text/textThread.ts';
import { byteTokenizer } from '../fixtures/tokenizerFiles.ts';
import { hostileTokenizers } from '../hostile/models.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const made: string[] = [];
after(() => {
	for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder with a tokenizer of bytes and a template, some fields of tokenizer.json replaced. */
function folderWith(fields: object = {}, template?: string): string {
	const folder = temporaryFolder('text');
	made.push(folder);
	byteTokenizer(folder, template);
	const file = join(folder, 'tokenizer.json');
	const usual = JSON.parse(readFileSync(file, 'utf8')) as object;
	writeFileSync(file, JSON.stringify({ ...usual, ...fields }));
	return folder;
}

const [hostile] = hostileTokenizers;
const { tokenizer: hostileFields, text: hostileText } = hostile?.make(40) ?? assert.fail();
const encode = (text: string) => ['encode', { texts: [text], addSpecial: false }] as const;
const isCode = (code: string) => (error: { code?: string }) => error.code === code;

test('a thread reads as the model itself does', async () => {
	const folder = folderWith();
	const here = await loadTextModel(folder);
	await using thread = owned(new TextThread({ folder, model: 'm' }));
	const text = 'Grüße, 世界 👋';
	assert.deepEqual(await thread.request(...encode(text)), [
		here.encode(text, { addSpecial: false }),
	]);
	const tokens = here.encode(text);
	const told = async (job: Promise<Uint8Array>) =>
		JSON.parse(new TextDecoder().decode(await job)) as unknown;
	const detokenized = thread.request('detokenize', { tokens, skipSpecial: true });
	assert.deepEqual(await told(detokenized), { content: text, prompt: text });
	const asked = { prompt: { kind: 'text', text }, addSpecial: true } as const;
	assert.deepEqual(await told(thread.request('tokenize', { ...asked, pieces: false })), {
		tokens,
		count: tokens.length,
	});
	assert.deepEqual(
		await told(thread.request('tokenize', { ...asked, pieces: true, contextLength: 9 })),
		{
			tokens: tokens.map((id) => {
				const bytes = here.tokenBytes(id) ?? new Uint8Array();
				return { id, piece: id < 128 ? String.fromCharCode(id) : [...bytes] };
			}),
			count: tokens.length,
			max_model_len: 9,
		},
	);
	const prompt = { kind: 'chat', messages: [{ role: 'user', content: text }] } as const;
	assert.equal(await thread.request('render', { prompt }), here.renderChat(prompt));
	assert.deepEqual(
		await thread.request('prompt', { prompt, contextLength: 256 }),
		here.promptTokens(prompt),
	);
	const [bytes] = await thread.request('bytes', { tokens: [65, 257], skipSpecial: true });
	assert.deepEqual([...(bytes ?? [])], [65]);
});

test('questions of people go before those of background work, which has its turns all the same', async () => {
	await using thread = owned(new TextThread({ folder: folderWith(), model: 'm' }));
	const order: string[] = [];
	const ask = (priority: 'interactive' | 'batch', name: string) =>
		thread.request(...encode(name), undefined, priority).then(() => void order.push(name));
	const first = ask('batch', 'first');
	const background = ['b1', 'b2'].map((name) => ask('batch', name));
	const people = Array.from({ length: 12 }, (_, at) => ask('interactive', `p${at}`));
	await Promise.all([first, ...background, ...people]);
	assert.deepEqual(order.slice(0, 10), ['first', ...names(0, 8), 'b1']);
	assert.deepEqual(order.slice(10), [...names(8, 12), 'b2']);
});

const names = (from: number, to: number): string[] =>
	Array.from({ length: to - from }, (_, at) => `p${from + at}`);

test('whoever waits behind what is ended gets a new thread, and so does whoever comes later', async () => {
	const thread = new TextThread({ folder: folderWith(hostileFields), model: 'm', deadlineMs: 300 });
	const ended = thread.request(...encode(hostileText));
	const behind = thread.request(...encode('b'));
	await assert.rejects(ended, (error: { code: string; message: string; data: object }) => {
		assert.equal(error.code, 'too_expensive');
		assert.deepEqual(error.data, { part: 'tokenizer', model: 'm' });
		return true;
	});
	assert.deepEqual(await behind, [[98]]);
	assert.deepEqual(await thread.request(...encode('c')), [[99]]);
	await thread.close();
});

test('a thread that runs out of memory takes nothing else with it', async () => {
	const greedy = hostileTokenizers.find(({ name }) => name === 'normalizers that double the text');
	const { tokenizer = {}, text = '' } = greedy?.make(40) ?? {};
	const thread = new TextThread({
		folder: folderWith(tokenizer),
		model: 'm',
		deadlineMs: 24 * 3_600_000,
		maxMemoryMb: 64,
	});
	const ended = thread.request(...encode(text));
	const behind = thread.request(...encode('b'));
	await assert.rejects(ended, (error: { code: string; message: string }) => {
		assert.equal(error.code, 'too_expensive');
		assert.match(error.message, /tokenizer of 'm' needed more than 64 MB/);
		return true;
	});
	assert.deepEqual(await behind, [[98]]);
	await thread.close();
});

test('work that nobody waits for is ended long before its time', async () => {
	const thread = new TextThread({
		folder: folderWith(hostileFields),
		model: 'm',
		deadlineMs: 24 * 3_600_000,
	});
	await thread.request(...encode('warm'));
	const stop = new AbortController();
	const asked = thread.request(...encode(hostileText), stop.signal);
	const behind = thread.request(...encode('b'));
	stop.abort();
	await assert.rejects(asked, isCode('cancelled'));
	assert.deepEqual(await behind, [[98]]);
	await thread.close();
});

test('a closed thread tells whoever waits that the model is gone', async () => {
	const thread = new TextThread({ folder: folderWith(hostileFields), model: 'm' });
	const asked = [thread.request(...encode(hostileText)), thread.request(...encode('b'))];
	const settled = Promise.allSettled(asked);
	await thread.close();
	for (const { status, ...rest } of await settled) {
		assert.equal(status, 'rejected');
		assert.equal((rest as { reason: { code: string } }).reason.code, 'runner_crashed');
	}
	await assert.rejects(thread.request(...encode('c')), isCode('runner_crashed'));
});

test('a folder without a tokenizer is refused each time, and once it has one it is read', async () => {
	const folder = folderWith();
	const file = join(folder, 'tokenizer.json');
	const usual = readFileSync(file);
	rmSync(file);
	const thread = new TextThread({ folder, model: 'm' });
	await assert.rejects(thread.request(...encode('a')), isCode('unsupported_model'));
	writeFileSync(file, usual);
	assert.deepEqual(await thread.request(...encode('a')), [[97]]);
	await thread.close();
});

test('a reader reads on the spot only short texts, and only with tokenizers it knows to be linear', async () => {
	const asked: string[] = [];
	const threads: TextService = {
		request: async (job) => {
			asked.push(job);
			return [[1]] as never;
		},
	};
	const known = await loadTextModel(folderWith());
	assert.equal(known.isBounded, true);
	const reader = new TextReader(known, threads);
	assert.deepEqual(await reader.encode(['a'], false), [[97]]);
	assert.deepEqual(asked, []);
	await reader.encode(['a'.repeat(40_000)], false);
	await reader.encode([`a${'\u0301'.repeat(100)}`], false);
	assert.deepEqual(asked, ['encode', 'encode']);
	// A long chat goes there once, not for its text and again for its tokens.
	asked.length = 0;
	const content = 'a'.repeat(40_000);
	await reader.prompt({ kind: 'chat', messages: [{ role: 'user', content }] }, 100_000);
	assert.deepEqual(asked, ['prompt']);
	// One that comes with its tokens goes nowhere.
	const tokens = [7, 8];
	const messages = [{ role: 'user', content }] as const;
	assert.deepEqual(await reader.prompt({ kind: 'chat', messages, tokens }, 100_000), tokens);
	assert.deepEqual(asked, ['prompt']);
	for (const { name, make } of hostileTokenizers.filter((one) => !one.name.startsWith('marks'))) {
		const other = await loadTextModel(folderWith(make(40).tokenizer));
		assert.equal(other.isBounded, false, name);
		asked.length = 0;
		await new TextReader(other, threads).encode(['a'], false);
		assert.deepEqual(asked, ['encode'], name);
	}
});

test('a prompt with far more characters than the context holds is refused before it is tokenised', async () => {
	const text = await loadTextModel(folderWith());
	const reader = new TextReader(text, {
		request: () => assert.fail('nothing is to be tokenised'),
	});
	await assert.rejects(
		reader.prompt({ kind: 'text', text: 'a'.repeat(3300) }, 100),
		(error: { code: string; message: string }) => {
			assert.equal(error.code, 'context_length_exceeded');
			assert.match(error.message, /3300 characters.*100 tokens/);
			return true;
		},
	);
	// What may fit is counted to the token.
	const ids = await reader.prompt({ kind: 'text', text: 'a'.repeat(3200) }, 100);
	assert.equal(ids.length, 3200);
});

test('a decoder with a pattern that repeats is not run while answers are made', async () => {
	const decoder = { type: 'Replace', pattern: { Regex: '(?:a+)+$' }, content: '' };
	await assert.rejects(loadTextModel(folderWith({ decoder })), isCode('unsupported_model'));
});

function owned(thread: TextThread): TextThread & AsyncDisposable {
	return Object.assign(thread, { [Symbol.asyncDispose]: () => thread.close() });
}
