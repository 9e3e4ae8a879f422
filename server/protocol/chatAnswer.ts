/** A streamed chat answer, put together from its chunks. */

import type { FinishReason, Timings, ToolCall, Usage } from './chatTypes.ts';
import { defined } from './defined.ts';
import { streamCut, streamEvents } from './eventStream.ts';
import type { ChatDelta, ChatEnd, ChatProgress } from './methods.ts';
import type { chatCompletions } from './routes/chat.ts';
import type { EventOf } from './routes/route.ts';

/** What a reader needs besides the answer. */
export interface AnswerReading {
	/** Name of the model until the answer says its own. */
	readonly model: string;
	readonly onDelta: (delta: ChatDelta) => void;
	/** The error for a stream that stops before its end; default: that of this computer's server. */
	readonly cut?: typeof streamCut;
	readonly signal: AbortSignal;
}

type Chunk = EventOf<typeof chatCompletions>;
type Choice = Chunk['choices'][number];
type ToolCallPart = NonNullable<Choice['delta']['tool_calls']>[number];
/** Servers of others leave out what they do not know, or write `null`. */
type Sent<T> = { readonly [K in keyof T]?: T[K] | null };

/**
 * Reads a streamed answer to its end: `[DONE]`, or the reason why the model stopped. Anything else is
 * an answer that was cut off.
 */
export async function readAnswer(
	response: Response,
	{ model, onDelta, cut = streamCut, signal }: AnswerReading,
): Promise<ChatEnd> {
	const answer = new ChatAnswer(model);
	const cutOff = (cause: unknown) => (answer.hasEnded ? undefined : cut('answer', cause));
	for await (const chunk of streamEvents<Sent<Chunk>>(response, { cut: cutOff, signal }))
		answer.add(chunk, onDelta);
	return answer.result();
}

/** Puts the chunks of one answer together; its words are handed on and not kept. */
class ChatAnswer {
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

	/** Takes one chunk (the parsed JSON of one event). */
	add(chunk: Sent<Chunk>, onDelta: (delta: ChatDelta) => void): void {
		const { model, usage, timings, omitted_turns: omittedTurns } = chunk;
		if (model) this.#model = model;
		if (usage) this.#usage = usage;
		if (timings) this.#timings = timings;
		if (omittedTurns != null && this.#omittedTurns === undefined) {
			this.#omittedTurns = omittedTurns;
			onDelta({ omittedTurns });
		}
		const progress = progressOf(chunk);
		if (progress) onDelta({ progress });
		const choice: Sent<Choice> = chunk.choices?.[0] ?? {};
		if (choice.finish_reason) this.#finish = choice.finish_reason;
		const {
			content,
			reasoning_content: reasoning,
			tool_calls: calls,
		}: Sent<Choice['delta']> = choice.delta ?? {};
		if (content) onDelta({ text: content });
		if (reasoning) onDelta({ reasoning });
		for (const call of calls ?? []) this.#call(call);
	}

	#call({ index, id, function: called }: Sent<ToolCallPart>): void {
		const place = index ?? this.#calls.length;
		const known = this.#calls[place] ?? { id: '', name: '', arguments: '' };
		this.#calls[place] = {
			id: id || known.id,
			name: known.name + (called?.name ?? ''),
			arguments: known.arguments + (called?.arguments ?? ''),
		};
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
			...defined({ omittedTurns: this.#omittedTurns }),
		};
	}
}

/** Progress as the daemon tells it: its own `progress` object, or llama.cpp's `prompt_progress`. */
function progressOf({ progress, prompt_progress: prompt }: Sent<Chunk>): ChatProgress | undefined {
	if (progress) {
		const { expected_ms: expectedMs, ...told } = progress;
		return { ...told, ...defined({ expectedMs }) };
	}
	return prompt && prompt.total > 0
		? { phase: 'prompt', fraction: Math.min(1, prompt.processed / prompt.total) }
		: undefined;
}
