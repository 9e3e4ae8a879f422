/** Models that compute every text alone still read a text once for all of its target languages. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { generationSettings } from '../../server/engine/modelFiles/generationSettings.ts';
import type { EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import { Translator } from '../../server/engine/seq2seq/translator.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { sharedFolder } from '../support/sharedData.ts';
import { refused, whileRewrites } from './rewrites.ts';

const { path: folder, skip } = sharedFolder('models-tiny', 'm2m100-tjs');

test('a dynamically quantised model of all languages encodes a source once for its targets', {
	skip,
}, async () => {
	const description = await describeModel(folder);
	const variant = description.variants.find(({ files }) => files.encoder?.includes('quantized'));
	assert.ok(variant, 'the folder has a quantised variant');
	const runtime = await openRuntime(false);
	const session = { threads: 1 };
	// As published, since rows with scales of their own are computed together.
	const model = await whileRewrites(false, refused, () =>
		openEncoderDecoder({ description, variant, runtime, session }),
	);
	assert.equal(model.batchInvariant, false);
	let reads = 0;
	const counting: EncoderDecoder = {
		...model,
		encode: (inputs, signal) => {
			reads++;
			return model.encode(inputs, signal);
		},
	};
	const translator = new Translator({
		model: counting,
		text: await loadTextModel(folder),
		settings: await generationSettings(folder),
		contextLength: 128,
		alignment: undefined,
	});
	try {
		const items = ['The small house.', 'Another one.'].flatMap((text) =>
			['de', 'fr', 'es'].map((targetLanguage) => ({ text, sourceLanguage: 'en', targetLanguage })),
		);
		const request = { beams: 1, maxTokens: 10, priority: 'batch' } as const;
		const { outputs } = await translator.run({ ...request, items });
		assert.equal(reads, 2);
		for (const [index, item] of items.entries()) {
			const again = new Translator({
				model,
				text: await loadTextModel(folder),
				settings: await generationSettings(folder),
				contextLength: 128,
				alignment: undefined,
			});
			const [alone] = (await again.run({ ...request, items: [item] })).outputs;
			assert.deepEqual(
				outputs[index]?.tokenIds,
				alone?.tokenIds,
				`${item.text} ${item.targetLanguage}`,
			);
		}
	} finally {
		await translator.close();
		model.close();
	}
});
