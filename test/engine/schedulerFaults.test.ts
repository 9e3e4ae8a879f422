/**
 * The scheduler over a decoder that says what its caches hold: whatever comes together, ends early or
 * goes wrong, every answer is the one made alone and nothing stays held.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerateEvent, GenerateRequest, GenerateResult } from '../../server/engine/api.ts';
import type { BatchItem } from '../../server/engine/decode/decoder.ts';
import { noSuppression } from '../../server/engine/sample/logitsProcessor.ts';
import { uniform } from '../../server/engine/sample/random.ts';
import { sampleToken } from '../../server/engine/sample/sampleToken.ts';
import { type DraftProposer, NgramProposer } from '../../server/engine/schedule/draftProposer.ts';
import { createGenerator, type Generate } from '../../server/engine/schedule/generator.ts';
import { Scheduler } from '../../server/engine/schedule/scheduler.ts';
import type { SchedulerOptions } from '../../server/engine/schedule/schedulerOptions.ts';
import { Random } from '../fixtures/graphBuilder.ts';
import { greedy } from '../fixtures/greedy.ts';
import { byteTextModel } from './byteTextModel.ts';
import {
	ExactDecoder,
	type ExactOptions,
	exactLogits,
	exactVocabulary,
	keyOf,
} from './exactDecoder.ts';
import { tokensRequest } from './support.ts';

const nothing = (): void => {};
const cacheBytes = 60_000;

interface Setup {
	readonly decoder: ExactDecoder;
	readonly scheduler: Scheduler;
	readonly generate: Generate;
}

function setUp(exact: ExactOptions = {}, more: Partial<SchedulerOptions> = {}): Setup {
	const decoder = new ExactDecoder(exact);
	const scheduler = new Scheduler(decoder, { cacheBytes, maxRunning: 4, ...more });
	const generate = createGenerator({
		scheduler,
		text: byteTextModel(),
		contextLength: 1000,
		vocabularySize: exactVocabulary,
		endTokens: [256],
		suppression: noSuppression,
		compile: async () => undefined,
		now: () => performance.now(),
	});
	return { decoder, scheduler, generate };
}

/** Ends an answer, as a stop string: some choices of a request end before others. */
const stopToken = 7;
const stop = [String.fromCharCode(stopToken)];

/** What a request answers when nothing else runs and nothing is reused or guessed. */
function alone(
	{ prompt, sampling, n, maxTokens = 24 }: GenerateRequest,
	longRopeThreshold = Number.POSITIVE_INFINITY,
): string[] {
	const tokens = prompt.kind === 'tokens' ? prompt.tokens : [];
	return Array.from({ length: n }, (_, choice) => {
		const text = [...tokens];
		for (let k = 0; k < maxTokens; k++) {
			const isLong = text.length > longRopeThreshold;
			const logits = exactLogits(text.map((token) => keyOf(token, isLong)));
			for (const [id, bias] of Object.entries(sampling.logitBias))
				logits[Number(id)] = (logits[Number(id)] as number) + bias;
			const token = sampleToken(logits, sampling, uniform(sampling.seed, choice, k));
			text.push(token);
			if (token === stopToken) return text.slice(tokens.length, -1).join();
		}
		return text.slice(tokens.length).join();
	});
}

const answers = ({ choices }: GenerateResult): string[] =>
	choices.map(({ tokenIds }) => tokenIds.join());

/** Waits until the loop is over, then compares what lives with what is kept. */
async function assertIdle({ decoder, scheduler }: Setup): Promise<void> {
	for (let k = 0; k < 20; k++) await new Promise((resolve) => setImmediate(resolve));
	assert.deepEqual([scheduler.running, scheduler.waiting, scheduler.openSequences], [0, 0, 0]);
	assert.equal(decoder.alive.size, scheduler.cachedPrefixes);
	const held = [...decoder.alive].reduce((sum, { bytes }) => sum + bytes, 0);
	assert.equal(scheduler.kvBytes, held);
	assert.ok(held <= cacheBytes, `${held}`);
}

/** Requests that share beginnings, in part with several choices. */
function requests(random: Random, count: number): GenerateRequest[] {
	const pick = (most: number): number => random.bits() % most;
	const beginnings = Array.from({ length: 4 }, (_, k) =>
		Array.from({ length: 8 + 30 * k }, () => pick(31)),
	);
	return Array.from({ length: count }, (_, k) => {
		const beginning = beginnings[pick(4)] as number[];
		const own = Array.from({ length: 1 + pick(20) }, () => pick(31));
		const tokens = [...beginning.slice(0, 1 + pick(beginning.length)), ...own];
		return tokensRequest(tokens, {
			sampling: { ...greedy, temperature: pick(2), seed: k, logitBias: { 3: 7 + pick(6) } },
			n: pick(4) === 0 ? 1 + pick(4) : 1,
			stop,
			maxTokens: 1 + pick(40),
			priority: pick(3) === 0 ? 'batch' : 'interactive',
		});
	});
}

