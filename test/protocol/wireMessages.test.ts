/** Messages with images on their way to a server: what is read there is what was meant here. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatMessage, Conversation } from '../../server/protocol/index.ts';
import { messagesOf } from '../../server/protocol/index.ts';
import { chatRequest } from '../../server/protocol/routes/chat.ts';
import { imageUrl, wireChat, wireMessages } from '../../server/protocol/wireMessages.ts';
import { upstreamChatOf } from '../../server/remote/upstreams/chatBody.ts';

const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const jpeg = Buffer.from('ffd8ffe000104a46', 'hex').toString('base64');
const image = (base64: string, fromEnd: number) => ({ base64, detail: 'auto' as const, fromEnd });

const messages: ChatMessage[] = [
	{ role: 'system', content: 'Be short.' },
	{
		role: 'user',
		content: 'first\nsecond',
		images: [image(png, 12), image(jpeg, 6), image(png, 6), image(png, 0)],
	},
	{ role: 'user', content: '', images: [image(jpeg, 0)] },
];

test('images keep their places between texts, at the ends and beside each other', () => {
	const body = { model: 'm', messages: wireMessages(messages) };
	assert.deepEqual(chatRequest.parse(JSON.parse(JSON.stringify(body))).messages, messages);
	assert.deepEqual(wireMessages(messages)[0], messages[0]);
});

test('an address of an image says of what type its bytes are', () => {
	assert.match(imageUrl(jpeg), /^data:image\/jpeg;base64,\/9j\//);
	assert.match(imageUrl(png), /^data:image\/png;/);
	assert.match(imageUrl(Buffer.from('RIFF0000WEBP').toString('base64')), /^data:image\/webp;/);
});

test('an engine elsewhere is sent the images of a request', () => {
	const { tools: _, ...request } = chatRequest.parse({
		model: 'm',
		messages: wireMessages(messages),
	});
	assert.deepEqual(upstreamChatOf(request, 'there').body['messages'], wireMessages(messages));
});

test('an image that is attached to a question goes with it, before its text', () => {
	const conversation: Conversation = {
		...{ id: 'c', title: '', system: '', createdAt: '', updatedAt: '', leaf: 'q' },
		turns: [
			{
				...{ id: 'q', parent: null, role: 'user', text: 'What is it?', createdAt: '' },
				attachments: [{ label: 'a.png', language: '', text: '', image: png }],
			},
		],
	};
	assert.deepEqual(messagesOf(conversation, 'q'), [
		{ role: 'user', content: 'a.png\n\nWhat is it?', images: [image(png, 18)] },
	]);
});

test('a request that is asked once more is the same request', () => {
	const f = { name: 'f', parameters: { type: 'object' } };
	const tools = [
		{ type: 'function', function: f },
		{
			...{ type: 'custom', name: 'c' },
			format: { type: 'grammar', syntax: 'regex', definition: 'a' },
		},
	];
	const allowed = { mode: 'auto', tools: [{ type: 'custom', custom: { name: 'c' } }] };
	const call = { name: 'f', arguments: { at: 1 } };
	for (const fields of [
		{ tools, tool_choice: 'required' },
		{ tools, tool_choice: { type: 'function', function: { name: 'f' } } },
		{ tools, tool_choice: { type: 'custom', name: 'c' } },
		{ tools, tool_choice: { type: 'allowed_tools', allowed_tools: allowed } },
		{ functions: [f], function_call: { name: 'f' } },
		{ functions: [f], function_call: call },
		{ functions: [f], function_call: { arguments: { at: 1 } } },
		{ functions: [f], function_call: 'none' },
		{ stop: 'x', n: 2, logit_bias: { 1: -100 }, response_format: { type: 'json_object' } },
		{ messages: [...messages, { role: 'assistant', content: null, refusal: 'No.' }] },
	]) {
		const read = chatRequest.parse({ model: 'm', messages: wireMessages(messages), ...fields });
		const again = chatRequest.parse(JSON.parse(JSON.stringify(wireChat(read))));
		assert.deepEqual(again, read, JSON.stringify(fields));
	}
});
