/** Items of a conversation as Responses have them: read of requests, kept between calls, made into messages. */

import type { ChatImage, ChatMessage, ToolCall } from '../chatTypes.ts';
import { asObject, invalid, Refused, read } from './check.ts';
import { ruled, string } from './fields.ts';
import { fewImages } from './imageFields.ts';
import { maxMessages, readMessage } from './messageFields.ts';

/** One item with the fields that are read here, and the `id` that it was sent with or is kept under. */
export type ResponseItem = Readonly<Record<string, unknown>> & { readonly type: string };

const text = string();
const idField = string({ minLength: 1, maxLength: 128 });

/** What is understood; the models here read texts alone. */
const itemTypes = [
	'message',
	'function_call',
	'function_call_output',
	'custom_tool_call',
	'custom_tool_call_output',
	'reasoning',
	'item_reference',
] as const;

const partTypes: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({ assistant: 'output_text' }),
);

/** Text, or the items of a conversation. */
export const inputField = ruled(
	{
		anyOf: [
			{ type: 'string' },
			{
				type: 'array',
				minItems: 1,
				maxItems: maxMessages,
				items: { type: 'object', properties: { type: { type: 'string', enum: itemTypes } } },
			},
		],
	},
	(value): ResponseItem[] => {
		if (typeof value === 'string') return [messageItem('user', value)];
		return readItems(value);
	},
);

/** A list of items that is not empty. */
export const itemsField = (most: number) =>
	ruled(
		{ type: 'array', minItems: 1, maxItems: most, items: { type: 'object' } },
		(value): ResponseItem[] => readItems(value, most),
	);

function readItems(value: unknown, most = maxMessages): ResponseItem[] {
	if (!Array.isArray(value) || value.length === 0)
		throw invalid('', 'a string or an array of items that is not empty', value);
	if (value.length > most) throw invalid('', `an array of at most ${most} items`);
	return value.map((item, index) => readItem(item, `[${index}]`));
}

function messageItem(
	role: string,
	content: string,
	images: readonly ChatImage[] = [],
): ResponseItem {
	const type = partTypes.get(role) ?? 'input_text';
	const extra = type === 'output_text' ? { annotations: [] } : {};
	return {
		type: 'message',
		role,
		status: 'completed',
		content: partsOf(content, images, (text) => ({ type, text, ...extra })),
	};
}

/** Texts and images in their order, as they were sent. */
function partsOf(
	content: string,
	images: readonly ChatImage[],
	textPart: (text: string) => Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
	if (images.length === 0) return [textPart(content)];
	const parts: Readonly<Record<string, unknown>>[] = [];
	let from = 0;
	for (const { fromEnd, base64, detail } of images) {
		const to = content.length - fromEnd;
		if (to > from) parts.push(textPart(content.slice(from, to)));
		from = to;
		// The kind of the file is told by its bytes, whatever is said of it.
		parts.push({ type: 'input_image', image_url: `data:image/png;base64,${base64}`, detail });
	}
	if (from < content.length) parts.push(textPart(content.slice(from)));
	return parts;
}

function readItem(value: unknown, path: string): ResponseItem {
	const item = asObject(value, path);
	const textOf = (key: string) => read(text, item[key], `${path}.${key}`);
	const id =
		item['id'] === undefined || item['id'] === null
			? {}
			: { id: read(idField, item['id'], `${path}.id`) };
	const isReference = 'id' in item && item['role'] === undefined && item['content'] === undefined;
	const type = String(item['type'] ?? (isReference ? 'item_reference' : 'message'));
	switch (type) {
		case 'message': {
			// Some clients send the messages of chat completions, with their calls.
			const { role, content, images = [], ...more } = readMessage(item, path);
			return { ...messageItem(role, content ?? '', images), ...more, ...id };
		}
		case 'function_call':
			return {
				...{ type, call_id: textOf('call_id'), name: textOf('name') },
				...{ arguments: textOf('arguments'), status: 'completed', ...id },
			};
		case 'custom_tool_call':
			return {
				...{ type, call_id: textOf('call_id'), name: textOf('name') },
				...{ input: textOf('input'), status: 'completed', ...id },
			};
		case 'function_call_output':
		case 'custom_tool_call_output': {
			const output = outputOf(item['output'], `${path}.output`);
			return { type, call_id: textOf('call_id'), output, status: 'completed', ...id };
		}
		case 'reasoning':
			return { type, summary: [], ...id };
		case 'item_reference':
			return { type, id: read(idField, item['id'], `${path}.id`) };
		default:
			throw new Refused(
				path,
				(name) =>
					`${name} is an item of type '${type.slice(0, 40)}'; ${itemTypes.slice(0, -1).join(', ')} and item_reference are understood.`,
				'unsupported_parameter',
			);
	}
}

/** A text, or parts with texts. */
function outputOf(value: unknown, path: string): string {
	if (typeof value === 'string') return value;
	if (!Array.isArray(value)) return read(text, value, path);
	return readMessage({ role: 'tool', content: value }, path).content ?? '';
}

/** Items, with their references replaced, as messages of a chat. */
export function messagesOfItems(items: readonly ResponseItem[]): ChatMessage[] {
	const messages: ChatMessage[] = [];
	for (const item of items) addItem(messages, item);
	return fewImages(messages);
}

function addItem(messages: ChatMessage[], item: ResponseItem): void {
	const textOf = (key: string) => String(item[key] ?? '');
	const addCall = (given: string): void => {
		const call: ToolCall = {
			id: textOf('call_id'),
			type: 'function',
			function: { name: textOf('name'), arguments: given },
		};
		// Calls that follow each other belong to one turn of the assistant.
		const last = messages.at(-1);
		// The list was made here; a new one for each call would take the square of their number.
		if (last?.role === 'assistant' && last.tool_calls) (last.tool_calls as ToolCall[]).push(call);
		else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
	};
	switch (item.type) {
		case 'message':
			messages.push(readMessage(item, ''));
			return;
		case 'function_call':
			addCall(textOf('arguments'));
			return;
		case 'custom_tool_call':
			addCall(JSON.stringify({ input: textOf('input') }));
			return;
		case 'function_call_output':
		case 'custom_tool_call_output':
			messages.push({ role: 'tool', tool_call_id: textOf('call_id'), content: textOf('output') });
			return;
		default:
		// Reasoning of earlier turns is not fed back, as the models' templates want it.
	}
}
