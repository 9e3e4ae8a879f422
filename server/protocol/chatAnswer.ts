/** A streamed chat answer, put together from its chunks. */

import type { FinishReason, Timings, ToolCall, Usage } from './chat.ts';
import { errorOfBody, isRecord } from './errorBody.ts';
import { AppError } from './errors.ts';
import type { ChatDelta, ChatEnd, ChatProgress } from './methods.ts';
import { readEvents } from './sse.ts';

/** What a reader needs besides the bytes. */
export interface AnswerReading {
	/** Name of the model until the answer says its own. */
	readonly model: string;
	readonly onDelta: (delta: ChatDelta) => void;
	/** The error for a stream that stops before its end; `cause` is what broke it, when anything did. */
	readonly cut?: (cause?: unknown) => AppError;
	readonly signal: AbortSignal;
}

/** A stream of the model server of this computer stopped before its end. */
export function answerCut(cause?: unknown): AppError {
	return new AppError(
		'daemon_unavailable',
		'The model server ended in the middle of the answer. Ask again: it starts anew.',
		{ cause },
	);
}

/**
 * Reads a streamed answer to its end: `[DONE]`, or the reason why the model stopped. Anything else is
 * an answer that was cut off, however politely the connection was closed.
 */
export async function readAnswer(
	body: AsyncIterable<Uint8Array>,
	{ model, onDelta, cut = answerCut, signal }: AnswerReading,
): Promise<ChatEnd> {
	const answer = new ChatAnswer(model);
	let cause: unknown;
	try {
		for await (const { data } of readEvents(body)) {
			if (data === '[DONE]') return answer.result();
			answer.add(JSON.parse(data), onDelta);
		}
	} catch (error) {
		if (error instanceof AppError) throw error;
		cause = error;
	}
	if (answer.hasEnded) return answer.result();
	if (signal.aborted) throw new AppError('cancelled', undefined, { cause });
	throw cut(cause);
}

/** Puts the chunks of one answer together; its words are handed on and not kept. */
export class ChatAnswer {
	#model: string;
	#finish: FinishReason | undefined;
	#usage: Usage | undefined;
	#timings: Timings | undefined;
	#omittedTurns: number | undefined;
	readonly #calls: { id: string; name: string; arguments: string }[] = [];

	constructor(model: string) {
		this.#model = model;
	}

	/** Whether the model has said why it stopped. */
	get hasEnded(): boolean {
		return this.#finish !== undefined;
	}

	/** Takes one chunk (the parsed JSON of one event); throws the error it may carry. */
	add(chunk: unknown, onDelta: (delta: ChatDelta) => void): void {
		const failure = errorOfBody(chunk, 500);
		if (failure) throw failure;
		if (!isRecord(chunk)) return;
		if (typeof chunk['model'] === 'string' && chunk['model'] !== '') this.#model = chunk['model'];
		if (isRecord(chunk['usage'])) this.#usage = chunk['usage'] as unknown as Usage;
		if (isRecord(chunk['timings'])) this.#timings = chunk['timings'] as unknown as Timings;
		const { omitted_turns: omittedTurns } = chunk;
		if (typeof omittedTurns === 'number' && this.#omittedTurns === undefined) {
			this.#omittedTurns = omittedTurns;
			onDelta({ omittedTurns });
		}
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
		if (typeof content === 'string' && content !== '') onDelta({ text: content });
		if (typeof reasoning === 'string' && reasoning !== '') onDelta({ reasoning });
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

	/** What is known after the last chunk. */
	result(): ChatEnd {
		const toolCalls: ToolCall[] = this.#calls.map(({ id, name, arguments: text }) => ({
			id,
			type: 'function',
			function: { name, arguments: text },
		}));
		return {
			toolCalls,
			finishReason: this.#finish ?? 'stop',
			model: this.#model,
			...(this.#usage ? { usage: this.#usage } : {}),
			...(this.#timings ? { timings: this.#timings } : {}),
			...(this.#omittedTurns === undefined ? {} : { omittedTurns: this.#omittedTurns }),
		};
	}
}

/** Progress as the daemon tells it: its own `progress` object, or llama.cpp's `prompt_progress`. */
function progressOf(chunk: Record<string, unknown>): ChatProgress | undefined {
	const own = chunk['progress'];
	if (isRecord(own)) {
		const { phase, fraction, place, expected_ms: expectedMs } = own;
		if (phase !== 'queued' && phase !== 'loading' && phase !== 'prompt') return undefined;
		return {
			phase,
			...(typeof fraction === 'number' ? { fraction } : {}),
			...(typeof place === 'number' ? { place } : {}),
			...(typeof expectedMs === 'number' ? { expectedMs } : {}),
		};
	}
	const prompt = chunk['prompt_progress'];
	if (!isRecord(prompt)) return undefined;
	const { processed, total } = prompt;
	if (typeof processed !== 'number' || typeof total !== 'number' || total <= 0) return undefined;
	return { phase: 'prompt', fraction: Math.min(1, processed / total) };
}
