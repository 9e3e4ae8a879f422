/**
 * Messages of VS Code's language model interface as chat messages, and back. Parts are told apart by
 * their fields, so that this file needs no editor.
 */

import type {
	ChatImage,
	ChatMessage,
	ToolCall,
	ToolDefinition,
} from '../../server/protocol/index.ts';

/** What a message of the editor looks like from here. */
export interface EditorMessage {
	/** 1 user, 2 assistant, 3 system (proposed). */
	readonly role: number;
	readonly content: readonly unknown[];
}

/** One editor message may be several chat messages: tool results stand alone, images are the user's. */
export function toChatMessages(messages: readonly EditorMessage[]): ChatMessage[] {
	return messages.flatMap(({ role, content }) => {
		const out: ChatMessage[] = [];
		const pieces: (string | ImagePiece)[] = [];
		const calls: ToolCall[] = [];
		for (const part of content) {
			const kind = partOf(part);
			if (kind.type === 'text') pieces.push(kind.text);
			else if (kind.type === 'image') pieces.push(kind);
			else if (kind.type === 'call') calls.push(kind.call);
			else if (kind.type === 'result') {
				out.push({ role: 'tool', tool_call_id: kind.id, content: kind.text });
				// What a tool shows is read as the user's: nothing else can hold images.
				for (const image of kind.images) pieces.push(image);
			}
		}
		const { text, images } = joined(pieces);
		if (role === 2) {
			if (text !== '' || calls.length > 0) {
				out.push({
					role: 'assistant',
					content: text === '' && calls.length > 0 ? null : text,
					...(calls.length > 0 ? { tool_calls: calls } : {}),
				});
			}
		} else if (role === 3) {
			if (text !== '') out.push({ role: 'system', content: text });
		} else if (text !== '' || images.length > 0)
			out.push({ role: 'user', content: text, ...(images.length > 0 ? { images } : {}) });
		return out;
	});
}

/** Texts as one, with the places of the images in it. */
function joined(pieces: readonly (string | ImagePiece)[]) {
	const text = pieces.filter((piece) => typeof piece === 'string').join('');
	let before = 0;
	const images: ChatImage[] = [];
	for (const piece of pieces) {
		if (typeof piece === 'string') before += piece.length;
		else images.push({ base64: piece.base64, detail: 'auto', fromEnd: text.length - before });
	}
	return { text, images };
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

interface ImagePiece {
	readonly type: 'image';
	readonly base64: string;
}

type Part =
	| { readonly type: 'text'; readonly text: string }
	| ImagePiece
	| { readonly type: 'call'; readonly call: ToolCall }
	| {
			readonly type: 'result';
			readonly id: string;
			readonly text: string;
			readonly images: readonly ImagePiece[];
	  }
	| { readonly type: 'other' };

function partOf(part: unknown): Part {
	if (typeof part !== 'object' || part === null) return { type: 'other' };
	const fields = part as Record<string, unknown>;
	const { value, callId, name, input, content, data, mimeType } = fields;
	if (typeof callId === 'string' && typeof name === 'string') {
		const text = JSON.stringify(input ?? {});
		return {
			type: 'call',
			call: { id: callId, type: 'function', function: { name, arguments: text } },
		};
	}
	if (typeof callId === 'string' && Array.isArray(content)) {
		const inner = content.map(partOf);
		const text = inner.map((item) => (item.type === 'text' ? item.text : ''));
		const images = inner.filter((item) => item.type === 'image');
		return { type: 'result', id: callId, text: text.join(''), images };
	}
	if (typeof value === 'string') return { type: 'text', text: value };
	if (data instanceof Uint8Array && typeof mimeType === 'string') return dataPart(data, mimeType);
	return { type: 'other' };
}

/** A `LanguageModelDataPart`: an image or a text; marks that hosts and other models leave for themselves are neither. */
function dataPart(data: Uint8Array, mimeType: string): Part {
	if (/^image\//i.test(mimeType))
		return { type: 'image', base64: Buffer.from(data).toString('base64') };
	if (/^(text\/|application\/([\w.-]+\+)?json$)/i.test(mimeType))
		return { type: 'text', text: new TextDecoder().decode(data) };
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
