/** Messages of a conversation as clients send them, made uniform. */

import type { ChatImage, ChatMessage, ToolCall } from '../chatTypes.ts';
import { defined } from '../defined.ts';
import { asObject, invalid, missingField, Refused, read } from './check.ts';
import { object, oneOf, optional, requestSchema, ruled, string } from './fields.ts';
import {
	fewImages,
	imageOfPart,
	imagePartSchema,
	imagesOfUsers,
	imageTypes,
	type UnplacedImage,
} from './imageFields.ts';

/** Most messages of one request, and most parts of one message. */
export const maxMessages = 10_000;
/** Most calls of tools in one message. */
const maxCalls = 1000;

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
const roleField = oneOf(...roles);
const partText = string();
const optionalString = optional(partText);

const calledFunction = object({
	name: string({ minLength: 1, maxLength: 256 }),
	arguments: optional(string()),
});
const toolCallField = object({
	id: optional(string({ maxLength: 256 })),
	type: optional(oneOf('function')),
	function: calledFunction,
});
const customCallField = object({
	id: optional(string({ maxLength: 256 })),
	type: oneOf('custom'),
	custom: object({ name: string({ minLength: 1, maxLength: 256 }), input: string() }),
});

const messageSchema = {
	type: 'object',
	required: ['role'],
	properties: {
		role: requestSchema(roleField),
		content: {
			anyOf: [
				{ type: 'string' },
				{ type: 'null' },
				{
					type: 'array',
					maxItems: maxMessages,
					items: {
						anyOf: [
							{
								type: 'object',
								required: ['type', 'text'],
								properties: { type: { const: 'text' }, text: { type: 'string' } },
							},
							imagePartSchema,
						],
					},
				},
			],
		},
		name: { type: 'string' },
		tool_calls: {
			type: 'array',
			maxItems: maxCalls,
			items: { anyOf: [requestSchema(toolCallField), requestSchema(customCallField)] },
		},
		tool_call_id: { type: 'string' },
		reasoning_content: { type: 'string' },
		refusal: { type: 'string' },
	},
};

/** One message or more; text parts are joined, older function messages become tool messages. */
export const messagesField = ruled(
	{ type: 'array', minItems: 1, maxItems: maxMessages, items: messageSchema },
	(value): ChatMessage[] => {
		if (!Array.isArray(value)) throw invalid('', 'an array of messages', value);
		if (value.length === 0) throw invalid('', 'an array with at least one message');
		if (value.length > maxMessages)
			throw invalid('', `an array of at most ${maxMessages} messages`);
		return fewImages(value.map((each, index) => readMessage(each, `[${index}]`)));
	},
);

/** One message, at a path below the field that is read. */
export function readMessage(value: unknown, path: string): ChatMessage {
	const found = asObject(value, path);
	const role = read(roleField, found['role'], `${path}.role`);
	const calls = parseCalls(found, path);
	const { content, images } = parseContent(found['content'], `${path}.content`);
	if (images.length > 0 && role !== 'user') throw imagesOfUsers(`${path}.content`);
	if (content === null && role !== 'assistant') throw missingField(`${path}.content`);
	// What another model would not say stands beside the content.
	const refusal = read(optionalString, found['refusal'], `${path}.refusal`);
	if (content === null && calls.length === 0 && refusal === undefined)
		throw new Refused(
			`${path}.content`,
			(name) => `${name} is missing: a message needs content or tool_calls.`,
		);
	const optionalText = (key: string) => {
		const text = read(optionalString, found[key], `${path}.${key}`);
		return text === undefined ? {} : { [key]: text };
	};
	return {
		role,
		content: content ?? refusal ?? null,
		...(images.length === 0 ? {} : { images }),
		...optionalText('name'),
		...optionalText('tool_call_id'),
		...optionalText('reasoning_content'),
		...(calls.length === 0 ? {} : { tool_calls: calls }),
	};
}

