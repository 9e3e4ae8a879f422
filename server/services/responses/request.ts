/** A request to `/v1/responses` in the words of chat completions. */

import { defined } from '../../protocol/defined.ts';
import type { ToolDefinition } from '../../protocol/index.ts';
import type { ChatRequest } from '../../protocol/routes/chat.ts';
import { messagesOfItems, type ResponseItem } from '../../protocol/routes/responseItems.ts';
import type { ResponsesRequest } from '../../protocol/routes/responses.ts';
import type { CustomTool, ResponseTool } from '../../protocol/routes/responseTools.ts';
import { inputGrammar } from './inputGrammar.ts';

/**
 * The same question in the words of chat completions.
 * @param items what comes before the input, and the input
 * @throws AppError `unsupported_parameter` for the grammar of a custom tool that cannot be enforced
 */
export function chatOf(
	request: ResponsesRequest,
	items: readonly ResponseItem[] = request.input,
): ChatRequest {
	const { instructions, text, reasoning, tools } = request;
	const format = text?.format;
	const wantsLogprobs =
		request.top_logprobs !== undefined ||
		request.include?.includes('message.output_text.logprobs') === true;
	const same = pick(request, [
		'model',
		'temperature',
		'top_p',
		'truncation',
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
		...(tools === undefined ? {} : { tools: tools.map(asFunction) }),
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

const textInput = {
	type: 'object',
	properties: { input: { type: 'string' } },
	required: ['input'],
	additionalProperties: false,
};

/** A custom tool is a function with one text, which its grammar may hold. */
function asFunction(tool: ResponseTool, index: number): ToolDefinition {
	if (tool.type === 'function') return tool;
	const { name, format } = tool;
	const description = described(tool);
	const grammar =
		format?.type === 'grammar'
			? inputGrammar(format, `tools[${index}].format.definition`)
			: undefined;
	return {
		type: 'function',
		function: { name, ...defined({ description }), parameters: textInput },
		...defined({ inputGrammar: grammar }),
	};
}

function described({ description, format }: CustomTool): string | undefined {
	if (format?.type !== 'grammar') return description;
	const { syntax = '', definition = '' } = format;
	const rule = `The input follows this ${syntax} grammar:\n${definition}`;
	return description === undefined ? rule : `${description}\n${rule}`;
}

function pick<T extends object, const K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
	const out: Partial<T> = {};
	for (const key of keys) if (value[key] !== undefined) out[key] = value[key];
	return out as Pick<T, K>;
}
