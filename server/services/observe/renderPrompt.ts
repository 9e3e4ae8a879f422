/** The prompt of a chat as the model gets it, as a text: as the model's own template writes it. */

import { withoutTurns } from '../../engine/text/historyTurns.ts';
import { shownTools } from '../chat/customCalls.ts';
import type { LoadProfile } from '../chat/profile.ts';
import { seenMessages } from '../chat/promptImages.ts';
import type { ModelHost } from '../host.ts';
import type { ObservedRequest } from './observedChat.ts';

/** @param omittedTurns oldest turns that the model was not given */
export async function renderPrompt(
	host: ModelHost,
	model: string,
	request: ObservedRequest,
	omittedTurns: number,
	signal: AbortSignal,
	profile: LoadProfile,
): Promise<string> {
	const { ownPrompt: own, messages, chat_template_kwargs: variables } = request;
	if (own?.text !== undefined) return own.text;
	const { id, folder } = await host.resolve(model);
	const text = await host.textModel(id);
	const offered = request.tool_choice === 'none' ? [] : shownTools(request);
	const prompt = {
		kind: 'chat' as const,
		...seenMessages(withoutTurns(messages, omittedTurns), await profile(folder ?? ''), id),
		...(offered.length === 0 ? {} : { tools: offered }),
		...(variables === undefined ? {} : { templateVariables: variables }),
	};
	return await text.request('render', { prompt }, signal);
}
