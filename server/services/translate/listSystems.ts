/** What a request, a setting or a person may choose to translate: everything that has a name. */

import { allowsUse, readyChatModels } from '../../protocol/index.ts';
import type { TranslationSystem } from '../../protocol/routes/translationSystems.ts';
import type { ModelHost } from '../host.ts';
import type { ChatUpstreams } from './chatSystems.ts';
import type { InstalledModel } from './translateModels.ts';
import type { CustomSystems } from './translateSystems.ts';

/** Where chat models are listed. */
export interface ChatModelLists {
	readonly host: Pick<ModelHost, 'list'>;
	readonly upstreams?: ChatUpstreams;
}

/**
 * The general system first, then custom ones, models for pairs, chat models with the best first, and those of
 * engines elsewhere.
 *
 * @param chat absent where chat models are no systems
 */
export async function listSystems(
	custom: CustomSystems,
	installed: () => Promise<readonly InstalledModel[]>,
	chat: ChatModelLists | undefined,
): Promise<TranslationSystem[]> {
	const [own, models, here, there] = await Promise.all([
		custom.list(),
		installed(),
		chat?.host.list('chat-completion') ?? [],
		chat?.upstreams?.list() ?? [],
	]);
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
		...readyChatModels(here).map(
			({ id }): TranslationSystem => ({
				name: `chat:${id}`,
				kind: 'chat',
				model: id,
			}),
		),
		...there
			.filter(
				({ task = 'chat-completion', uses }) =>
					task === 'chat-completion' && allowsUse(uses, 'translate'),
			)
			.map(
				({ fullId, host }): TranslationSystem => ({
					name: `chat:${fullId}`,
					kind: 'chat',
					model: fullId,
					host,
				}),
			),
	];
}
