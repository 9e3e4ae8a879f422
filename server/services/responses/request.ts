/** A request to `/v1/responses` in the words of chat completions. */

import { defined } from '../../protocol/defined.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import { messagesOfItems, type ResponseItem } from '../../protocol/routes/responseItems.ts';
import type { ResponsesRequest } from '../../protocol/routes/responses.ts';

/**
 * The same question in the words of chat completions.
 * @param items what comes before the input, and the input
 */
export function chatOf(
	request: ResponsesRequest,
	items: readonly ResponseItem[] = request.input,
): ChatRequest {
	const { instructions, text, reasoning } = request;
	const format = text?.format;
	const wantsLogprobs =
		request.top_logprobs !== undefined ||
		request.include?.includes('message.output_text.logprobs') === true;
	const same = pick(request, [
		'model',
		'temperature',
		'top_p',
		'truncation',
		'tools',
		'tool_choice',
		'parallel_tool_calls',
		'user',
		'metadata',
		'ep',
		'exact',
		'ttl',
	]);
	return {
		...same,
		messages: [
			...(instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }]),
			...messagesOfItems(items),
		],
		...defined({ max_tokens: request.max_output_tokens }),
		...(wantsLogprobs ? { logprobs: true, top_logprobs: request.top_logprobs ?? 0 } : {}),
		...(reasoning?.effort === undefined ? {} : { reasoning_effort: reasoning.effort }),
		...(format === undefined
			? {}
			: {
					response_format: {
						type: format.type,
						...(format.type === 'json_schema'
							? { json_schema: format.schema === undefined ? {} : { schema: format.schema } }
							: {}),
					},
				}),
	};
}

function pick<T extends object, const K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
	const out: Partial<T> = {};
	for (const key of keys) if (value[key] !== undefined) out[key] = value[key];
	return out as Pick<T, K>;
}