for (const [title, exact, options] of [
	['guessing ahead', {}, {}],
	['guessing ahead, long steps', { turns: 6 }, {}],
	['without guesses', {}, { speculation: false }],
	['without kept prefixes', {}, { prefixCache: false }],
	['one row at a time', { maxBatchSize: 1, turns: 3 }, {}],
	['guessing at every token', {}, { speculation: () => new Eager() }],
	[
		'guessing across a switch of rotary factors',
		{ longRopeThreshold: 60 },
		{ speculation: () => new Eager() },
	],
] as const) {
	test(`answers are those made alone and nothing stays held: ${title}`, async () => {
		for (let seed = 1; seed <= 6; seed++) {
			const fails = (): boolean => {
				// Every cache that lives is counted, also of choices that ended before others.
				const held = [...setup.decoder.alive].reduce((sum, { bytes }) => sum + bytes, 0);
				assert.equal(setup.scheduler.kvBytes, held);
				const { openSequences, cachedPrefixes } = setup.scheduler;
				assert.equal(openSequences + cachedPrefixes, setup.decoder.alive.size);
				return false;
			};
			const setup: Setup = setUp({ ...exact, fails }, options);
			const random = new Random(seed);
			await Promise.all(
				requests(random, 24).map(async (request, index) => {
					for (let k = random.bits() % 60; k > 0; k--)
						await new Promise((resolve) => setImmediate(resolve));
					const abort = new AbortController();
					let events = 0;
					const last = index % 4 === 3 ? 1 + (random.bits() % 12) : Number.POSITIVE_INFINITY;
					const answer = setup.generate(
						request,
						() => {
							if (++events >= last) abort.abort();
						},
						abort.signal,
					);
					try {
						const limit = 'longRopeThreshold' in exact ? exact.longRopeThreshold : undefined;
						assert.deepEqual(answers(await answer), alone(request, limit));
					} catch (error) {
						if (!abort.signal.aborted) throw error;
						assert.equal((error as { code?: string }).code, 'cancelled');
					}
				}),
			);
			await assertIdle(setup);
			const { drafted, accepted } = setup.scheduler.counters;
			if (title.startsWith('guessing')) {
				assert.ok(accepted > 0 && accepted < drafted, `${accepted} of ${drafted}`);
			} else if (title === 'without guesses') assert.equal(drafted, 0);
			assert.equal(setup.scheduler.counters.cachedTokens > 0, title !== 'without kept prefixes');
			if (!('maxBatchSize' in exact)) assert.equal(setup.decoder.widest, 4);
			await setup.scheduler.close();
			assert.equal(setup.decoder.alive.size, 0);
		}
	});
}

/** Guesses from the text whatever came of it before. */
class Eager extends NgramProposer {
	override learn(): void {}
}

test('how a prompt ends is told before anything else, and only where it was asked for', async () => {
	const { generate } = setUp();
	const tokens = [...'Hello <think>'].map((letter) => letter.charCodeAt(0) % 31);
	const told = async (notifyPromptEnd: boolean) => {
		const events: GenerateEvent[] = [];
		const request = tokensRequest(tokens, { maxTokens: 2, notifyPromptEnd });
		await generate(request, (event) => events.push(event));
		return events;
	};
	assert.deepEqual((await told(true))[0], {
		type: 'promptEnd',
		text: String.fromCharCode(...tokens.slice(-16)),
	});
	assert.ok((await told(false)).every(({ type }) => type !== 'promptEnd'));
});

test('no guess goes beyond the longest answer, where the context may end as well', async () => {
	let longest = 0;
	const fails = (rows: readonly BatchItem[]): boolean => {
		for (const { cache, tokens } of rows) longest = Math.max(longest, cache.length + tokens.length);
		return false;
	};
	const bold: DraftProposer = { propose: (_, room) => Array(room).fill(3), learn: () => {} };
	const setup = setUp({ fails }, { speculation: () => bold });
	for (let seed = 0; seed < 20; seed++) {
		longest = 0;
		const sampling = { ...greedy, temperature: 1, seed, logitBias: { 3: 9, [stopToken]: -100 } };
		const request = tokensRequest([1, 2, 3, 4], { sampling, maxTokens: 24 });
		assert.deepEqual(answers(await setup.generate(request, nothing)), alone(request));
		// The last token is answered, not fed.
		assert.equal(longest, 27);
	}
	assert.ok(setup.scheduler.counters.drafted > 0);
	await assertIdle(setup);
});

