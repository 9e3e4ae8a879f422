/** Fields of requests in Anthropic's words, read into those of chat completions. */

import type { ChatMessage, ToolCall, ToolChoice, ToolDefinition } from '../chatTypes.ts';
import { asObject, invalid, Refused, read } from './check.ts';
import { anything, boolean, object, oneOf, optional, ruled, string } from './fields.ts';
import { checkedBase64, fewImages, type UnplacedImage } from './imageFields.ts';
import { contentOfParts, maxMessages, textOfParts } from './messageFields.ts';
import { toolsField } from './toolFields.ts';

const text = string();
const name = string({ minLength: 1, maxLength: 256 });

/** Reads one block of a message's content. */
type BlockReader = (block: Record<string, unknown>, at: string) => void;

/** Hands each block of a content to the reader of its type; a text is one block. */
function readBlocks(
	content: unknown,
	at: string,
	readers: Readonly<Record<string, BlockReader>>,
): void {
	if (typeof content === 'string') {
		readers['text']?.({ text: content }, at);
		return;
	}
	if (!Array.isArray(content)) throw invalid(at, 'a string or an array of blocks', content);
	if (content.length > maxMessages) throw invalid(at, `an array of at most ${maxMessages} blocks`);
	for (const [index, each] of content.entries()) {
		const below = `${at}[${index}]`;
		const block = asObject(each, below);
		const type = read(text, block['type'], `${below}.type`);
		const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
		if (reader === undefined)
			throw new Refused(
				below,
				(field) =>
					`${field} is a block of type '${type.slice(0, 40)}'; ${Object.keys(readers).join(', ')} are understood here.`,
				'unsupported_parameter',
			);
		reader(block, below);
	}
}

/** The text of a content of text blocks. */
function textOf(content: unknown, at: string): string {
	const parts: string[] = [];
	readBlocks(content, at, { text: textInto(parts) });
	return textOfParts(parts);
}

const textInto =
	(parts: Pick<string[], 'push'>): BlockReader =>
	(block, at) => {
		parts.push(read(text, block['text'], `${at}.text`));
	};

const mediaType = oneOf('image/png', 'image/jpeg', 'image/webp');

function imageOf(block: Record<string, unknown>, at: string): UnplacedImage {
	const source = asObject(block['source'], `${at}.source`);
	const type = read(text, source['type'], `${at}.source.type`);
	if (type !== 'base64')
		throw new Refused(
			`${at}.source.type`,
			(field) =>
				`${field} is '${type.slice(0, 40)}'; nothing is fetched here. Send the image itself as base64.`,
			'unsupported_parameter',
		);
	read(mediaType, source['media_type'], `${at}.source.media_type`);
	const below = `${at}.source.data`;
	return { base64: checkedBase64(read(text, source['data'], below), below), detail: 'auto' };
}

/** A document that came as plain text; others would have to be read first. */
const documentInto =
	(parts: Pick<string[], 'push'>): BlockReader =>
	(block, at) => {
		const source = asObject(block['source'], `${at}.source`);
		const type = read(text, source['type'], `${at}.source.type`);
		if (type === 'text') parts.push(read(text, source['data'], `${at}.source.data`));
		else if (type === 'content') parts.push(textOf(source['content'], `${at}.source.content`));
		else
			throw new Refused(
				`${at}.source.type`,
				(field) => `${field} is '${type.slice(0, 40)}'; documents are read as text only.`,
				'unsupported_parameter',
			);
	};

/** A text or text blocks. */
export const systemField = ruled(
	{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'object' } }] },
	(value) => textOf(value, ''),
);

const messageSchema = {
	type: 'object',
	required: ['role', 'content'],
	properties: {
		role: { enum: ['user', 'assistant', 'system'] },
		content: {
			anyOf: [
				{ type: 'string' },
				{ type: 'array', maxItems: maxMessages, items: { type: 'object', required: ['type'] } },
			],
		},
	},
};

/** The turns of a conversation; results of tools become messages of their own. */
export const anthropicMessagesField = ruled(
	{ type: 'array', minItems: 1, maxItems: maxMessages, items: messageSchema },
	(value): ChatMessage[] => {
		if (!Array.isArray(value)) throw invalid('', 'an array of messages', value);
		if (value.length === 0) throw invalid('', 'an array with at least one message');
		if (value.length > maxMessages)
			throw invalid('', `an array of at most ${maxMessages} messages`);
		const messages: ChatMessage[] = [];
		for (const [index, each] of value.entries()) addTurn(messages, each, `[${index}]`);
		if (messages.at(-1)?.role === 'assistant')
			throw new Refused(
				`[${value.length - 1}].role`,
				(field) =>
					`${field} is 'assistant', but models here begin their answers themselves: end with a message of the user.`,
				'unsupported_parameter',
			);
		return fewImages(messages);
	},
);

const roleField = oneOf('user', 'assistant', 'system');

