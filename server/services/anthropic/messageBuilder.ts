/** Builds a message and its streaming events from the events of a chat. */

import type { FinishReason, Usage } from '../../protocol/index.ts';
import type { ChatEvent, ChatOutcome } from '../chat/chatService.ts';
import type { CallPiece } from '../chat/choiceReader.ts';

/** One streaming event; `type` is also its SSE name. */
export type MessageEvent = Readonly<Record<string, unknown>> & { readonly type: string };

interface OpenBlock {
	readonly kind: 'text' | 'thinking' | 'tool_use';
	readonly index: number;
	readonly id: string;
	readonly name: string;
	readonly pieces: string[];
}

export interface MessageBuilderOptions {
	readonly id: string;
	readonly model: string;
	readonly stopSequences: readonly string[];
	readonly maxTokens: number;
	readonly emit: (event: MessageEvent) => void;
}

export class MessageBuilder {
	readonly #options: MessageBuilderOptions;
	readonly #content: object[] = [];
	/** Blocks that were begun. */
	#count = 0;
	#open: OpenBlock | undefined;
	#model: string;
	#reason: FinishReason = 'stop';
	#stoppedBy: string | undefined;

	constructor(options: MessageBuilderOptions) {
		this.#options = options;
		this.#model = options.model;
	}

	take(event: ChatEvent): void {
		if (event.type === 'start') {
			this.#model = event.model;
			const usage = usageOf(event.promptTokens ?? 0, 0, 0);
			this.#emit('message_start', { message: this.#message(null, null, usage, []) });
			this.#emit('ping', {});
		} else if (event.type === 'piece') {
			const { reasoning, content, calls } = event.piece;
			if (reasoning !== '')
				this.#delta('thinking', { type: 'thinking_delta', thinking: reasoning });
			if (content !== '') this.#delta('text', { type: 'text_delta', text: content });
			for (const call of calls) this.#callPiece(call);
		} else if (event.type === 'finish') {
			this.#reason = event.reason;
			this.#stoppedBy = event.stoppedBy;
			this.#closeBlock();
		}
	}

	/** The finished message; also emits the last events. */
	finish({ usage }: ChatOutcome): object {
		this.#closeBlock();
		const [reason, sequence] = this.#stopReason(usage);
		const counted = usageOf(
			usage.prompt_tokens,
			usage.prompt_tokens_details.cached_tokens,
			usage.completion_tokens,
		);
		this.#emit('message_delta', {
			delta: { stop_reason: reason, stop_sequence: sequence, stop_details: null, container: null },
			usage: counted,
		});
		this.#emit('message_stop', {});
		return this.#message(reason, sequence, counted, this.#content);
	}

	#stopReason(usage: Usage): [string, string | null] {
		const { stopSequences, maxTokens } = this.#options;
		const by = this.#stoppedBy;
		if (this.#reason === 'tool_calls') return ['tool_use', null];
		if (this.#reason === 'length')
			return [
				usage.completion_tokens < maxTokens ? 'model_context_window_exceeded' : 'max_tokens',
				null,
			];
		return by !== undefined && stopSequences.includes(by)
			? ['stop_sequence', by]
			: ['end_turn', null];
	}

	#emit(type: string, fields: object): void {
		this.#options.emit({ type, ...fields });
	}

	#delta(
		kind: 'text' | 'thinking',
		delta: { text?: string; thinking?: string; type: string },
	): void {
		const block = this.#open?.kind === kind ? this.#open : this.#openBlock(kind);
		block.pieces.push(delta.text ?? delta.thinking ?? '');
		this.#emit('content_block_delta', { index: block.index, delta });
	}

	#callPiece({ id, name = '', arguments: json = '' }: CallPiece): void {
		if (id !== undefined) this.#openBlock('tool_use', id.replace(/^call_/, 'toolu_'), name);
		const block = this.#open;
		if (block?.kind !== 'tool_use' || json === '') return;
		block.pieces.push(json);
		this.#emit('content_block_delta', {
			index: block.index,
			delta: { type: 'input_json_delta', partial_json: json },
		});
	}

	#openBlock(kind: OpenBlock['kind'], id = '', name = ''): OpenBlock {
		this.#closeBlock();
		const block: OpenBlock = { kind, index: this.#count++, id, name, pieces: [] };
		this.#open = block;
		this.#emit('content_block_start', { index: block.index, content_block: blockOf(block) });
		return block;
	}

	#closeBlock(): void {
		const block = this.#open;
		if (block === undefined) return;
		this.#open = undefined;
		const whole = blockOf(block);
		// Cut off in the middle: half a call is none.
		if (whole !== undefined) this.#content.push(whole);
		this.#emit('content_block_stop', { index: block.index });
	}

	#message(
		reason: string | null,
		sequence: string | null,
		usage: object,
		content: readonly object[],
	): object {
		return {
			id: this.#options.id,
			type: 'message',
			role: 'assistant',
			model: this.#model,
			content,
			stop_reason: reason,
			stop_sequence: sequence,
			stop_details: null,
			container: null,
			usage,
		};
	}
}

function usageOf(prompt: number, cached: number, output: number) {
	return {
		input_tokens: prompt - cached,
		cache_creation_input_tokens: 0,
		cache_read_input_tokens: cached,
		output_tokens: output,
		service_tier: 'standard',
	};
}

/** A block as the interface has it; `undefined` for a call whose arguments are no object. */
function blockOf({ kind, id, name, pieces }: OpenBlock): object | undefined {
	const said = pieces.join('');
	if (kind === 'text') return { type: 'text', text: said };
	if (kind === 'thinking') return { type: 'thinking', thinking: said, signature: '' };
	const input = inputOf(said);
	return input && { type: 'tool_use', id, name, input };
}

function inputOf(json: string): object | undefined {
	try {
		const value: unknown = json.trim() === '' ? {} : JSON.parse(json);
		return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
