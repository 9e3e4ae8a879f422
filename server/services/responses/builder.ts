/** Builds a response object and its streaming events from the events of a chat. */

import type { TokenLogprob } from '../../engine/api.ts';
import { defined } from '../../protocol/defined.ts';
import type { FinishReason } from '../../protocol/index.ts';
import { type ChatTool, customNames } from '../../protocol/routes/customTools.ts';
import type { ResponsesRequest } from '../../protocol/routes/responses.ts';
import type { ChatEvent, ChatOutcome } from '../chat/chatService.ts';
import type { CallPiece } from '../chat/choiceReader.ts';
import { CustomInput } from '../chat/customCalls.ts';
import { fallbackField, omittedField, toWireLogprob } from '../chat/serializeCompletion.ts';
import type { ProviderFallback } from '../host.ts';

/** A response on the wire. */
export type ResponseObject = Readonly<Record<string, unknown>> & {
	readonly id: string;
	readonly status: string;
	readonly output: readonly object[];
};

/** One streaming event; `type` is also its SSE name. */
export type ResponseEvent = Readonly<Record<string, unknown>> & { readonly type: string };

interface OpenItem {
	readonly kind: 'reasoning' | 'message' | 'call' | 'custom';
	readonly index: number;
	readonly id: string;
	text: string;
	logprobs: TokenLogprob[];
	callId: string;
	name: string;
	/** Reads the text of a custom call out of its arguments. */
	readonly input: CustomInput;
}

export interface ResponseBuilderOptions {
	readonly id: string;
	/** Seconds since 1970. */
	readonly created: number;
	readonly newId: () => string;
	readonly emit: (event: ResponseEvent) => void;
	/** What the response says of being kept. */
	readonly kept: KeptFacts;
}

/** What a response says of how it is kept. */
export interface KeptFacts {
	readonly store: boolean;
	readonly background: boolean;
	readonly previous?: string;
	readonly conversation?: string;
}

export class ResponseBuilder {
	readonly #request: ResponsesRequest;
	readonly #options: ResponseBuilderOptions;
	readonly #output: object[] = [];
	/** Names of the custom tools. */
	readonly #customs: ReadonlySet<string>;
	#open: OpenItem | undefined;
	#sequence = 0;
	#model: string;
	#reason: FinishReason = 'stop';
	#omittedTurns = 0;
	#fallback: ProviderFallback | undefined;

	constructor(request: ResponsesRequest, options: ResponseBuilderOptions) {
		this.#request = request;
		this.#options = options;
		this.#model = request.model;
		this.#customs = customNames(request.tools);
	}

	take(event: ChatEvent): void {
		if (event.type === 'start') {
			this.#model = event.model;
			this.#emit('response.created', { response: this.#response('in_progress') });
			this.#emit('response.in_progress', { response: this.#response('in_progress') });
		} else if (event.type === 'finish') {
			this.#reason = event.reason;
			this.#closeItem();
		} else if (event.type === 'piece') {
			const { reasoning, content, calls } = event.piece;
			if (reasoning !== '') this.#reasoningDelta(reasoning);
			if (content !== '') this.#textDelta(content, event.logprobs ?? []);
			for (const call of calls) this.#callDelta(call);
		} else if (event.type === 'omitted') this.#omittedTurns = event.turns;
		else if (event.type === 'fallback') this.#fallback = event.fallback;
	}

	/** The finished response; {@link announce} emits the last event. */
	finish(outcome: ChatOutcome): ResponseObject {
		this.#closeItem();
		return this.#response(this.#reason === 'length' ? 'incomplete' : 'completed', outcome);
	}

	/** Emits the last event of a response that {@link finish} made, once it is kept. */
	announce(response: ResponseObject): void {
		this.#emit(`response.${response.status}`, { response });
	}

	/** The response so far. */
	snapshot(status: string): ResponseObject {
		return this.#response(status);
	}