function addTurn(messages: ChatMessage[], value: unknown, at: string): void {
	const turn = asObject(value, at);
	const role = read(roleField, turn['role'], `${at}.role`);
	const content = turn['content'];
	if (role === 'system') messages.push({ role, content: textOf(content, `${at}.content`) });
	else if (role === 'assistant') messages.push(assistantTurn(content, `${at}.content`));
	else addUserTurn(messages, content, `${at}.content`);
}

function addUserTurn(messages: ChatMessage[], content: unknown, at: string): void {
	const parts: (string | UnplacedImage)[] = [];
	const texts = { push: (said: string) => parts.push(said) };
	let results = 0;
	readBlocks(content, at, {
		text: textInto(texts),
		image: (block, below) => {
			parts.push(imageOf(block, below));
		},
		document: documentInto(texts),
		tool_result: (block, below) => {
			results++;
			const given = block['content'];
			const said = given === undefined || given === null ? '' : textOf(given, `${below}.content`);
			const failed = read(optional(boolean), block['is_error'], `${below}.is_error`) === true;
			messages.push({
				role: 'tool',
				tool_call_id: read(name, block['tool_use_id'], `${below}.tool_use_id`),
				// Templates have no other place for it.
				content: failed && !/^error/i.test(said) ? `Error: ${said}` : said,
			});
		},
	});
	if (parts.length === 0 && results > 0) return;
	const { content: said, images } = contentOfParts(parts);
	messages.push({ role: 'user', content: said, ...(images.length === 0 ? {} : { images }) });
}

function assistantTurn(content: unknown, at: string): ChatMessage {
	const parts: string[] = [];
	const thoughts: string[] = [];
	const calls: ToolCall[] = [];
	readBlocks(content, at, {
		text: textInto(parts),
		thinking: (block, below) => {
			thoughts.push(read(text, block['thinking'], `${below}.thinking`));
		},
		// Nobody but who wrote it can read it.
		redacted_thinking: () => {},
		tool_use: (block, below) => {
			const input = asObject(block['input'], `${below}.input`);
			calls.push({
				id: read(name, block['id'], `${below}.id`),
				type: 'function',
				function: {
					name: read(name, block['name'], `${below}.name`),
					arguments: JSON.stringify(input),
				},
			});
		},
	});
	return {
		role: 'assistant',
		content: parts.length === 0 && calls.length > 0 ? null : textOfParts(parts),
		...(thoughts.length === 0 ? {} : { reasoning_content: textOfParts(thoughts) }),
		...(calls.length === 0 ? {} : { tool_calls: calls }),
	};
}

const toolField = object({
	/** `custom`, or absent: what runs on a server does not exist here. */
	type: optional(text),
	name: optional(anything),
	description: optional(anything),
	input_schema: optional(anything),
	strict: optional(anything),
});

/** Tools with their schemas. */
export const anthropicToolsField = ruled(
	{
		type: 'array',
		items: {
			type: 'object',
			required: ['name', 'input_schema'],
			properties: {
				type: { const: 'custom' },
				name: { type: 'string' },
				description: { type: 'string' },
				input_schema: { type: 'object' },
				strict: { type: 'boolean' },
			},
		},
	},
	(value): ToolDefinition[] => {
		if (!Array.isArray(value)) throw invalid('', 'an array of tools', value);
		const functions = value.map((each: unknown, index) => {
			const at = `[${index}]`;
			const { type = 'custom', input_schema: parameters, ...rest } = read(toolField, each, at);
			if (type !== 'custom')
				throw new Refused(
					`${at}.type`,
					(field) =>
						`${field} is '${type.slice(0, 40)}'; only tools of the caller's own, with an 'input_schema', exist here.`,
					'unsupported_parameter',
				);
			return { type: 'function', function: { ...rest, parameters } };
		});
		try {
			return read(toolsField, functions, '');
		} catch (error) {
			if (!(error instanceof Refused)) throw error;
			const at = error.at.replace('.function.parameters', '.input_schema').replace('.function', '');
			throw new Refused(at, error.sentence, error.code, { cause: error });
		}
	},
);

const choiceField = object({
	type: oneOf('auto', 'any', 'tool', 'none'),
	name: optional(string({ minLength: 1, maxLength: 128 })),
	disable_parallel_tool_use: optional(boolean),
});

/** Which tool has to be called, and whether several may be. */
export interface AnthropicToolChoice {
	readonly choice: ToolChoice;
	readonly parallel: boolean;
}

export const anthropicToolChoiceField = ruled(
	{
		type: 'object',
		required: ['type'],
		properties: {
			type: { enum: ['auto', 'any', 'tool', 'none'] },
			name: { type: 'string' },
			disable_parallel_tool_use: { type: 'boolean' },
		},
	},
	(value): AnthropicToolChoice => {
		const {
			type,
			name: wanted,
			disable_parallel_tool_use: single = false,
		} = read(choiceField, value, '');
		if (type === 'tool' && wanted === undefined)
			throw new Refused('.name', (field) => `${field} is missing: which tool is to be called?`);
		const choice: ToolChoice =
			type === 'any' ? 'required' : type === 'tool' ? { name: wanted ?? '' } : type;
		return { choice, parallel: !single };
	},
);
