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
