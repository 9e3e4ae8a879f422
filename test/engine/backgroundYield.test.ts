/** People beside background work in one scheduler: they get their first token first, and the work goes on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BatchItem } from '../../server/engine/decode/decoder.ts';
import { noSuppression } from '../../server/engine/sample/logitsProcessor.ts';
import { BackgroundYield } from '../../server/engine/schedule/backgroundYield.ts';
import { Generation } from '../../server/engine/schedule/generation.ts';
import { createGenerator } from '../../server/engine/schedule/generator.ts';
import { Scheduler } from '../../server/engine/schedule/scheduler.ts';
import type { Sequence } from '../../server/engine/schedule/sequence.ts';
import { byteTextModel } from './byteTextModel.ts';
import { ExactDecoder, type ExactOptions, exactVocabulary } from './exactDecoder.ts';
import { tokensRequest } from './support.ts';

const prompt = (first: number, length: number) =>
	Array.from({ length }, (_, at) => (first + at * 7) % 31);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Tokens of the prompt that is read slowly. */
const slowLength = 21;

/** @param isReading whether that prompt is still being read after so many turns of the event loop */
function setUp(exact: ExactOptions = {}, isReading: (turns: number) => boolean = () => false) {
	const decoder = new ExactDecoder({ turns: 3, ...exact });
	const scheduler = new Scheduler(decoder, { cacheBytes: 1e6, maxRunning: 4, speculation: false });
	const generate = createGenerator({
		...{ scheduler, text: byteTextModel(), contextLength: 2000, endTokens: [256] },
		...{ vocabularySize: exactVocabulary, suppression: noSuppression },
		reader: {
			prompt: async (prompt) => {
				const tokens = prompt.kind === 'tokens' ? prompt.tokens : [];
				for (let at = 0; tokens.length === slowLength && isReading(at); at++) await turn();
				return [...tokens];
			},
		},
		compile: async () => undefined,
		now: () => performance.now(),
	});
	/** Ends with the number of steps that the decoder had made at its first and its last token. */
	const run = async (tokens: number[], maxTokens: number, priority: 'interactive' | 'batch') => {
		let first: number | undefined;
		await generate(tokensRequest(tokens, { maxTokens, priority }), (event) => {
			if (event.type === 'text') first ??= decoder.steps;
		});
		return { first: first ?? decoder.steps, last: decoder.steps };
	};
	return { decoder, scheduler, run };
}

for (const maxBatchSize of [4, 1])
	test(`a first token waits for no prompt and no place of background work, with ${maxBatchSize} at a time`, async () => {
		const { decoder, run } = setUp({ maxBatchSize });
		// More than may run at a time, of prompts of many steps.
		const background = Array.from({ length: 8 }, (_, at) => run(prompt(at, 400), 20, 'batch'));
		for (let turns = 0; turns < 30; turns++) await turn();
		const before = decoder.steps;
		const { first } = await run(prompt(5, 20), 4, 'interactive');
		// The step that it found was ended; with the last of it, one that was let through.
		assert.ok(first - before <= 2, `${first - before} steps`);
		assert.ok(decoder.ended >= 1, 'the run that it found was ended');
		await Promise.all(background);
	});

test('the turn of waiting background work keeps nobody out while others of it run', async () => {
	const { decoder, run } = setUp();
	// Four run for long, and the others wait for their places.
	const background = Array.from({ length: 8 }, (_, at) => run(prompt(at, 8), 400, 'batch'));
	for (let turns = 0; turns < 30; turns++) await turn();
	const waited: number[] = [];
	for (let people = 0; people < 20; people++) {
		const before = decoder.steps;
		waited.push((await run(prompt(people, 20), 4, 'interactive')).first - before);
	}
	assert.ok(Math.max(...waited) <= 3, `steps until the first token: ${waited.join(', ')}`);
	await Promise.all(background);
});

test('background work goes on however many people come', async () => {
	const { run } = setUp();
	let isDone = false;
	const background = run(prompt(3, 300), 10, 'batch').then(() => {
		isDone = true;
	});
	for (let people = 0; !isDone; people++) {
		// It rests for a tenth of a second at a time.
		assert.ok(people < 20_000, 'it has its turns');
		await run(prompt(people, 30), 3, 'interactive');
	}
	await background;
});

test('no run of background work follows another while a prompt is read that somebody waits for', async () => {
	const { decoder, run } = setUp({}, (turns) => turns < 60);
	const background = Array.from({ length: 4 }, (_, at) => run(prompt(at, 8), 60, 'batch'));
	for (let turns = 0; turns < 40; turns++) await turn();
	const before = decoder.steps;
	const { first } = await run(prompt(5, slowLength), 4, 'interactive');
	// The run that it found, its own, and one for every 40 ms that the reading takes.
	assert.ok(first - before <= 4, `${first - before} steps`);
	assert.ok(before > 0, 'background work had begun');
	await Promise.all(background);
});

test('background work does not wait for a prompt that is read for long', async () => {
	const readTurns = { left: Number.POSITIVE_INFINITY };
	const { run } = setUp({}, () => readTurns.left-- > 0);
	const slow = run(prompt(5, slowLength), 4, 'interactive');
	const { last } = await run(prompt(1, 8), 6, 'batch');
	assert.ok(last >= 6, 'it is done while the prompt is still being read');
	readTurns.left = 0;
	await slow;
});

