/** What a request, a setting or a person may choose to translate: everything that has a name. */

import { type ModelInfo, readyChatModels } from '../../protocol/index.ts';
import type { TranslationSystem } from '../../protocol/routes/translationSystems.ts';
import type { InstalledModel } from './translateModels.ts';
import type { CustomSystems } from './translateSystems.ts';

/** The general system first, then custom ones, models for pairs, chat models with the best first. */
export async function listSystems(
	custom: CustomSystems,
	installed: () => Promise<readonly InstalledModel[]>,
	chatModels: () => Promise<readonly ModelInfo[]>,
): Promise<TranslationSystem[]> {
	const [own, models, chat] = await Promise.all([custom.list(), installed(), chatModels()]);
	return [
		{ name: 'general', kind: 'general' },
		...own.map(
			({ category, pairs }): TranslationSystem => ({
				name: category,
				kind: 'custom',
				pairs: pairs.map(({ from, to }) => `${from}-${to}`),
			}),
		),
		...models.map(
			({ info }): TranslationSystem => ({
				name: info.id,
				kind: 'model',
				model: info.id,
			}),
		),
		...readyChatModels(chat).map(
			({ id }): TranslationSystem => ({
				name: `chat:${id}`,
				kind: 'chat',
				model: id,
			}),
		),
	];
}
