/** Both kinds of speaker models: features and graphs as numpy and PyTorch have them, and what is no such model. */

import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadEngine } from '../../../../server/engine/engine.ts';
import { describeModel } from '../../../../server/engine/modelFiles/describe.ts';
import { fbankBins, kaldiFbank } from '../../../../server/engine/speech/speakers/kaldiFbank.ts';
import { putSpeakerModels, speakerFixtures } from '../../../support/speakerModels.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';

interface Reference {
	readonly fbank: readonly (readonly number[])[];
	readonly embedding: readonly number[];
	readonly classes: readonly number[];
}

const reference = JSON.parse(
	await readFile(join(speakerFixtures, 'reference.json'), 'utf8'),
) as Reference;
/** As train.py makes it. */
const sound = Float32Array.from(
	{ length: 16_000 },
	(_, i) => halfEven(Math.sin(i ** 1.3 / 40) * 8000 + 3000 * Math.sin(i / 9)) / 32_768,
);

function halfEven(value: number): number {
	const rounded = Math.round(value);
	return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

const near = (found: ArrayLike<number>, wanted: readonly number[], within: number) => {
	assert.equal(found.length, wanted.length);
	for (const [index, value] of wanted.entries())
		assert.ok(
			Math.abs((found[index] ?? 0) - value) <= within,
			`${index}: ${found[index]} ${value}`,
		);
};

test('filter banks are those of numpy', () => {
	const features = kaldiFbank(sound, 'hamming');
	for (const [index, frame] of [0, 40, 97].entries())
		near(
			features.subarray(frame * fbankBins, (frame + 1) * fbankBins),
			reference.fbank[index] ?? [],
			2e-3,
		);
});

test('models of the hub’s layouts are recognised, and give what PyTorch gives', async () => {
	const folder = temporaryFolder('speaker-models');
	await putSpeakerModels(folder);
	const segmentation = await describeModel(join(folder, 'tiny-segmentation'));
	assert.deepEqual([segmentation.task, segmentation.problems], ['speaker-segmentation', []]);
	const voices = await describeModel(join(folder, 'tiny-embedding'));
	assert.deepEqual([voices.task, voices.problems], ['speaker-embedding', []]);

	const teller = await loadEngine({ folder: segmentation.folder, threads: 1 });
	const ten = new Float32Array(160_000);
	for (let at = 0; at < 10; at++) ten.set(sound, at * sound.length);
	const found = await teller.segmentSpeakers?.({ samples: ten });
	assert.equal(found?.classes.length, 589);
	assert.deepEqual(
		[...(found?.classes ?? [])].filter((_, frame) => frame % 20 === 0),
		reference.classes,
	);
	await assert.rejects(teller.embedVoice?.({ samples: sound }) ?? Promise.resolve(), /cannot/);
	await teller.close();

	const knower = await loadEngine({ folder: voices.folder, threads: 1 });
	const embedded = await knower.embedVoice?.({ samples: sound });
	near(embedded?.vector ?? [], reference.embedding, 2e-3);
	await assert.rejects(
		knower.embedVoice?.({ samples: new Float32Array(100) }) ?? Promise.resolve(),
		/0\.2 s/,
	);
	await knower.close();

	// One graph in the place of the other.
	const wrong = join(folder, 'tiny-wrong');
	await cp(join(folder, 'tiny-embedding'), wrong, { recursive: true });
	await writeFile(join(wrong, 'config.json'), '{"model_type":"pyannote"}');
	await assert.rejects(loadEngine({ folder: wrong, threads: 1 }), /does not give 7 classes/);
});
