/**
 * Chat models as translation systems: `chat` is the best one on this machine, `chat:NAME` the one of that name,
 * and the name of a chat model alone will do as well. They know no pairs, so they are only used by name.
 */

import { noChatModel } from '../../hub/downloadOffer.ts';
import { AppError, findModel, type ModelInfo, readyChatModels } from '../../protocol/index.ts';
import type { ModelHost } from '../host.ts';
import type { ChatModel } from './chatTranslator.ts';

/** What stands before the name of a chat model in the name of a system. */
const prefix = /^chat(?::|$)/i;

/** Whether the name of a system asks for a chat model. */
export const isChatName = (name: string): boolean => prefix.test(name);

/** Context of models whose files do not say. */
const usualContext = 2048;

/**
 * The chat model a system is named after; `undefined` when none is called so.
 *
 * @throws AppError `model_not_found` when a chat model is asked for and is not here.
 */
export async function chatModelOf(host: ModelHost, name: string): Promise<ChatModel | undefined> {
	const ready = readyChatModels(await host.list('chat-completion'));
	const wanted = name.replace(prefix, '');
	const found = wanted === '' ? ready[0] : findModel(ready, wanted);
	if (found !== undefined) return chatModel(found);
	if (!isChatName(name)) return undefined;
	const here =
		ready.length === 0
			? 'No chat model is here yet.'
			: `Chat models here: ${ready.map(({ id }) => id).join(', ')}.`;
	const message = `There is no chat model '${wanted || 'chat'}'. ${here}`;
	const data = { translatorCode: 400002 };
	if (ready.length === 0) throw noChatModel(message, 'category', data);
	throw new AppError('model_not_found', message, { param: 'category', data });
}

const chatModel = ({ id, contextLength }: ModelInfo): ChatModel => ({
	id,
	contextLength: contextLength ?? usualContext,
});
