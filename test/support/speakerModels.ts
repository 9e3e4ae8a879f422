/** The two tiny speaker models of test/fixtures/speakers as a folder of models. */

import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the fixtures: models, a recording and its turns. */
export const speakerFixtures = fileURLToPath(new URL('../fixtures/speakers', import.meta.url));

const configs = {
	segmentation: {
		model_type: 'pyannote',
		architectures: ['PyAnnoteForAudioFrameClassification'],
	},
	embedding: { model_type: 'wespeaker-resnet', architectures: ['WeSpeakerResNetModel'] },
} as const;

/** Puts both below a folder, in the layout of the hub. */
export async function putSpeakerModels(folder: string): Promise<void> {
	for (const [name, config] of Object.entries(configs)) {
		const target = join(folder, `tiny-${name}`);
		await mkdir(join(target, 'onnx'), { recursive: true });
		await cp(join(speakerFixtures, name, 'onnx'), join(target, 'onnx'), { recursive: true });
		await writeFile(join(target, 'config.json'), JSON.stringify(config));
	}
}
