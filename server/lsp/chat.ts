/** `nearglot/chat` and `nearglot/countTokens`: the daemon's chat route, streamed to the editor. */

import type {
	ChatDelta,
	ChatParams,
	ChatProgress,
	ChatResult,
	FinishReason,
	Requests,
	Timings,
	ToolCall,
	Usage,
} from '../protocol/index.ts';
import { AppError } from '../protocol/index.ts';
import { type DaemonLink, jsonInit } from './daemonLink.ts';
import { chatModel } from './models.ts';
import { errorOfBody, isRecord } from './responseError.ts';
import { readEvents } from './sse.ts';

/** Asks the daemon and calls `onDelta` for every piece of the answer as it comes. */
export async function completeChat(
	link: DaemonLink,
	params: ChatParams,
	onDelta: (delta: ChatDelta) => void,
	signal: AbortSignal,
): Promise<ChatResult> {
	onDelta({ progress: { phase: 'connecting' } });
	const model = await chatModel(link, params.model, signal);
	onDelta({ progress: { phase: model.loaded ? 'prompt' : 'loading' } });
	const body = chatBody({ ...params, model: model.id });
	const response = await link.call('/v1/chat/completions', jsonInit(body), signal);
	if (!response.body) throw new AppError('internal', 'The model server sent an empty answer.');
	const answer = new Answer(model.id);
	try {
		for await (const event of readEvents(response.body)) {
			if (event.data === '[DONE]') break;
			answer.add(JSON.parse(event.data), onDelta);
		}
	} catch (error) {
		if (signal.aborted) throw new AppError('cancelled', undefined, { cause: error });
		if (error instanceof AppError) throw error;
		throw new AppError(
			'daemon_unavailable',
			'The model server ended in the middle of the answer. Ask again: it starts anew.',
			{ cause: error },
		);
	}
	return answer.result();
}

/** Exact number of prompt tokens the messages make. */
export async function countTokens(
	link: DaemonLink,
	params: Requests['nearglot/countTokens']['params'],
	signal: AbortSignal,
): Promise<{ tokens: number }> {
	const body = await link.json('/openai/tokenizer/encode/count', params, signal);
	const tokens = isRecord(body)
		? (body['tokenCount'] ?? body['tokens'] ?? body['count'])
		: undefined;
	if (typeof tokens !== 'number') {
		throw new AppError('internal', 'The model server sent no token count.');
	}
	return { tokens };
}

function chatBody(params: ChatParams): Record<string, unknown> {
	return {
		model: params.model,
		messages: params.messages,
		...(params.temperature === undefined ? {} : { temperature: params.temperature }),
		...(params.maxTokens === undefined ? {} : { max_completion_tokens: params.maxTokens }),
		...(params.tools?.length ? { tools: params.tools } : {}),
		...(params.toolChoice === undefined ? {} : { tool_choice: toolChoice(params.toolChoice) }),
		stream: true,
		stream_options: { include_usage: true },
	};
}

function toolChoice(choice: NonNullable<ChatParams['toolChoice']>): unknown {
	return typeof choice === 'string' ? choice : { type: 'function', function: choice };
}

/** Puts the chunks of one answer together. */
class Answer {
	#text = '';
	#reasoning = '';
	#model: string;
	#finish: FinishReason = 'stop';
	#usage: Usage | undefined;
	#timings: Timings | undefined;
	readonly #calls: { id: string; name: string; arguments: string }[] = [];

	constructor(model: string) {
		this.#model = model;
	}

	add(chunk: unknown, onDelta: (delta: ChatDelta) => void): void {
		const failure = errorOfBody(chunk, 500);
		if (failure) throw failure;
		if (!isRecord(chunk)) return;
		if (typeof chunk['model'] === 'string') this.#model = chunk['model'];
		if (isRecord(chunk['usage'])) this.#usage = chunk['usage'] as unknown as Usage;
		if (isRecord(chunk['timings'])) this.#timings = chunk['timings'] as unknown as Timings;
		const progress = progressOf(chunk);
		if (progress) onDelta({ progress });
		const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
		if (!isRecord(choice)) return;
		if (typeof choice['finish_reason'] === 'string') {
			this.#finish = choice['finish_reason'] as FinishReason;
		}
		if (isRecord(choice['delta'])) this.#delta(choice['delta'], onDelta);
	}

	#delta(delta: Record<string, unknown>, onDelta: (delta: ChatDelta) => void): void {
		const { content, reasoning_content: reasoning, tool_calls: calls } = delta;
		if (typeof content === 'string' && content !== '') {
			this.#text += content;
			onDelta({ text: content });
		}
		if (typeof reasoning === 'string' && reasoning !== '') {
			this.#reasoning += reasoning;
			onDelta({ reasoning });
		}
		if (Array.isArray(calls)) for (const call of calls) this.#call(call);
	}

	#call(call: unknown): void {
		if (!isRecord(call)) return;
		const index = typeof call['index'] === 'number' ? call['index'] : this.#calls.length;
		this.#calls[index] ??= { id: '', name: '', arguments: '' };
		const target = this.#calls[index];
		if (typeof call['id'] === 'string') target.id = call['id'];
		if (!isRecord(call['function'])) return;
		if (typeof call['function']['name'] === 'string') target.name += call['function']['name'];
		if (typeof call['function']['arguments'] === 'string') {
			target.arguments += call['function']['arguments'];
		}
	}

	result(): ChatResult {
		const toolCalls: ToolCall[] = this.#calls.map(({ id, name, arguments: text }) => ({
			id,
			type: 'function',
			function: { name, arguments: text },
		}));
		return {
			text: this.#text,
			...(this.#reasoning === '' ? {} : { reasoning: this.#reasoning }),
			toolCalls,
			finishReason: this.#finish,
			model: this.#model,
			...(this.#usage ? { usage: this.#usage } : {}),
			...(this.#timings ? { timings: this.#timings } : {}),
		};
	}
}

/** Progress as the daemon tells it: its own `progress` object, or llama.cpp's `prompt_progress`. */
function progressOf(chunk: Record<string, unknown>): ChatProgress | undefined {
	const own = chunk['progress'];
	if (isRecord(own)) {
		const { phase, fraction, ahead } = own;
		if (phase !== 'queued' && phase !== 'loading' && phase !== 'prompt') return undefined;
		return {
			phase,
			...(typeof fraction === 'number' ? { fraction } : {}),
			...(typeof ahead === 'number' ? { ahead } : {}),
		};
	}
	const prompt = chunk['prompt_progress'];
	if (!isRecord(prompt)) return undefined;
	const { processed, total } = prompt;
	if (typeof processed !== 'number' || typeof total !== 'number' || total <= 0) return undefined;
	return { phase: 'prompt', fraction: Math.min(1, processed / total) };
}
