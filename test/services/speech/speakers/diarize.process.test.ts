/** Recordings of one to four voices with overlap, by real models of the published interfaces: the error rate. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileSource } from '../../../../server/audio/audioSource.ts';
import { decodeAudio } from '../../../../server/audio/decodeAudio.ts';
import type { EngineModel } from '../../../../server/engine/api.ts';
import { loadEngine } from '../../../../server/engine/engine.ts';
import { diarize } from '../../../../server/services/speech/speakers/diarize.ts';
import { putSpeakerModels, speakerFixtures } from '../../../support/speakerModels.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { diarizationErrorRate } from './errorRate.ts';

let segmentation: Required<EngineModel>;
let embedding: Required<EngineModel>;
before(async () => {
	const folder = temporaryFolder('diarize');
	await putSpeakerModels(folder);
	const load = async (name: string) =>
		(await loadEngine({ folder: join(folder, name), threads: 1 })) as Required<EngineModel>;
	segmentation = await load('tiny-segmentation');
	embedding = await load('tiny-embedding');
});
after(() => Promise.all([segmentation.close(), embedding.close()]));

const talks = JSON.parse(await readFile(join(speakerFixtures, 'talks.json'), 'utf8')) as Record<
	string,
	[number, number, number][]
>;

test('the error rate is known by its parts', () => {
	const truth = [
		{ speaker: 0, start: 0, end: 10 },
		{ speaker: 1, start: 10, end: 20 },
	];
	const swapped = truth.map((turn) => ({ ...turn, speaker: 7 - turn.speaker }));
	assert.equal(diarizationErrorRate(truth, swapped), 0);
	assert.equal(diarizationErrorRate(truth, []), 1);
	const one = diarizationErrorRate(truth, [{ speaker: 0, start: 0, end: 20 }]);
	assert.ok(Math.abs(one - 0.5) < 0.01, String(one));
});

for (const [name, told] of Object.entries(talks))
	test(`${name}: at most 15 % of the time is wrong, and the number of voices is found`, async () => {
		await using source = await fileSource(join(speakerFixtures, `${name}.ogg`));
		const audio = await decodeAudio(source);
		const found = await diarize(audio.samples, { segmentation, embedding });
		await audio.close();
		const truth = told.map(([speaker, start, end]) => ({ speaker, start, end }));
		const rate = diarizationErrorRate(truth, found);
		const voices = (turns: typeof truth) => new Set(turns.map(({ speaker }) => speaker)).size;
		console.log(
			`measured ${name}: ${(100 * rate).toFixed(1)} % wrong, ${voices(found)} of ${voices(truth)} voices`,
		);
		assert.equal(voices(found), voices(truth));
		assert.ok(rate <= 0.15, `${(100 * rate).toFixed(1)} %`);
	});