test('cancelling ends a run that only or mostly the cancelled request needs; it is made again without', async () => {
	const setup = setUp({ turns: 50 }, { speculation: false });
	const start = (request: GenerateRequest) => {
		const abort = new AbortController();
		return { abort, answer: setup.generate(request, nothing, abort.signal) };
	};
	const turns = async (count: number): Promise<void> => {
		for (let k = 0; k < count; k++) await new Promise((resolve) => setImmediate(resolve));
	};
	const { decoder } = setup;
	const untilTwoRows = async (): Promise<void> => {
		for (let k = 0; k < 5000 && decoder.widest < 2; k++) await turns(1);
		assert.equal(decoder.widest, 2);
	};
	const alonePrompt = start(tokensRequest(Array.from({ length: 40 }, (_, k) => k % 31)));
	await turns(10);
	alonePrompt.abort.abort();
	await assert.rejects(alonePrompt.answer, { code: 'cancelled' });
	await turns(5);
	assert.deepEqual([decoder.steps, decoder.ended], [1, 1]);

	const request = tokensRequest([1, 2, 3], { stop, maxTokens: 12 });
	const stream = start(request);
	await turns(60);
	const steps = decoder.steps;
	const long = start(tokensRequest(Array.from({ length: 45 }, (_, k) => (7 * k) % 31)));
	// The long prompt is in the run after the one under way.
	await untilTwoRows();
	assert.ok(decoder.steps > steps);
	long.abort.abort();
	await assert.rejects(long.answer, { code: 'cancelled' });
	await turns(5);
	assert.equal(decoder.ended, 2);

	// One that costs the others no more than they cost it lets the run go on.
	decoder.widest = 0;
	const short = start(tokensRequest([4, 5], { maxTokens: 12 }));
	await untilTwoRows();
	short.abort.abort();
	await assert.rejects(short.answer, { code: 'cancelled' });
	assert.deepEqual(answers(await stream.answer), alone(request));
	assert.equal(decoder.ended, 2);
	await assertIdle(setup);
});

test('requests wait for room among the caches, and one that needs more than all of it runs alone', async () => {
	let most = 0;
	const look = (): boolean => {
		most = Math.max(most, setup.scheduler.kvBytes);
		return false;
	};
	// Room for 100 tokens: two requests of 40, or one of 130.
	const options = { cacheBytes: 10_000, maxRunning: 8 };
	const setup: Setup = setUp({ maxBatchSize: 8, fails: look }, options);
	const small = Array.from({ length: 7 }, (_, k) =>
		tokensRequest(
			Array.from({ length: 30 }, (_, at) => (at * (k + 2)) % 31),
			{ stop, maxTokens: 10 },
		),
	);
	const results = await Promise.all(small.map((request) => setup.generate(request, nothing)));
	for (const [k, result] of results.entries())
		assert.deepEqual(answers(result), alone(small[k] as GenerateRequest));
	assert.equal(setup.decoder.widest, 2);
	assert.ok(most > 0 && most <= options.cacheBytes, `${most}`);
	const large = tokensRequest(
		Array.from({ length: 120 }, (_, at) => at % 31),
		{ stop, maxTokens: 10 },
	);
	setup.decoder.widest = 0;
	const [first] = await Promise.all([
		setup.generate(large, nothing),
		setup.generate(small[0] as GenerateRequest, nothing),
	]);
	assert.deepEqual(answers(first), alone(large));
	assert.equal(setup.decoder.widest, 1);
});

test('a step that fails ends what took part in it; the others answer as ever', async () => {
	const bad = [30, 30, 30, 30, 30, 30];
	const setup = setUp({
		maxBatchSize: 2,
		fails: (rows) =>
			rows.some(({ tokens }) => tokens.length === 6 && tokens.every((t) => t === 30)),
	});
	const good = requests(new Random(5), 6);
	const failing = setup.generate(tokensRequest(bad, { stop }), nothing);
	const results = await Promise.allSettled([
		failing,
		...good.map((one) => setup.generate(one, nothing)),
	]);
	assert.equal(results[0]?.status, 'rejected');
	let answered = 0;
	for (const [index, result] of results.slice(1).entries()) {
		if (result.status === 'rejected') continue;
		answered++;
		assert.deepEqual(answers(result.value), alone(good[index] as GenerateRequest));
	}
	assert.ok(answered >= 5, `${answered}`);
	await assertIdle(setup);
});

test('a prompt whose cache cannot be made fails alone', async () => {
	const setup = setUp({ maxTokens: 200 });
	const long = tokensRequest(Array.from({ length: 190 }, (_, k) => k % 31));
	const short = tokensRequest([1, 2, 3], { stop });
	const [first, second] = await Promise.allSettled([
		setup.generate(long, nothing),
		setup.generate(short, nothing),
	]);
	assert.equal(first.status, 'rejected');
	assert.match(String((first as PromiseRejectedResult).reason), /allocation failed/);
	assert.equal(second.status, 'fulfilled');
	assert.deepEqual(answers((second as PromiseFulfilledResult<GenerateResult>).value), alone(short));
	await assertIdle(setup);
});
