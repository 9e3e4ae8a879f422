/** The answer of chat completions on the wire: whole objects and chunks, built from the same events. */

import type { TokenLogprob } from '../../engine/api.ts';
import { defined } from '../../protocol/defined.ts';
import { type FinishReason, productVersion, type ToolCall } from '../../protocol/index.ts';
import type { ProviderFallback } from '../host.ts';
import type { ChatEvent, ChatOutcome, ChatStage } from './chatService.ts';
import type { CallPiece } from './choiceReader.ts';
import { CustomInput, inputOf } from './customCalls.ts';

/** Head of an answer: the same on every chunk. */
export interface AnswerHead {
	readonly id: string;
	/** Seconds since 1970. */
	readonly created: number;
}

export function toWireLogprob(logprob: TokenLogprob) {
	return {
		token: logprob.token,
		logprob: logprob.logprob,
		bytes: logprob.bytes,
		top_logprobs: logprob.top.map(({ token, logprob: value, bytes }) => ({
			token,
			logprob: value,
			bytes,
		})),
	};
}

/** Refusals are texts like others here, so there are no probabilities of theirs. */
const logprobsOf = (logprobs: readonly TokenLogprob[]) => ({
	content: logprobs.map(toWireLogprob),
	refusal: null,
});

/** Changes with the version of the program, which may change what a seed gives. */
const fingerprint = `fp_${productVersion().replaceAll(/[^\w.-]/g, '_')}`;

/** How many of the oldest turns the model was not given; no field when it read all. */
export function omittedField(turns: number): { omitted_turns?: number } {
	return turns === 0 ? {} : { omitted_turns: turns };
}

/** Where the work was done instead of where it was wished; no field when it was done there. */
export function fallbackField(fallback: ProviderFallback | undefined): {
	execution_provider?: ProviderFallback;
} {
	return fallback === undefined ? {} : { execution_provider: fallback };
}

interface ChoiceState {
	content: string;
	reasoning: string;
	calls: { id: string; name: string; arguments: string }[];
	logprobs: TokenLogprob[] | undefined;
	reason: FinishReason;
}

/** Collects events into `chat.completion`. */
export class AnswerBuilder {
	readonly #choices: ChoiceState[] = [];
	readonly #customs: ReadonlySet<string>;
	#fallback: ProviderFallback | undefined;

	/** @param customs names of the custom tools */
	constructor(customs: ReadonlySet<string> = new Set()) {
		this.#customs = customs;
	}

	take(event: ChatEvent): void {
		if (event.type === 'fallback') this.#fallback = event.fallback;
		if (event.type !== 'piece' && event.type !== 'finish') return;
		let choice = this.#choices[event.choice];
		if (!choice) {
			choice = { content: '', reasoning: '', calls: [], logprobs: undefined, reason: 'stop' };
			this.#choices[event.choice] = choice;
		}
		if (event.type === 'finish') {
			choice.reason = event.reason;
			return;
		}
		choice.content += event.piece.content;
		choice.reasoning += event.piece.reasoning;
		if (event.logprobs) choice.logprobs = [...(choice.logprobs ?? []), ...event.logprobs];
		for (const call of event.piece.calls) addCall(choice.calls, call);
	}

	build(head: AnswerHead, outcome: ChatOutcome) {
		return {
			id: head.id,
			object: 'chat.completion',
			created: head.created,
			model: outcome.model,
			choices: this.#choices.map((choice, index) => ({
				index,
				message: messageOf(choice, outcome.olderForm, this.#customs),
				logprobs: choice.logprobs ? logprobsOf(choice.logprobs) : null,
				finish_reason: choice.reason,
			})),
			usage: outcome.usage,
			timings: outcome.timings,
			...omittedField(outcome.omittedTurns),
			...fallbackField(this.#fallback),
			system_fingerprint: fingerprint,
		};
	}
}

function addCall(calls: ChoiceState['calls'], piece: CallPiece): void {
	const call = calls[piece.index] ?? { id: '', name: '', arguments: '' };
	calls[piece.index] = {
		id: call.id + (piece.id ?? ''),
		name: call.name + (piece.name ?? ''),
		arguments: call.arguments + (piece.arguments ?? ''),
	};
}

function messageOf(choice: ChoiceState, olderForm: boolean, customs: ReadonlySet<string>) {
	const [first] = choice.calls;
	return {
		role: 'assistant',
		content: choice.content === '' && first ? null : choice.content,
		refusal: null,
		...(choice.reasoning === '' ? {} : { reasoning_content: choice.reasoning }),
		...(first && olderForm
			? { function_call: { name: first.name, arguments: first.arguments } }
			: {}),
		...(first && !olderForm
			? {
					tool_calls: choice.calls.map((call) => wireCall(call, customs)),
				}
			: {}),
	};
}

/** A call of a tool on the wire. */
export type WireCall =
	| ToolCall
	| {
			readonly id: string;
			readonly type: 'custom';
			readonly custom: { readonly name: string; readonly input: string };
	  };

