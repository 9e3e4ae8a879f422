/** Reads a model's profile from its folder, once per change of its files. */

import { describeModel } from '../engine/modelFiles/describe.ts';
import { generationSettings } from '../engine/modelFiles/generationSettings.ts';
import { readImageLayout } from '../engine/modelFiles/imageLayout.ts';
import { readChatTemplate } from '../engine/modelFiles/templateFile.ts';
import { reasoningTagsOf } from '../engine/template/reasoning.ts';
import { loadToolFormat } from '../engine/template/toolFormat.ts';
import { defined } from '../protocol/defined.ts';
import type { LoadProfile, ModelProfile } from '../services/chat/profile.ts';

/** {@link ModelProfile} of a folder as it is now. */
export async function readProfile(
	folder: string,
	fallbackTemplate: string | undefined,
): Promise<ModelProfile> {
	const [settings, own, toolFormat, description] = await Promise.all([
		generationSettings(folder),
		readChatTemplate(folder),
		loadToolFormat(folder),
		describeModel(folder),
	]);
	const template = own ?? fallbackTemplate;
	const images = description.seesImages === true ? await readImageLayout(folder) : undefined;
	return {
		sampling: {
			// Without sampling switched on, the publisher means greedy decoding.
			temperature: settings.doSample ? settings.temperature : 0,
			topP: settings.topP,
			topK: settings.topK,
			minP: settings.minP,
			repetitionPenalty: settings.repetitionPenalty,
		},
		toolFormat,
		reasoning: reasoningTagsOf(template),
		template,
		...defined({ images }),
		vocabularySize: description.vocabularySize,
	};
}

/**
 * @param stampOf changes when a file of the folder does
 * @param fallbackTemplate Jinja chat template for models that have none
 * @param read reads a profile, on the loop or aside
 */
export function createProfiles(
	stampOf: (folder: string) => Promise<string>,
	fallbackTemplate?: string,
	read: typeof readProfile = readProfile,
): LoadProfile {
	const known = new Map<
		string,
		{ readonly stamp: string; readonly profile: Promise<ModelProfile> }
	>();
	return async (folder) => {
		const stamp = await stampOf(folder);
		const found = known.get(folder);
		if (found?.stamp === stamp) return found.profile;
		const profile = read(folder, fallbackTemplate);
		known.set(folder, { stamp, profile });
		profile.catch(() => known.delete(folder));
		return profile;
	};
}
