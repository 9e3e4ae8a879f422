/**
 * Messages of VS Code's language model interface as chat messages, and back. Parts are told apart by
 * their fields, so that this file needs no editor.
 */

import type { ChatMessage, ToolCall, ToolDefinition } from '../../server/protocol/index.ts';

/** What a message of the editor looks like from here. */
export interface EditorMessage {
	/** 1 user, 2 assistant, 3 system (proposed). */
	readonly role: number;
	readonly content: readonly unknown[];
}

/** One editor message may be several chat messages: tool results stand alone. */
export function toChatMessages(messages: readonly EditorMessage[]): ChatMessage[] {
	return messages.flatMap(({ role, content }) => {
		const out: ChatMessage[] = [];
		const words: string[] = [];
		const calls: ToolCall[] = [];
		for (const part of content) {
			const kind = partOf(part);
			if (kind.type === 'text') words.push(kind.text);
			else if (kind.type === 'call') calls.push(kind.call);
			else if (kind.type === 'result') {
				out.push({ role: 'tool', tool_call_id: kind.id, content: kind.text });
			}
		}
		const text = words.join('');
		if (role === 2) {
			if (text !== '' || calls.length > 0) {
				out.push({
					role: 'assistant',
					content: text === '' && calls.length > 0 ? null : text,
					...(calls.length > 0 ? { tool_calls: calls } : {}),
				});
			}
		} else if (text !== '') out.push({ role: role === 3 ? 'system' : 'user', content: text });
		return out;
	});
}

/** A tool of the editor as the chat interface describes one. */
export function toToolDefinition(tool: {
	readonly name: string;
	readonly description: string;
	readonly inputSchema?: object | undefined;
}): ToolDefinition {
	return {
		type: 'function',
		function: {
			name: tool.name,
			description: tool.description,
			...(tool.inputSchema ? { parameters: tool.inputSchema as Record<string, unknown> } : {}),
		},
	};
}

type Part =
	| { readonly type: 'text'; readonly text: string }
	| { readonly type: 'call'; readonly call: ToolCall }
	| { readonly type: 'result'; readonly id: string; readonly text: string }
	| { readonly type: 'other' };

function partOf(part: unknown): Part {
	if (typeof part !== 'object' || part === null) return { type: 'other' };
	const fields = part as Record<string, unknown>;
	const { value, callId, name, input, content } = fields;
	if (typeof callId === 'string' && typeof name === 'string') {
		const text = JSON.stringify(input ?? {});
		return {
			type: 'call',
			call: { id: callId, type: 'function', function: { name, arguments: text } },
		};
	}
	if (typeof callId === 'string' && Array.isArray(content)) {
		const text = content.map((item) => {
			const inner = partOf(item);
			return inner.type === 'text' ? inner.text : '';
		});
		return { type: 'result', id: callId, text: text.join('') };
	}
	if (typeof value === 'string') return { type: 'text', text: value };
	return { type: 'other' };
}

/** Arguments of a call as an object; a model may have written anything. */
export function callInput(text: string): object {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === 'object' && value !== null ? value : { value };
	} catch {
		return { text };
	}
}
