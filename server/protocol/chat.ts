/** Chat: messages, tools and results as they travel between front, daemon and runner. */

/** Most answers to one prompt. */
export const maxChoices = 128;

export type ChatRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';

/** A call of a tool that the model asked for. `arguments` is JSON text. */
export interface ToolCall {
	readonly id: string;
	readonly type: 'function';
	readonly function: { readonly name: string; readonly arguments: string };
}

export interface TextPart {
	readonly type: 'text';
	readonly text: string;
}

export interface ChatMessage {
	readonly role: ChatRole;
	/** Text parts are joined by the parser; `null` only beside `tool_calls`. */
	readonly content: string | null;
	readonly name?: string;
	readonly tool_calls?: readonly ToolCall[];
	readonly tool_call_id?: string;
	readonly reasoning_content?: string;
}

/** JSON Schema, draft 2020-12, as an opaque object. */
export type JsonSchema = Readonly<Record<string, unknown>> | boolean;

export interface ToolDefinition {
	readonly type: 'function';
	readonly function: {
		readonly name: string;
		readonly description?: string;
		readonly parameters?: JsonSchema;
		readonly strict?: boolean;
	};
}

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter';

export interface Usage {
	readonly prompt_tokens: number;
	readonly completion_tokens: number;
	readonly total_tokens: number;
	readonly prompt_tokens_details: { readonly cached_tokens: number };
	readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

/** Speeds of one request, in the shape llama.cpp's clients know. */
export interface Timings {
	readonly prompt_n: number;
	readonly prompt_ms: number;
	readonly prompt_per_second: number;
	readonly predicted_n: number;
	readonly predicted_ms: number;
	readonly predicted_per_second: number;
	/** Tokens of the prompt that came from the prefix cache. */
	readonly cache_n: number;
	/** Milliseconds spent loading the model for this request; 0 when it was loaded already. */
	readonly load_ms: number;
	/** Milliseconds waited for a place in the batch. */
	readonly queue_ms: number;
}
