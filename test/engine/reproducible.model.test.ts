/** A request with a seed gets the same answer, to the last bit of its log-probabilities, in any company. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EngineModel, GenerateRequest } from '../../server/engine/api.ts';
import { loadEngine } from '../../server/engine/engine.ts';
import type { Precision } from '../../server/protocol/index.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { greedy } from '../fixtures/greedy.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { tokensRequest } from './support.ts';

const folder = temporaryFolder();
const starter = fileURLToPath(new URL('../../starter/models/starter-chat', import.meta.url));
const shape = {
	layers: 2,
	hidden: 64,
	heads: 4,
	kvHeads: 2,
	inner: 128,
	vocabulary: 320,
	context: 320,
};
const models = {
	float32: writeDecoderModel(join(folder, 'float32'), { attention: 'gqa', shape }),
	int4: writeDecoderModel(join(folder, 'int4'), { attention: 'gqa', block: 32, shape }),
	int8: writeDecoderModel(join(folder, 'int8'), { attention: 'gqa', int8: true, shape }),
	spelledOut: writeDecoderModel(join(folder, 'spelledOut'), { attention: 'plain', shape }),
	starter,
};

/** Tokens that repeat themselves now and then, so that the next ones are guessed. */
function tokens(seed: number, count: number): number[] {
	return Array.from({ length: count }, (_, k) => 5 + ((((k % 23) * 37) ^ (seed * 11)) % 240));
}

const prompts = [1, 2, 7, 33, 64, 98, 193].map((count, seed) => tokens(seed, count));
const temperatures = [0, 0.3, 0.8, 1, 1.7];

/** Every prompt at another temperature, each with its own seed. */
function requests(round: number): GenerateRequest[] {
	return prompts.map((prompt, index) => {
		const temperature = temperatures[(index + round) % temperatures.length] as number;
		const seed = 1000 * round + index;
		return tokensRequest(prompt, {
			sampling: { ...greedy, temperature, seed, reproducible: true },
			maxTokens: 12 + index,
			topLogprobs: 1,
			n: index === 2 ? 3 : 1,
		});
	});
}

/** Everything an answer says; what was streamed must be the same. */
async function ask(engine: EngineModel, request: GenerateRequest): Promise<string> {
	const streamed: string[] = [];
	const { choices } = await engine.generate(request, (event) => {
		if (event.type === 'text')
			streamed[event.choice] = `${streamed[event.choice] ?? ''}${event.text}`;
	});
	for (const [index, { text }] of choices.entries()) assert.equal(streamed[index] ?? '', text);
	return JSON.stringify(choices);
}

/** The same without the promise: others in the run and in the cache. */
function careless(request: GenerateRequest): GenerateRequest {
	return { ...request, sampling: { ...request.sampling, reproducible: false }, n: 1 };
}

interface Case {
	readonly name: string;
	readonly model: string;
	readonly precision?: Precision;
	readonly skip?: string | false;
}

/** Kernels of other exporters, a cache that is a ring, rotary factors that switch, no position ids. */
const published = [
	['stories260K-tjs', 'q4'],
	['qwen2-gqa-tjs', 'q4f16'],
	['phi3-genai-int4', 'q4'],
	['gemma3-genai-int4-windowed', 'q4'],
	['gemma3-tjs', 'fp32'],
] as const;
const cases: Case[] = [
	...Object.entries(models).map(([name, model]) => ({ name, model })),
	...published.map(([name, precision]) => {
		const { path, skip } = sharedFolder(`models-tiny/${name}`);
		return { name, model: path, precision, skip };
	}),
];

for (const { name, model, precision, skip = false } of cases) {
	test(`the same seed gives the same answer in any company: ${name}`, { skip }, async () => {
		const shared = { folder: model, threads: 2, ...(precision && { precision }) };
		const alone = await loadEngine({ ...shared, prefixCache: false, speculation: false });
		const engine = await loadEngine(shared);
		try {
			for (let round = 0; round < 2; round++) {
				const asked = requests(round);
				const expected: string[] = [];
				for (const request of asked) expected.push(await ask(alone, request));
				const check = (found: readonly string[], when: string): void => {
					for (const [index, answer] of found.entries())
						assert.equal(answer, expected[index], `round ${round}, prompt ${index}: ${when}`);
				};
				// Caches of answers that do not promise anything lie about.
				for (const request of asked) await ask(engine, careless(request));
				const together = [...asked, ...asked.map(careless)];
				const answers = await Promise.all(together.map((request) => ask(engine, request)));
				check(answers.slice(0, asked.length), 'in company');
				const again: string[] = [];
				for (const request of asked) again.push(await ask(engine, request));
				check(again, 'with what was read before');
			}
		} finally {
			await alone.close();
			await engine.close();
		}
	});
}

test('the next turn of a conversation is the same whether the turns before it are kept or not', async () => {
	for (const model of [models.int4, models.starter]) {
		const kept = await loadEngine({ folder: model, threads: 1 });
		const cold = await loadEngine({ folder: model, threads: 1, prefixCache: false });
		try {
			const sampling = { ...greedy, temperature: 1, seed: 7, reproducible: true };
			let conversation = tokens(3, 41);
			for (let turn = 0; turn < 4; turn++) {
				const request = tokensRequest(conversation, { sampling, maxTokens: 25, topLogprobs: 0 });
				const result = await kept.generate(request, () => undefined);
				assert.equal(JSON.stringify(result.choices), await ask(cold, request));
				// What was said is not read again, though most of it was said and not read.
				if (turn > 0) assert.ok(result.cachedTokens >= conversation.length - 12 - turn);
				const answer = result.choices[0]?.tokenIds ?? [];
				conversation = [...conversation, ...answer, ...tokens(turn + 9, 9 + (turn % 2))];
			}
		} finally {
			await kept.close();
			await cold.close();
		}
	}
});

test('an answer that fills the context to its end is the same in company', async () => {
	const alone = await loadEngine({ folder: models.int4, threads: 1, prefixCache: false });
	const engine = await loadEngine({ folder: models.int4, threads: 1 });
	try {
		const sampling = { ...greedy, temperature: 1.7, seed: 3, reproducible: true };
		const logitBias = { 257: -100 };
		const long = [shape.context - 1, shape.context - 2, 250].map((count) =>
			tokensRequest(tokens(count, count), {
				sampling: { ...sampling, logitBias },
				maxTokens: shape.context,
				topLogprobs: 0,
			}),
		);
		const expected: string[] = [];
		for (const request of long) expected.push(await ask(alone, request));
		const found = await Promise.all(
			[...long, careless(long[2] as GenerateRequest)].map((request) => ask(engine, request)),
		);
		assert.deepEqual(found.slice(0, 3), expected);
	} finally {
		await alone.close();
		await engine.close();
	}
});
