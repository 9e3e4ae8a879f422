/** VS Code's language model messages as chat messages. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	callInput,
	toChatMessages,
	toToolDefinition,
} from '../../extension/chat/messageConvert.ts';

test('texts are joined, calls and their results become messages of their own', () => {
	assert.deepEqual(
		toChatMessages([
			{ role: 1, content: [{ value: 'a' }, { value: 'b' }] },
			{ role: 2, content: [{ callId: 'c1', name: 'add', input: { x: 1 } }] },
			{ role: 1, content: [{ callId: 'c1', content: [{ value: '2' }, { data: 'no text' }] }] },
			{ role: 2, content: [] },
		]),
		[
			{ role: 'user', content: 'ab' },
			{
				role: 'assistant',
				content: null,
				tool_calls: [
					{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"x":1}' } },
				],
			},
			{ role: 'tool', tool_call_id: 'c1', content: '2' },
		],
	);
});

test('a tool without a schema has no parameters, and odd arguments still are an object', () => {
	assert.deepEqual(toToolDefinition({ name: 'n', description: 'd', inputSchema: undefined }), {
		type: 'function',
		function: { name: 'n', description: 'd' },
	});
	assert.deepEqual(callInput('{"a":1}'), { a: 1 });
	assert.deepEqual(callInput('3'), { value: 3 });
	assert.deepEqual(callInput('{broken'), { text: '{broken' });
});

test("images stand where they were among the texts, those of tools are read as the user's", () => {
	const bytes = Buffer.from('89504e47', 'hex');
	const shown = { data: new Uint8Array(bytes), mimeType: 'image/png' };
	const image = { base64: bytes.toString('base64'), detail: 'auto' };
	assert.deepEqual(
		toChatMessages([
			{ role: 1, content: [{ value: 'this ' }, shown, { value: 'or' }, shown] },
			{ role: 1, content: [shown] },
			{ role: 1, content: [{ callId: 'c', content: [{ value: 'seen' }, shown] }] },
		]),
		[
			{
				role: 'user',
				content: 'this or',
				images: [
					{ ...image, fromEnd: 2 },
					{ ...image, fromEnd: 0 },
				],
			},
			{ role: 'user', content: '', images: [{ ...image, fromEnd: 0 }] },
			{ role: 'tool', tool_call_id: 'c', content: 'seen' },
			{ role: 'user', content: '', images: [{ ...image, fromEnd: 0 }] },
		],
	);
});

test('data that is text is read as text, marks of hosts are not', () => {
	const data = (mimeType: string, text: string) => ({ data: Buffer.from(text), mimeType });
	const content = [
		data('text/plain', 'a '),
		data('application/json', '{"b":1}'),
		data('cache_control', 'ephemeral'),
	];
	assert.deepEqual(toChatMessages([{ role: 1, content }]), [
		{ role: 'user', content: 'a {"b":1}' },
	]);
});
