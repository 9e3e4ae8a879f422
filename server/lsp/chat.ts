/** `nearglot/chat` and `nearglot/countTokens`: the daemon's chat route, streamed to the editor. */

import { isRecord } from '../protocol/errorBody.ts';
import type { ChatDelta, ChatEnd, ChatParams, Requests } from '../protocol/index.ts';
import { AppError, readAnswer } from '../protocol/index.ts';
import { type Caller, jsonInit } from './daemonLink.ts';

/** Asks the daemon and calls `onDelta` for every piece of the answer as it comes. */
export async function completeChat(
	link: Caller,
	params: ChatParams,
	onDelta: (delta: ChatDelta) => void,
	signal: AbortSignal,
): Promise<ChatEnd> {
	onDelta({ progress: { phase: 'connecting' } });
	const response = await link.call('/v1/chat/completions', jsonInit(chatBody(params)), signal);
	if (!response.body) throw new AppError('internal', 'The model server sent an empty answer.');
	return readAnswer(response.body, {
		model: params.model ?? '',
		onDelta,
		...(link.cut ? { cut: link.cut } : {}),
		signal,
	});
}

/** Exact number of prompt tokens the messages make. */
export async function countTokens(
	link: Caller,
	params: Requests['nearglot/countTokens']['params'],
	signal: AbortSignal,
): Promise<{ tokens: number }> {
	const path = '/v1/chat/completions/tokenizer/encode/count';
	const { model, messages, tools, truncation } = params;
	const counted = {
		...(model === undefined ? {} : { model }),
		messages,
		...(tools?.length ? { tools } : {}),
		...(truncation === undefined ? {} : { truncation }),
	};
	const body = await link.json(path, counted, signal);
	const tokens = isRecord(body) ? body['tokenCount'] : undefined;
	if (typeof tokens !== 'number') {
		throw new AppError('internal', 'The model server sent no token count.');
	}
	return { tokens };
}

function chatBody(params: ChatParams): Record<string, unknown> {
	return {
		...(params.model === undefined ? {} : { model: params.model }),
		messages: params.messages,
		...(params.temperature === undefined ? {} : { temperature: params.temperature }),
		...(params.maxTokens === undefined ? {} : { max_completion_tokens: params.maxTokens }),
		...(params.tools?.length ? { tools: params.tools } : {}),
		...(params.toolChoice === undefined ? {} : { tool_choice: toolChoice(params.toolChoice) }),
		...(params.truncation === undefined ? {} : { truncation: params.truncation }),
		stream: true,
		stream_options: { include_usage: true },
		return_progress: true,
	};
}

function toolChoice(choice: NonNullable<ChatParams['toolChoice']>): unknown {
	return typeof choice === 'string' ? choice : { type: 'function', function: choice };
}
