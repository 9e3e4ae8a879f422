/** One person's flood, and how many steps others wait for their first token, whatever the decoder can compute at once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GenerateEvent } from '../../server/engine/api.ts';
import { noSuppression } from '../../server/engine/sample/logitsProcessor.ts';
import { createGenerator } from '../../server/engine/schedule/generator.ts';
import { Scheduler } from '../../server/engine/schedule/scheduler.ts';
import { byteTextModel } from './byteTextModel.ts';
import { ExactDecoder, type ExactOptions, exactVocabulary } from './exactDecoder.ts';
import { tokensRequest } from './support.ts';

const decoders: readonly (readonly [string, ExactOptions])[] = [
	['several sequences in a step', {}],
	['one sequence in a step', { maxBatchSize: 1 }],
	['three sequences in a step', { maxBatchSize: 3 }],
];

for (const [name, options] of decoders)
	for (const prompt of [10, 150])
		test(`${name}: beside 200 requests of one person with prompts of ${prompt} tokens the others wait no more steps than there are people`, async () => {
			const decoder = new ExactDecoder(options);
			let steps = 0;
			const step = decoder.step.bind(decoder);
			decoder.step = (...call) => {
				steps++;
				return step(...call);
			};
			const scheduler = new Scheduler(decoder, { cacheBytes: 10_000_000, maxRunning: 8 });
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
			const stop = new AbortController();
			const ask = (owner: string, onEvent: (event: GenerateEvent) => void, seed: number) => {
				const tokens = Array.from({ length: prompt }, (_, at) => (at * 7 + seed) % 31);
				const request = { ...tokensRequest(tokens, { maxTokens: 400 }), owner };
				return generate(request, onEvent, stop.signal).catch(() => undefined);
			};
			const flood = Array.from({ length: 200 }, (_, seed) => ask('a', () => {}, seed));
			while (steps < 5) await new Promise((resolve) => setImmediate(resolve));
			const others = ['b', 'c', 'd'];
			const waited = await Promise.all(
				others.map(
					(owner, index) =>
						new Promise<number>((resolve) => {
							const from = steps;
							const onEvent = (event: GenerateEvent) => {
								if (event.type === 'text') resolve(steps - from);
							};
							flood.push(ask(owner, onEvent, 100 + index));
						}),
				),
			);
			stop.abort();
			await Promise.all(flood);
			await scheduler.close();
			// A prompt is read in the steps that it takes alone; the last one makes the first token.
			const alone = Math.ceil(prompt / decoder.maxStepTokens);
			const people = others.length + 1;
			for (const count of waited)
				assert.ok(count <= people * (alone + 1), `${waited} steps, ${people} people`);
		});
