/** One request to a chat model as a span, in the attribute names of OpenTelemetry's GenAI conventions. */

import { asAppError } from '../../protocol/index.ts';
import type { ChatEvent, ChatOutcome } from '../chat/chatService.ts';
import { shownTools } from '../chat/customCalls.ts';
import type { ObservedRequest } from './observedChat.ts';

export type TraceValue = string | number | boolean | string[];

export interface TraceFacts {
	readonly name: string;
	/** Milliseconds since 1970. */
	readonly startedAt: number;
	readonly endedAt: number;
	readonly attributes: Readonly<Record<string, TraceValue>>;
	/** Code of an error, and its sentence where texts may be told. */
	readonly error?: { readonly code: string; readonly message?: string };
	/** W3C trace context of the caller. */
	readonly traceparent?: string;
	readonly tracestate?: string;
}

/** What is told of the request itself. */
export function requestAttributes(
	request: ObservedRequest,
	withTexts: boolean,
): Record<string, TraceValue> {
	const numbers: Readonly<Record<string, number | undefined>> = {
		'gen_ai.request.max_tokens': request.max_completion_tokens ?? request.max_tokens,
		'gen_ai.request.temperature': request.temperature,
		'gen_ai.request.top_p': request.top_p,
		'gen_ai.request.top_k': request.top_k,
		'gen_ai.request.seed': request.seed,
		'gen_ai.request.choice.count': request.n,
		'gen_ai.request.frequency_penalty': request.frequency_penalty,
		'gen_ai.request.presence_penalty': request.presence_penalty,
	};
	return {
		'gen_ai.operation.name': 'chat',
		'gen_ai.provider.name': 'nearglot',
		...(request.model === undefined ? {} : { 'gen_ai.request.model': request.model }),
		...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)),
		...(withTexts ? textAttributes(request) : {}),
	} as Record<string, TraceValue>;
}

function textAttributes({ messages, tools }: ObservedRequest): Record<string, TraceValue> {
	const input = messages.map(({ role, content, tool_calls: calls = [], tool_call_id: id }) => ({
		role,
		parts: [
			...(content === null || content === ''
				? []
				: role === 'tool'
					? [{ type: 'tool_call_response', id, response: content }]
					: [{ type: 'text', content }]),
			...calls.map(({ id: call, function: { name, arguments: given } }) => ({
				...{ type: 'tool_call', id: call, name, arguments: given },
			})),
		],
	}));
	return {
		'gen_ai.input.messages': JSON.stringify(input),
		...(tools === undefined
			? {}
			: {
					'gen_ai.tool.definitions': JSON.stringify(
						shownTools({ tools }).map(({ type, function: tool }) => ({ type, ...tool })),
					),
				}),
	};
}

/** Gathers what happens while a request is answered. */
export class AnswerAttributes {
	readonly #withTexts: boolean;
	readonly #reasons: string[] = [];
	readonly #texts: string[] = [];
	#firstMs: number | undefined;

	constructor(withTexts: boolean) {
		this.#withTexts = withTexts;
	}

	/** @param ms since the request */
	take(event: ChatEvent, ms: number): void {
		if (event.type === 'finish') this.#reasons[event.choice] = event.reason;
		if (event.type !== 'piece') return;
		this.#firstMs ??= ms;
		if (this.#withTexts)
			this.#texts[event.choice] = (this.#texts[event.choice] ?? '') + event.piece.content;
	}

	attributes(outcome: ChatOutcome | undefined): Record<string, TraceValue> {
		const reasons = this.#reasons.map((reason) => reason ?? '');
		return {
			...(reasons.length === 0 ? {} : { 'gen_ai.response.finish_reasons': reasons }),
			...(this.#firstMs === undefined
				? {}
				: { 'gen_ai.response.time_to_first_chunk': this.#firstMs / 1000 }),
			...(outcome === undefined ? {} : outcomeAttributes(outcome)),
			...(this.#texts.length === 0
				? {}
				: {
						'gen_ai.output.messages': JSON.stringify(
							this.#texts.map((content, choice) => ({
								...{ role: 'assistant', parts: [{ type: 'text', content }] },
								finish_reason: reasons[choice] ?? '',
							})),
						),
					}),
		};
	}
}

function outcomeAttributes({ model, usage, timings }: ChatOutcome): Record<string, TraceValue> {
	return {
		'gen_ai.response.model': model,
		'gen_ai.usage.input_tokens': usage.prompt_tokens,
		'gen_ai.usage.output_tokens': usage.completion_tokens,
		'gen_ai.usage.cache_read.input_tokens': usage.prompt_tokens_details.cached_tokens,
		'gen_ai.usage.reasoning.output_tokens': usage.completion_tokens_details.reasoning_tokens,
		'nearglot.load_ms': timings.load_ms,
		'nearglot.queue_ms': timings.queue_ms,
		'nearglot.prefill_ms': timings.prompt_ms,
		'nearglot.decode_ms': timings.predicted_ms,
	};
}

/** An error as a span has it; its sentence may repeat what somebody wrote. */
export function traceError(error: unknown, withTexts: boolean): NonNullable<TraceFacts['error']> {
	const { code, message } = asAppError(error);
	return withTexts ? { code, message } : { code };
}
