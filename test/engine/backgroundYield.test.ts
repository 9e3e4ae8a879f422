/** People beside background work in one scheduler: they get their first token first, and the work goes on. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noSuppression } from '../../server/engine/sample/logitsProcessor.ts';
import { createGenerator } from '../../server/engine/schedule/generator.ts';
import { Scheduler } from '../../server/engine/schedule/scheduler.ts';
import { byteTextModel } from './byteTextModel.ts';
import { ExactDecoder, type ExactOptions, exactVocabulary } from './exactDecoder.ts';
import { tokensRequest } from './support.ts';

const prompt = (first: number, length: number) =>
	Array.from({ length }, (_, at) => (first + at * 7) % 31);
const turn = () => new Promise((resolve) => setImmediate(resolve));

function setUp(exact: ExactOptions = {}) {
	const decoder = new ExactDecoder({ turns: 3, ...exact });
	const scheduler = new Scheduler(decoder, { cacheBytes: 1e6, maxRunning: 4, speculation: false });
	const generate = createGenerator({
		...{ scheduler, text: byteTextModel(), contextLength: 2000, endTokens: [256] },
		...{ vocabularySize: exactVocabulary, suppression: noSuppression },
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
	return { decoder, run };
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

test('background work goes on however many people come', async () => {
	const { run } = setUp();
	let isDone = false;
	const background = run(prompt(3, 300), 10, 'batch').then(() => {
		isDone = true;
	});
	for (let people = 0; !isDone; people++) {
		assert.ok(people < 200, 'it has its turns');
		await run(prompt(people, 30), 3, 'interactive');
	}
	await background;
});
