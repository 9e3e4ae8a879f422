/** Chat: messages, tools and results as they travel between language server, daemon and runner. */

/** Most answers to one prompt. */
export const maxChoices = 128;

export type ChatRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool' | 'function';

/** A call of a tool that the model asked for. `arguments` is JSON text. */
export interface ToolCall {
	readonly id: string;
	readonly type: 'function';
	readonly function: { readonly name: string; readonly arguments: string };
}

/** How much of an image is looked at: `low` is the whole alone, in few pixels. */
export type ImageDetail = 'low' | 'high' | 'auto';

/** An image in a message. */
export interface ChatImage {
	/** The file (PNG, JPEG, WebP) in base64. */
	readonly base64: string;
	readonly detail: ImageDetail;
	/** Characters of the content behind it: what is put before a text does not move it. */
	readonly fromEnd: number;
}

export interface ChatMessage {
	readonly role: ChatRole;
	/** Text parts are joined by the parser; `null` only beside `tool_calls`. */
	readonly content: string | null;
	readonly images?: readonly ChatImage[];
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
	/** EBNF of the one text, `input`, that it takes, as it stands inside of JSON; made here, never sent. */
	readonly inputGrammar?: string;
}

export type SimpleToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

/** `among`: only these of the tools may be called; whether one has to be is `mode`. */
export type ToolChoice =
	| SimpleToolChoice
	| { readonly mode: 'auto' | 'required'; readonly among: readonly string[] };

export type { FinishReason, Timings, Usage } from './routes/answers.ts';