test('whoever is expected beside somebody who has come does not hold them up', async (context) => {
	// What waits for who is expected would wait for ever.
	context.mock.timers.enable({ apis: ['setTimeout'] });
	const { scheduler, run } = setUp();
	const background = run(prompt(1, 8), 60, 'batch');
	for (let turns = 0; turns < 10; turns++) await turn();
	const other = scheduler.expect();
	for (let turns = 0; turns < 10; turns++) await turn();
	let isDone = false;
	const person = run(prompt(5, 20), 1, 'interactive').then(() => {
		isDone = true;
	});
	for (let turns = 0; turns < 100 && !isDone; turns++) await turn();
	assert.ok(isDone, 'it has its answer');
	other[Symbol.dispose]();
	await Promise.all([person, background]);
});

test('word of a request ends the run of background work, and none follows until it is there', async () => {
	const { decoder, scheduler, run } = setUp();
	const background = Array.from({ length: 4 }, (_, at) => run(prompt(at, 400), 20, 'batch'));
	for (let turns = 0; turns < 30; turns++) await turn();
	const before = { steps: decoder.steps, ended: decoder.ended };
	const expected = scheduler.expect();
	for (let turns = 0; turns < 6; turns++) await turn();
	assert.equal(decoder.ended, before.ended + 1, 'the run that it found was ended');
	assert.equal(decoder.steps, before.steps);
	const { first } = await run(prompt(5, 20), 4, 'interactive');
	assert.equal(first, before.steps + 1, 'the next run is its own');
	expected[Symbol.dispose]();
	await Promise.all(background);
});

test('a run of a few tokens is ended where it would take long, such as that of a large model', () => {
	const sequence = { isBackground: true } as Sequence;
	const plan = [{ sequence, item: { tokens: [1] } as unknown as BatchItem }];
	const isEnded = (leftMs: number): boolean => {
		const controller = new AbortController();
		const endsAt = performance.now() + leftMs;
		new BackgroundYield().makeWay({ controller, plan, endsAt });
		return controller.signal.aborted;
	};
	assert.equal(isEnded(1000), true);
	assert.equal(isEnded(1), false);
	assert.equal(isEnded(-5), false);
});

test('where both stream, people are in each run, however much background work there is', () => {
	const sequences = (isBackground: boolean, count: number) =>
		Array.from(
			{ length: count },
			() => ({ isBackground, isDecoding: true, isAwaited: false }) as Sequence,
		);
	const [background, people] = [sequences(true, 6), sequences(false, 2)];
	const chosen = new BackgroundYield().choose([...background, ...people], 4);
	assert.deepEqual(chosen.slice(0, 2), people);
	assert.equal(chosen.length, 8, 'the places that are left are for background work');
});

test('background work has a run of its own now and then where people fill all places', () => {
	const background = { isBackground: true, isDecoding: true } as Sequence;
	const people = Array.from(
		{ length: 4 },
		() => ({ isBackground: false, isDecoding: true }) as Sequence,
	);
	const yielding = new BackgroundYield();
	const first = () => yielding.choose([...people, background], 4)[0];
	assert.equal(first(), people[0]);
	const until = performance.now() + 5000;
	while (first() !== background) assert.ok(performance.now() < until, 'it has its turn');
});

test('background work rests until there is text, not only a token', () => {
	const background = { isBackground: true, isDecoding: true } as Sequence;
	const person = { isBackground: false, isDecoding: true, isAwaited: true } as Sequence;
	const chosen = () => new BackgroundYield().choose([background, person], 4);
	assert.deepEqual(chosen(), [person]);
	person.isAwaited = false;
	assert.deepEqual(chosen(), [person, background]);
});

test('a first text is awaited until a letter is whole, and not beyond a few tokens without text', () => {
	const awaitedAfter = (tokens: readonly number[]): boolean[] => {
		const generation = new Generation({
			request: tokensRequest([1]),
			...{ prompt: [1], maxTokens: 20, endTokens: new Set<number>(), text: byteTextModel() },
			...{ onEvent: () => {}, signal: undefined, now: () => 0 },
		});
		const sequence = { choice: 0, isAwaited: true, sampler: {} } as unknown as Sequence;
		return tokens.map((token) => {
			generation.accept(sequence, { token });
			return sequence.isAwaited;
		});
	};
	// The bytes of the euro sign.
	assert.deepEqual(awaitedAfter([0xe2, 0x82, 0xac]), [true, true, false]);
	const special = 256;
	assert.deepEqual(awaitedAfter(new Array<number>(4).fill(special)), [true, true, true, false]);
});

test('who comes while a run is planned is in the next one', async () => {
	const { decoder, run } = setUp();
	let planning = 0;
	const waiting: (() => void)[] = [];
	Object.assign(decoder, {
		prepareForBatchSize: async () => {
			if (++planning === 5) await new Promise<void>((resolve) => waiting.push(resolve));
		},
	});
	const background = run(prompt(1, 8), 60, 'batch');
	while (waiting.length === 0) await turn();
	const before = decoder.steps;
	const person = run(prompt(5, 20), 1, 'interactive');
	for (let turns = 0; turns < 3; turns++) await turn();
	waiting[0]?.();
	assert.equal((await person).first, before + 1);
	await background;
});
