/**
 * Chat models as translation systems: `chat` is the best one on this machine, `chat:NAME` the one of that name,
 * and the name of a chat model alone will do as well. `chat:ENGINE/MODEL` is one of an engine elsewhere, and no other
 * name asks one. They know no pairs, so they are only used by name.
 */

import { noChatModel } from '../../hub/downloadOffer.ts';
import { AppError, findModel, type ModelInfo, readyChatModels } from '../../protocol/index.ts';
import type { NamedUpstream, Upstreams } from '../../remote/upstreams/upstreams.ts';
import type { ModelHost } from '../host.ts';
import type { ChatModel } from './chatTranslator.ts';

/** What stands before the name of a chat model in the name of a system. */
const prefix = /^chat(?::|$)/i;

/** Whether the name of a system asks for a chat model. */
export const isChatName = (name: string): boolean => prefix.test(name);

/** Context of models whose files do not say. */
const usualContext = 2048;
/** The same of engines elsewhere, whose models are larger. */
const usualContextThere = 8192;

/** Engines elsewhere that may be asked for translations. */
export type ChatUpstreams = Pick<Upstreams, 'find' | 'list'>;

/**
 * The chat model a system is named after; `undefined` when none is called so.
 *
 * @throws AppError `model_not_found` when a chat model is asked for and is not here.
 */
export async function chatModelOf(
	host: ModelHost,
	name: string,
	upstreams?: Pick<ChatUpstreams, 'find'>,
): Promise<ChatModel | undefined> {
	const there = isChatName(name)
		? await upstreams?.find(name.replace(prefix, ''), 'translate').catch(notAllowed)
		: undefined;
	if (there !== undefined) return modelElsewhere(there);
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

async function modelElsewhere({ upstream, model, id }: NamedUpstream): Promise<ChatModel> {
	const models = await upstream.models().catch(() => upstream.lastModels);
	const { contextLength = usualContextThere } = models.find((one) => one.id === model) ?? {};
	return { id, contextLength };
}

/** Names the field of a request that the engine's own error does not know of. */
function notAllowed(error: unknown): never {
	if (!(error instanceof AppError)) throw error;
	throw new AppError(error.code, error.message, {
		param: 'category',
		data: { translatorCode: 400002 },
	});
}

const chatModel = ({ id, contextLength }: ModelInfo): ChatModel => ({
	id,
	contextLength: contextLength ?? usualContext,
});