function wireCall(
	{ id, name, arguments: text }: ChoiceState['calls'][number],
	customs: ReadonlySet<string>,
): WireCall {
	return customs.has(name)
		? { id, type: 'custom', custom: { name, input: inputOf(text) } }
		: { id, type: 'function', function: { name, arguments: text } };
}

/** Turns events into `chat.completion.chunk` objects. */
export class ChunkBuilder {
	readonly #head: AnswerHead;
	readonly #withUsage: boolean;
	readonly #withProgress: boolean;
	#model = '';
	#omittedTurns = 0;
	#fallback: ProviderFallback | undefined;
	#olderForm: boolean;
	readonly #greeted = new Set<number>();
	readonly #customs: ReadonlySet<string>;
	/** What reads the inputs of custom calls, by choice and call. */
	readonly #inputs = new Map<string, CustomInput>();

	constructor(
		head: AnswerHead,
		options: {
			readonly withUsage: boolean;
			readonly olderForm: boolean;
			/** Chunks without choices that tell what the request waits for. */
			readonly withProgress?: boolean;
			/** The name that was asked for, until it is known which model answers. */
			readonly model?: string;
			/** Names of the custom tools. */
			readonly customs?: ReadonlySet<string>;
		},
	) {
		this.#head = head;
		this.#withUsage = options.withUsage;
		this.#withProgress = options.withProgress ?? false;
		this.#model = options.model ?? '';
		this.#olderForm = options.olderForm;
		this.#customs = options.customs ?? new Set();
	}

	take(event: ChatEvent): object[] {
		if (event.type === 'omitted') {
			this.#omittedTurns = event.turns;
			return [];
		}
		if (event.type === 'fallback') {
			this.#fallback = event.fallback;
			return [];
		}
		if (event.type === 'ignored') return [];
		if (event.type === 'start') {
			this.#model = event.model;
			return Array.from({ length: event.choices }, (_, choice) => this.#greet(choice));
		}
		if (event.type === 'finish') return [this.#chunk(event.choice, {}, event.reason)];
		if (event.type === 'progress')
			return this.#withProgress ? [this.#progress(event.progress)] : [];
		const { reasoning, content, calls } = event.piece;
		const deltas: object[] = [];
		if (reasoning !== '') deltas.push({ reasoning_content: reasoning });
		if (content !== '') deltas.push({ content });
		for (const call of calls)
			for (const delta of this.#callDeltas(event.choice, call)) deltas.push(delta);
		// A token whose text is held back still has its probability reported.
		if (deltas.length === 0 && event.logprobs && event.logprobs.length > 0)
			deltas.push({ content: '' });
		return deltas.map((delta, index) =>
			this.#chunk(event.choice, delta, null, index === 0 ? event.logprobs : undefined),
		);
	}

	/** The usage chunk with `choices: []`; sent only when asked for. */
	last(outcome: ChatOutcome): object[] {
		const { usage, timings } = outcome;
		return this.#withUsage ? [{ ...this.#base(), choices: [], usage, timings }] : [];
	}

	#greet(choice: number): object {
		this.#greeted.add(choice);
		return this.#chunk(choice, { role: 'assistant', content: '' }, null);
	}

	#progress(stage: ChatStage): object {
		const base = { ...this.#base(), choices: [] };
		if (stage.phase === 'loading') {
			const { expectedMs } = stage;
			const expected = expectedMs === undefined ? {} : { expected_ms: Math.round(expectedMs) };
			return { ...base, progress: { phase: 'loading', ...expected } };
		}
		if (stage.phase === 'queued') return { ...base, progress: stage };
		const { done, total } = stage;
		const fraction = total > 0 ? done / total : 1;
		return {
			...base,
			progress: { phase: 'prompt', fraction },
			prompt_progress: { total, processed: done },
		};
	}

	#callDeltas(choice: number, call: CallPiece): object[] {
		const { id, index, arguments: text = '' } = call;
		const name = defined({ name: call.name });
		if (this.#olderForm) return [{ function_call: { ...name, arguments: text } }];
		const place = `${choice} ${index}`;
		if (this.#customs.has(call.name ?? '')) this.#inputs.set(place, new CustomInput());
		const reader = this.#inputs.get(place);
		const head = (type: string) => (id === undefined ? { index } : { index, id, type });
		if (reader === undefined)
			return [{ tool_calls: [{ ...head('function'), function: { ...name, arguments: text } }] }];
		const input = reader.push(text);
		if (input === '' && id === undefined) return [];
		return [{ tool_calls: [{ ...head('custom'), custom: { ...name, input } }] }];
	}

	#base() {
		const { id, created } = this.#head;
		return {
			id,
			object: 'chat.completion.chunk',
			created,
			model: this.#model,
			system_fingerprint: fingerprint,
			...omittedField(this.#omittedTurns),
			...fallbackField(this.#fallback),
		};
	}

	#chunk(
		index: number,
		delta: object,
		reason: FinishReason | null,
		logprobs?: readonly TokenLogprob[],
	): object {
		return {
			...this.#base(),
			choices: [
				{
					index,
					delta,
					logprobs: logprobs ? logprobsOf(logprobs) : null,
					finish_reason: reason,
				},
			],
			...(this.#withUsage ? { usage: null } : {}),
		};
	}
}