	/** Event of an error in mid-stream. */
	failure(error: { readonly code: string; readonly message: string }): ResponseEvent {
		const response = { ...this.#response('failed'), error };
		return { type: 'response.failed', sequence_number: this.#sequence++, response };
	}

	#emit(type: string, fields: object): void {
		this.#options.emit({ type, sequence_number: this.#sequence++, ...fields });
	}

	#openItem(kind: OpenItem['kind'], call: { callId?: string; name?: string } = {}): OpenItem {
		this.#closeItem();
		const prefix = { reasoning: 'rs', message: 'msg', call: 'fc', custom: 'ctc' }[kind];
		const item: OpenItem = {
			kind,
			index: this.#output.length,
			id: `${prefix}_${this.#options.newId()}`,
			text: '',
			logprobs: [],
			callId: call.callId ?? '',
			name: call.name ?? '',
			input: new CustomInput(),
		};
		this.#open = item;
		const shape = toWireItem(item, 'in_progress');
		this.#emit('response.output_item.added', { output_index: item.index, item: shape });
		if (kind === 'message')
			this.#emit('response.content_part.added', {
				...place(item),
				content_index: 0,
				part: textPart('', []),
			});
		return item;
	}

	#closeItem(): void {
		const item = this.#open;
		if (!item) return;
		this.#open = undefined;
		const at = { ...place(item), content_index: 0 };
		if (item.kind === 'message') {
			const logprobs = item.logprobs.map(toWireLogprob);
			this.#emit('response.output_text.done', { ...at, text: item.text, logprobs });
			this.#emit('response.content_part.done', { ...at, part: textPart(item.text, item.logprobs) });
		} else if (item.kind === 'reasoning') {
			this.#emit('response.reasoning_text.done', { ...at, text: item.text });
		} else if (item.kind === 'custom') {
			this.#emit('response.custom_tool_call_input.done', { ...place(item), input: item.text });
		} else {
			this.#emit('response.function_call_arguments.done', {
				...place(item),
				name: item.name,
				arguments: item.text,
			});
		}
		const done = toWireItem(item, this.#reason === 'length' ? 'incomplete' : 'completed');
		this.#output.push(done);
		this.#emit('response.output_item.done', { output_index: item.index, item: done });
	}

	#reasoningDelta(delta: string): void {
		const item = this.#open?.kind === 'reasoning' ? this.#open : this.#openItem('reasoning');
		item.text += delta;
		this.#emit('response.reasoning_text.delta', { ...place(item), content_index: 0, delta });
	}

	#textDelta(delta: string, logprobs: readonly TokenLogprob[]): void {
		const item = this.#open?.kind === 'message' ? this.#open : this.#openItem('message');
		item.text += delta;
		item.logprobs.push(...logprobs);
		this.#emit('response.output_text.delta', {
			...place(item),
			content_index: 0,
			delta,
			logprobs: logprobs.map(toWireLogprob),
		});
	}

	#callDelta(piece: CallPiece): void {
		let item = this.#open;
		if (piece.id !== undefined)
			item = this.#openItem(this.#customs.has(piece.name ?? '') ? 'custom' : 'call', {
				callId: piece.id,
				...defined({ name: piece.name }),
			});
		if (!item || piece.arguments === undefined || piece.arguments === '') return;
		const isCustom = item.kind === 'custom';
		const delta = isCustom ? item.input.push(piece.arguments) : piece.arguments;
		if (delta === '') return;
		item.text += delta;
		const kind = isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
		this.#emit(`response.${kind}.delta`, { ...place(item), delta });
	}

	#response(status: string, outcome?: ChatOutcome): ResponseObject {
		const request = this.#request;
		const { kept } = this.#options;
		const usage = outcome?.usage;
		return {
			id: this.#options.id,
			object: 'response',
			created_at: this.#options.created,
			status,
			error: null,
			incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
			instructions: request.instructions ?? null,
			max_output_tokens: request.max_output_tokens ?? null,
			model: this.#model,
			output: [...this.#output],
			parallel_tool_calls: request.parallel_tool_calls ?? true,
			previous_response_id: kept.previous ?? null,
			...(kept.conversation === undefined ? {} : { conversation: { id: kept.conversation } }),
			background: kept.background,
			reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
			store: kept.store,
			temperature: request.temperature ?? null,
			text: { format: request.text?.format ?? { type: 'text' } },
			tool_choice: toWireChoice(request, this.#customs),
			tools: (request.tools ?? []).map(toWireTool),
			top_p: request.top_p ?? null,
			truncation: request.truncation ?? 'disabled',
			user: request.user ?? null,
			metadata: request.metadata ?? {},
			usage: usage
				? {
						input_tokens: usage.prompt_tokens,
						input_tokens_details: { ...usage.prompt_tokens_details, cache_write_tokens: 0 },
						output_tokens: usage.completion_tokens,
						output_tokens_details: usage.completion_tokens_details,
						total_tokens: usage.total_tokens,
					}
				: null,
			...omittedField(this.#omittedTurns),
			...fallbackField(this.#fallback),
			...(outcome ? { timings: outcome.timings } : {}),
		};
	}
}

function place(item: OpenItem) {
	return { item_id: item.id, output_index: item.index };
}

function textPart(text: string, logprobs: readonly TokenLogprob[]) {
	return { type: 'output_text', text, annotations: [], logprobs: logprobs.map(toWireLogprob) };
}

function toWireItem(item: OpenItem, status: 'in_progress' | 'completed' | 'incomplete') {
	const { id } = item;
	if (item.kind === 'message') {
		const content = status !== 'in_progress' ? [textPart(item.text, item.logprobs)] : [];
		return { id, type: 'message', status, role: 'assistant', content };
	}
	if (item.kind === 'reasoning') {
		const content = status !== 'in_progress' ? [{ type: 'reasoning_text', text: item.text }] : [];
		return { id, type: 'reasoning', status, summary: [], content };
	}
	const { callId, name, text } = item;
	if (item.kind === 'custom')
		return { id, type: 'custom_tool_call', status, call_id: callId, name, input: text };
	return { id, type: 'function_call', status, call_id: callId, name, arguments: text };
}

function toWireTool(tool: ChatTool): object {
	if (tool.type === 'function') return { type: tool.type, ...tool.function };
	const { type, name, description, format = { type: 'text' } } = tool;
	return { type, name, ...defined({ description }), format };
}

function toWireChoice(request: ResponsesRequest, customs: ReadonlySet<string>) {
	const choice = request.tool_choice ?? 'auto';
	if (typeof choice === 'string') return choice;
	const named = (name: string) => ({ type: customs.has(name) ? 'custom' : 'function', name });
	return 'name' in choice
		? named(choice.name)
		: { type: 'allowed_tools', mode: choice.mode, tools: choice.among.map(named) };
}
