/** Requests that run together: same answers as alone, fair, cancellable, with reused prefixes. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { EngineModel, GenerateEvent } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import { findContinuation, NgramProposer } from '../../server/engine/schedule/draftProposer.ts';
import { AppError } from '../../server/protocol/index.ts';
import { tinyShape, writeDecoderModel } from '../fixtures/decoderModel.ts';
import { greedy } from '../fixtures/greedy.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { tokensRequest } from './support.ts';

const folder = temporaryFolder();
const engines = new Map<string, EngineModel>();

before(async () => {
	for (const attention of ['gqa', 'plain'] as const) {
		const model = writeDecoderModel(join(folder, attention), { attention });
		engines.set(attention, await loadEngine({ folder: model, threads: 1 }));
	}
});
after(async () => {
	for (const engine of engines.values()) await engine.close();
});

const engine = (name: string): EngineModel => engines.get(name) as EngineModel;
const prompt = (seed: number, length = 20): number[] =>
	Array.from({ length }, (_, k) => (seed * 71 + k * k * 13 + k * 7) % 256);
const ids = (result: { choices: readonly { tokenIds: readonly number[] }[] }): string[] =>
	result.choices.map(({ tokenIds }) => tokenIds.join());
const nothing = (): void => {};

for (const name of ['gqa', 'plain']) {
	test(`many requests at once answer as each alone: ${name}`, async () => {
		const model = engine(name);
		const alone: string[] = [];
		for (let k = 0; k < 12; k++) {
			alone.push(...ids(await model.generate(tokensRequest(prompt(k, 5 + k * 6)), nothing)));
		}
		for (let round = 0; round < 2; round++) {
			const together = await Promise.all(
				alone.map((_, k) => model.generate(tokensRequest(prompt(k, 5 + k * 6)), nothing)),
			);
			assert.deepEqual(together.flatMap(ids), alone);
		}
	});

	test(`several choices share one prompt: ${name}`, async () => {
		const sampling = { ...greedy, temperature: 1.5, seed: 5 };
		const model = engine(name);
		const request = tokensRequest(prompt(3), { sampling, n: 3, maxTokens: 12 });
		const before = (await model.stats()).promptTokensTotal;
		const result = await model.generate(request, nothing);
		assert.equal((await model.stats()).promptTokensTotal - before, 20);
		assert.equal(new Set(ids(result)).size, 3, 'choices differ');
		assert.deepEqual(ids(await model.generate(request, nothing)), ids(result), 'a seed repeats');
		const other = await model.generate({ ...request, sampling: { ...sampling, seed: 6 } }, nothing);
		assert.notDeepEqual(ids(other), ids(result), 'another seed differs');
	});
}

test('the next turn of a chat reads only what is new, with the same answer', async () => {
	const model = engine('gqa');
	const first = await model.generate(tokensRequest(prompt(40, 60)), nothing);
	const history = [...prompt(40, 60), ...(first.choices[0]?.tokenIds ?? []), ...prompt(41, 10)];
	const second = await model.generate(tokensRequest(history), nothing);
	assert.ok(second.cachedTokens >= 60, `${second.cachedTokens} of ${history.length} were known`);
	assert.equal(second.timings.cache_n, second.cachedTokens);
	const fresh = await loadEngine({ folder: join(folder, 'gqa'), threads: 1 });
	const uncached = await fresh.generate(tokensRequest(history), nothing);
	assert.equal(uncached.cachedTokens, 0);
	assert.deepEqual(ids(uncached), ids(second));
	await fresh.close();
});

test('caches stay within their limit', async () => {
	const cacheBytes = 300_000;
	const model = await loadEngine({ folder: join(folder, 'gqa'), threads: 1, cacheBytes });
	for (let k = 0; k < 12; k++) await model.generate(tokensRequest(prompt(k, 80)), nothing);
	await new Promise((resolve) => setTimeout(resolve, 20));
	const { kvBytes, cachedPrefixes } = await model.stats();
	assert.ok(kvBytes <= cacheBytes, `${kvBytes}`);
	assert.ok(cachedPrefixes > 0);
	await model.close();
});

test('small prefixes do not pile up, however much memory there is', async () => {
	const model = await loadEngine({ folder: join(folder, 'gqa'), threads: 1 });
	for (let k = 0; k < 40; k++) await model.generate(tokensRequest(prompt(k, 20)), nothing);
	const { cachedPrefixes } = await model.stats();
	assert.ok(cachedPrefixes > 20 && cachedPrefixes <= 32, `${cachedPrefixes}`);
	await model.close();
});

test('a cancelled request ends at once and frees its place', async () => {
	const model = engine('gqa');
	const controller = new AbortController();
	let events = 0;
	const running = model.generate(
		tokensRequest(prompt(9), { maxTokens: 200, sampling: { ...greedy, logitBias: { 257: -100 } } }),
		(event: GenerateEvent) => {
			if (event.type === 'text' && ++events === 3) controller.abort();
		},
		controller.signal,
	);
	const other = model.generate(tokensRequest(prompt(10)), nothing);
	await assert.rejects(
		running,
		(error: unknown) => error instanceof AppError && error.code === 'cancelled',
	);
	const seen = events;
	assert.ok((await other).choices[0]?.tokenIds.length);
	await new Promise((resolve) => setTimeout(resolve, 20));
	assert.ok(events <= seen + 1, 'no text after the end');
	const { running: left, openSequences } = await model.stats();
	assert.deepEqual([left, openSequences], [0, 0]);
});

test('a request cancelled before its turn never runs', async () => {
	const model = engine('plain');
	const controller = new AbortController();
	const promise = model.generate(tokensRequest(prompt(1)), nothing, controller.signal);
	controller.abort();
	await assert.rejects(promise, { code: 'cancelled' });
	await assert.rejects(model.generate(tokensRequest(prompt(1)), nothing, controller.signal), {
		code: 'cancelled',
	});
});

test('a prompt that is too long says by how much', async () => {
	await assert.rejects(
		engine('gqa').generate(tokensRequest(prompt(1, 300)), nothing),
		(error: unknown) => {
			assert.ok(error instanceof AppError);
			assert.equal(error.code, 'context_length_exceeded');
			assert.equal(error.data?.['over'], 45);
			assert.match(error.message, /300 tokens.*256 tokens.*at least 45/);
			return true;
		},
	);
	await assert.rejects(engine('gqa').generate(tokensRequest([]), nothing), {
		code: 'invalid_request',
	});
	await assert.rejects(engine('gqa').generate(tokensRequest([9999]), nothing), {
		code: 'invalid_request',
	});
});

test('the answer stops at the length limit, at the end token and at the context', async () => {
	const model = engine('gqa');
	const biased = (bias: Record<number, number>) => ({ ...greedy, logitBias: bias });
	const limited = await model.generate(
		tokensRequest(prompt(2), { maxTokens: 3, sampling: biased({ 257: -100 }) }),
		nothing,
	);
	assert.equal(limited.choices[0]?.reason, 'length');
	assert.equal(limited.choices[0]?.tokenIds.length, 3);
	const ended = await model.generate(
		tokensRequest(prompt(2), { sampling: biased({ 257: 100 }) }),
		nothing,
	);
	assert.equal(ended.choices[0]?.reason, 'stop');
	assert.deepEqual(ended.choices[0]?.tokenIds, []);
	const full = await model.generate(
		tokensRequest(prompt(2, 250), { maxTokens: 1000, sampling: biased({ 257: -100 }) }),
		nothing,
	);
	assert.equal(full.choices[0]?.tokenIds.length, 6);
});

test('log-probabilities cover the answer, and the prompt when it is echoed', async () => {
	const request = tokensRequest(prompt(2), { maxTokens: 4, topLogprobs: 3, echoLogprobs: true });
	const result = await engine('gqa').generate(request, nothing);
	const logprobs = result.choices[0]?.logprobs ?? [];
	assert.equal(logprobs.length, result.choices[0]?.tokenIds.length);
	for (const { logprob, top, tokenId } of logprobs) {
		assert.equal(top.length, 3);
		assert.equal(top[0]?.tokenId, tokenId, 'greedy takes the likeliest');
		assert.ok(logprob <= 0 && Math.abs(logprob - (top[0]?.logprob ?? 0)) < 1e-9);
	}
	const only = await engine('gqa').generate({ ...request, maxTokens: 0, n: 2 }, nothing);
	assert.deepEqual(ids(only), ['', '']);
	assert.deepEqual(
		only.promptLogprobs?.map(({ tokenId }) => tokenId),
		result.promptLogprobs?.map(({ tokenId }) => tokenId),
	);
	assert.equal(result.promptLogprobs?.length, 19);
	assert.deepEqual(
		result.promptLogprobs?.map(({ tokenId }) => tokenId),
		prompt(2).slice(1),
	);
});

test('guesses come from the latest place where the text went on alike', () => {
	assert.equal(findContinuation([1, 2, 3, 9, 1, 2, 3]), 3);
	assert.equal(findContinuation([5, 6, 7, 1, 6, 7, 8, 5, 6, 7]), 3, 'a longer match wins');
	assert.equal(findContinuation([1, 2, 3, 4]), -1);
	const draft = new NgramProposer();
	const text = Array.from({ length: 60 }, (_, k) => k % 10);
	assert.ok(draft.propose(text, 8).length > 0);
	for (let k = 0; k < 8; k++) draft.learn(8, 0);
	assert.deepEqual(draft.propose(text, 8), [], 'guessing stops when it does not pay');
});

test('guessing ahead changes nothing but the number of steps', async () => {
	const model = engine('gqa');
	const text = Array.from({ length: 90 }, (_, k) => (k * 7) % 30);
	const before = await model.stats();
	const result = await model.generate(tokensRequest(text, { maxTokens: 60 }), nothing);
	const after = await model.stats();
	assert.ok(after.draftedTotal > before.draftedTotal, 'something was guessed');
	const biased = { ...greedy, temperature: 0.9, seed: 3 };
	const sampled = await model.generate(
		tokensRequest(text, { maxTokens: 60, sampling: biased }),
		nothing,
	);
	// One token at a time there is nothing to guess with.
	for (const [one, sampling] of [
		[result, greedy],
		[sampled, biased],
	] as const) {
		const tokens = [...(one.choices[0]?.tokenIds ?? [])];
		const plain = await loadEngine({ folder: join(folder, 'gqa'), threads: 1, plainRuntime: true });
		const again = await plain.generate(tokensRequest(text, { maxTokens: 60, sampling }), nothing);
		assert.deepEqual(again.choices[0]?.tokenIds, tokens);
		await plain.close();
	}
});

test('a model asked for something else than its task refuses with a reason', async () => {
	await assert.rejects(
		engine('gqa').seq2seq({ items: [{ text: 'x' }], priority: 'interactive' }),
		(error: unknown) => error instanceof AppError && error.code === 'unsupported_model',
	);
});

test('a draft model changes nothing but the number of steps, and must fit', async () => {
	const shape = { ...tinyShape, layers: 1 };
	const draftFolder = writeDecoderModel(join(folder, 'draft'), { attention: 'plain', shape });
	const model = await loadEngine({
		folder: join(folder, 'gqa'),
		threads: 1,
		draftFolder: join(folder, 'plain'),
	});
	const twin = await loadEngine({
		folder: join(folder, 'gqa'),
		threads: 1,
		draftFolder: join(folder, 'gqa'),
	});
	for (const sampling of [greedy, { ...greedy, temperature: 1, seed: 11 }]) {
		const request = tokensRequest(prompt(5), { sampling, n: 2 });
		const expected = await engine('gqa').generate({ ...request, n: 2 }, nothing);
		assert.deepEqual(ids(await model.generate(request, nothing)), ids(expected));
		assert.deepEqual(ids(await twin.generate(request, nothing)), ids(expected));
	}
	const stats = await twin.stats();
	assert.ok(stats.acceptedTotal > 10, 'a model guesses itself well');
	assert.ok((await model.stats()).draftedTotal > 0);
	await model.close();
	await twin.close();
	const other = writeDecoderModel(join(folder, 'other'), {
		attention: 'gqa',
		shape: { ...tinyShape, vocabulary: 384 },
	});
	await assert.rejects(loadEngine({ folder: draftFolder, threads: 1, draftFolder: other }), {
		code: 'unsupported_model',
	});
});

test('who waits is told the place in the queue, and each time it changes', async () => {
	const model = engine('gqa');
	const places: number[] = [];
	const waiting = Array.from({ length: 48 }, (_, k) =>
		model.generate(tokensRequest(prompt(k)), (event: GenerateEvent) => {
			if (k === 47 && event.type === 'queued') places.push(event.queuePosition);
		}),
	);
	await Promise.all(waiting);
	assert.ok(places.length > 1, 'told more than once');
	assert.ok(
		places.every((place, index) => index === 0 || place < (places[index - 1] as number)),
		`never further back: ${places.join()}`,
	);
});