function parseCalls(found: Record<string, unknown>, path: string): ToolCall[] {
	const list = found['tool_calls'];
	const older = found['function_call'];
	if (older !== undefined && older !== null) {
		const call = read(calledFunction, older, `${path}.function_call`);
		return [uniform({ function: call }, 0)];
	}
	if (list === undefined || list === null) return [];
	if (!Array.isArray(list)) throw invalid(`${path}.tool_calls`, 'an array', list);
	if (list.length > maxCalls)
		throw invalid(`${path}.tool_calls`, `an array of at most ${maxCalls} calls`);
	return list.map((each, index) => {
		const at = `${path}.tool_calls[${index}]`;
		if (!isCustom(each)) return uniform(read(toolCallField, each, at), index);
		const { id, custom } = read(customCallField, each, at);
		const called = { name: custom.name, arguments: JSON.stringify({ input: custom.input }) };
		return uniform({ ...defined({ id }), function: called }, index);
	});
}

const isCustom = (call: unknown): boolean => Object(call).type === 'custom';

function uniform(
	call: {
		readonly id?: string;
		readonly function: { readonly name: string; readonly arguments?: string };
	},
	index: number,
): ToolCall {
	return {
		id: call.id ?? `call_${index}`,
		type: 'function',
		function: { name: call.function.name, arguments: call.function.arguments ?? '{}' },
	};
}

/** A content, and the images in it. */
export interface ReadContent {
	readonly content: string | null;
	readonly images: readonly ChatImage[];
}

function parseContent(value: unknown, path: string): ReadContent {
	if (value === undefined || value === null) return { content: null, images: [] };
	if (typeof value === 'string') return { content: value, images: [] };
	if (!Array.isArray(value))
		throw invalid(path, 'a string or an array of parts (text, image_url)', value);
	if (value.length > maxMessages) throw invalid(path, `an array of at most ${maxMessages} parts`);
	const parts = value.map((part, index) => {
		const at = `${path}[${index}]`;
		if (typeof part === 'string') return part;
		const found = asObject(part, at);
		const type = found['type'];
		if (type === 'text' || type === 'input_text' || type === 'output_text')
			return read(partText, found['text'], `${at}.text`);
		if (type === 'refusal') return read(partText, found['refusal'], `${at}.refusal`);
		if (imageTypes.has(type)) return imageOfPart(found, at);
		const what =
			typeof type === 'string' ? `a part of type '${type.slice(0, 40)}'` : 'no part with a type';
		throw new Refused(
			at,
			(name) => `${name} is ${what}; chat models here read text and image_url parts.`,
			'unsupported_parameter',
		);
	});
	return contentOfParts(parts);
}

/** Texts between two images are joined; an image parts what is before it from what is behind it. */
export function contentOfParts(parts: readonly (string | UnplacedImage)[]): ReadContent {
	const runs: string[] = [];
	const starts: { readonly image: UnplacedImage; readonly at: number }[] = [];
	let texts: string[] = [];
	let length = 0;
	const endRun = () => {
		const run = textOfParts(texts);
		texts = [];
		length += run.length;
		runs.push(run);
	};
	for (const part of parts) {
		if (typeof part === 'string') {
			texts.push(part);
			continue;
		}
		endRun();
		starts.push({ image: part, at: length });
	}
	endRun();
	const images = starts.map(({ image, at }) => ({ ...image, fromEnd: length - at }));
	return { content: runs.join(''), images };
}

/** Words at the ends of two parts must not run together; parts that bring their own space stay as they are. */
export function textOfParts(parts: readonly string[]): string {
	// Looking at the text so far would copy it for every part.
	const pieces: string[] = [];
	let isOpen = false;
	for (const part of parts) {
		if (part === '') continue;
		if (isOpen && /^\S/.test(part)) pieces.push('\n');
		pieces.push(part);
		isOpen = /\S/.test(part.slice(-1));
	}
	return pieces.join('');
}
