/** `nearglot/chat` and `nearglot/countTokens`: the daemon's chat route, streamed to the editor. */

import { conversationHeaders } from '../protocol/conversationHeader.ts';
import { defined } from '../protocol/defined.ts';
import type { ChatDelta, ChatEnd, ChatParams, Requests } from '../protocol/index.ts';
import { readAnswer } from '../protocol/index.ts';
import { chatCompletions, countChatTokens } from '../protocol/routeAddresses.ts';
import type { Client } from '../protocol/routeClient.ts';
import { wireMessages } from '../protocol/wireMessages.ts';

/** Asks the daemon and calls `onDelta` for every piece of the answer as it comes. */
export async function completeChat(
	client: Client,
	params: ChatParams,
	onDelta: (delta: ChatDelta) => void,
	signal: AbortSignal,
): Promise<ChatEnd> {
	onDelta({ progress: { phase: 'connecting' } });
	const { model = '', messages, temperature, maxTokens, tools, toolChoice, truncation } = params;
	const body = {
		messages: wireMessages(messages),
		...defined({
			model: params.model,
			temperature,
			max_completion_tokens: maxTokens,
			tools: tools?.length ? tools : undefined,
			tool_choice:
				typeof toolChoice === 'object' ? { type: 'function', function: toolChoice } : toolChoice,
			truncation,
		}),
		stream: true,
		stream_options: { include_usage: true },
		return_progress: true,
	};
	const headers = conversationHeaders(params.conversation);
	const response = await client.open(chatCompletions, { body, headers }, { signal });
	return readAnswer(response, { model, onDelta, cut: client.cut, signal });
}

/** Exact number of prompt tokens the messages make. */
export async function countTokens(
	client: Client,
	{ model, messages, tools, truncation }: Requests['nearglot/countTokens']['params'],
	signal: AbortSignal,
): Promise<{ tokens: number }> {
	const given = defined({ model, tools: tools?.length ? tools : undefined, truncation });
	const body = { messages: wireMessages(messages), ...given };
	const { tokenCount } = await client.call(countChatTokens, { body }, { signal });
	return { tokens: tokenCount };
}
