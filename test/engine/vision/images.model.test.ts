/** Models that see: an image is read where it stands, as the vectors of its encoder. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { EngineModel, GenerateRequest } from '../../../server/engine/api.ts';
import { loadEngine } from '../../../server/engine/engine.ts';
import { readImageHeader } from '../../../server/engine/modelFiles/imageHeader.ts';
import { readImageLayout } from '../../../server/engine/modelFiles/imageLayout.ts';
import { planImage } from '../../../server/engine/modelFiles/imagePlan.ts';
import { tinyShape, writeDecoderModel } from '../../fixtures/decoderModel.ts';
import { greedy } from '../../fixtures/greedy.ts';
import { pngImage } from '../../fixtures/pngImage.ts';
import { imageToken, type VisionKind, writeVisionModel } from '../../fixtures/visionModel.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const folder = temporaryFolder();
/** The same weights, fed with tokens alone. */
const reader = await loadEngine({
	folder: writeDecoderModel(join(folder, 'text'), {
		attention: 'gqa',
		seed: 7,
		shape: { ...tinyShape, context: 512 },
	}),
});
after(() => reader.close());

const ask = (prompt: GenerateRequest['prompt'], owner?: string): GenerateRequest => ({
	prompt,
	sampling: greedy,
	maxTokens: 6,
	stop: [],
	n: 1,
	topLogprobs: 3,
	priority: 'interactive',
	owner,
});

async function answer(model: EngineModel, prompt: GenerateRequest['prompt'], owner?: string) {
	const { choices, ...rest } = await model.generate(ask(prompt, owner), () => {});
	return { ...rest, ids: choices[0]?.tokenIds, logprobs: choices[0]?.logprobs };
}

/** A question about an image, as services put it. */
async function about(model: string, image: Buffer): Promise<GenerateRequest['prompt']> {
	const layout = await readImageLayout(model);
	assert.ok(layout);
	const { text } = planImage(layout, readImageHeader(image, 'image'), 'auto');
	return {
		kind: 'chat',
		messages: [{ role: 'user', content: 'see?', images: [{ fromEnd: 1, text }] }],
		imageMark: layout.mark,
		images: [{ bytes: image, detail: 'auto' }],
	};
}

const bytesOf = (text: string) => [...Buffer.from(text)];
const four = (token: number) => [token, token, token, token];

/** Left 65, right 90 above; 70 and 100 below. */
const quarters = pngImage(32, 32, (x, y) => (y < 16 ? (x < 16 ? 65 : 90) : x < 16 ? 70 : 100));
const whole = pngImage(20, 20, () => 77);

/** What the model reads in the place of an image, in tokens of the same embeddings. */
const cases: readonly {
	readonly kind: VisionKind;
	readonly image: Buffer;
	readonly tokens: readonly number[];
}[] = [
	{
		kind: 'idefics3',
		image: quarters,
		tokens: [
			...[260, 262, ...four(65), 260, 263, ...four(90), 10],
			...[260, 264, ...four(70), 260, 265, ...four(100), 10],
			...[10, 260, 261, ...four(81), 260],
		],
	},
	{
		kind: 'gemma3',
		image: whole,
		tokens: [10, 10, 260, ...four(77), 261, 10, 10],
	},
	{
		kind: 'qwen2_vl',
		image: pngImage(16, 16, (x, y) => (y < 8 ? (x < 8 ? 65 : 90) : x < 8 ? 70 : 100)),
		tokens: [260, 65, 90, 70, 100, 261],
	},
];

for (const { kind, image, tokens } of cases)
	describe(`the layout of ${kind}`, async () => {
		const path = writeVisionModel(join(folder, kind), kind);
		const model = await loadEngine({ folder: path });
		after(() => model.close());

		it('reads an image as the tokens whose vectors it has', async () => {
			assert.equal(model.description.seesImages, true);
			const prompt = [...bytesOf('see'), ...tokens, ...bytesOf('?')];
			const expected = await answer(reader, { kind: 'tokens', tokens: prompt });
			const found = await answer(model, await about(path, image));
			assert.deepEqual(found.ids, expected.ids);
			assert.equal(found.promptTokens, prompt.length);
			for (const [index, { logprob }] of (expected.logprobs ?? []).entries())
				assert.ok(Math.abs(logprob - (found.logprobs?.[index]?.logprob ?? 0)) < 1e-3);
		});

		it('keeps what it has read of an image for its owner, and tells it from another one', async () => {
			const question = await about(path, image);
			const first = await answer(model, question, 'ada');
			const again = await answer(model, question, 'ada');
			assert.equal(again.cachedTokens, first.promptTokens - 1);
			assert.deepEqual(again.ids, first.ids);
			const other = pngImage(32, 32, () => 12);
			const alone = await answer(model, await about(path, other));
			const beside = await answer(model, await about(path, other), 'ada');
			assert.ok(beside.cachedTokens < 12, `${beside.cachedTokens} tokens of another image`);
			assert.deepEqual(beside.ids, alone.ids);
			assert.equal((await answer(model, question, 'ben')).cachedTokens, 0);
		});

		it('refuses its own marks in a text, and images that are damaged', async () => {
			const question = await about(path, image);
			assert.ok(question.kind === 'chat');
			const mark = question.imageMark ?? '';
			const [message] = question.messages;
			const marked = { ...question, messages: [{ ...message, content: `${mark}?` }] };
			await assert.rejects(
				answer(model, marked as GenerateRequest['prompt']),
				/own mark for (an image|a part of an image)/,
			);
			const damaged = { ...question, images: [{ bytes: image.subarray(0, 50), detail: 'auto' }] };
			await assert.rejects(answer(model, damaged as GenerateRequest['prompt']), /damaged/);
			// One that was refused leaves nothing behind.
			assert.deepEqual((await answer(model, question)).ids, (await answer(model, question)).ids);
		});

		it('reads texts alone', async () => {
			const text = { kind: 'chat', messages: [{ role: 'user', content: 'see?' }] } as const;
			const expected = await answer(reader, { kind: 'tokens', tokens: bytesOf('see?') });
			assert.deepEqual((await answer(model, text)).ids, expected.ids);
			assert.equal(imageToken, 259);
		});
	});
