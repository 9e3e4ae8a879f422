/** The prompt of a chat as the model gets it, as a text: as the model's own template writes it. */

import { withoutTurns } from '../../engine/text/historyTurns.ts';
import type { ModelHost } from '../host.ts';
import type { ObservedRequest } from './observedChat.ts';

/** @param omittedTurns oldest turns that the model was not given */
export async function renderPrompt(
	host: ModelHost,
	model: string,
	request: ObservedRequest,
	omittedTurns: number,
	signal: AbortSignal,
): Promise<string> {
	const { ownPrompt: own, messages, tools, functions, chat_template_kwargs: variables } = request;
	if (own?.text !== undefined) return own.text;
	const { id } = await host.resolve(model);
	const text = await host.textModel(id);
	const offered = request.tool_choice === 'none' ? undefined : (tools ?? functions);
	const prompt = {
		kind: 'chat' as const,
		messages: withoutTurns(messages, omittedTurns),
		...(offered === undefined
			? {}
			: { tools: offered.map(({ inputGrammar: _, ...tool }) => tool) }),
		...(variables === undefined ? {} : { templateVariables: variables }),
	};
	return await text.request('render', { prompt }, signal);
}
