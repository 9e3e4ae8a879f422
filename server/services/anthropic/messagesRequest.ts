/** A request to `/v1/messages` in the words of chat completions. */

import { defined } from '../../protocol/defined.ts';
import type { ChatMessage } from '../../protocol/index.ts';
import type {
	AnthropicCountRequest,
	AnthropicRequest,
} from '../../protocol/routes/anthropicMessages.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';

/** The same question in the words of chat completions. */
export function chatOfAnthropic(
	request: AnthropicCountRequest & Partial<AnthropicRequest>,
): ChatRequest {
	const { model, system, messages, tools, tool_choice: chosen, thinking } = request;
	const { effort, format } = request.output_config ?? {};
	const first: ChatMessage[] =
		system === undefined || system === '' ? [] : [{ role: 'system', content: system }];
	const { temperature, top_p, top_k, max_tokens, ep, exact, ttl } = request;
	return {
		model,
		messages: [...first, ...messages],
		...defined({
			...{ temperature, top_p, top_k, max_tokens, ep, exact, ttl, tools },
			stop: request.stop_sequences,
			user: request.metadata?.user_id,
			tool_choice: chosen?.choice,
			parallel_tool_calls: chosen?.parallel,
			reasoning_effort: effort === 'max' ? ('xhigh' as const) : effort,
		}),
		...(thinking === undefined
			? {}
			: { chat_template_kwargs: { enable_thinking: thinking.type !== 'disabled' } }),
		...(format === undefined
			? {}
			: {
					response_format: {
						type: 'json_schema' as const,
						json_schema: { schema: format.schema },
					},
				}),
	};
}

/** What chat completions calls a field, and what the caller called it. */
export const anthropicNames: ReadonlyMap<string, string> = new Map([
	['chat_template_kwargs.enable_thinking', 'thinking'],
	['reasoning_effort', 'output_config.effort'],
]);
