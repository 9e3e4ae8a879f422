import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from '../../../server/protocol/routes/check.ts';
import { object, unreadFields } from '../../../server/protocol/routes/fields.ts';
import {
	keepAliveField,
	ollamaMessagesField,
} from '../../../server/protocol/routes/ollamaFields.ts';

const seconds = (keep_alive: unknown) =>
	check(object({ keep_alive: keepAliveField }), { keep_alive }).keep_alive;

test('how long a model stays is a number of seconds or a duration as Go writes it', () => {
	for (const [given, wanted] of [
		[30, 30],
		[0, 0],
		['0', 0],
		['5m', 300],
		['1h30m', 5400],
		['1.5h', 5400],
		['250ms', 0.25],
		[-1, Number.POSITIVE_INFINITY],
		['-1', Number.POSITIVE_INFINITY],
		['-1m', Number.POSITIVE_INFINITY],
		['9999999h', Number.POSITIVE_INFINITY],
	] as const)
		assert.equal(seconds(given), wanted, String(given));
	for (const wrong of ['', 'm', '5 m', '1h 2m', '5d', 'NaN', true, {}, [], 1 / 0])
		assert.throws(() => seconds(wrong), /duration/, JSON.stringify(wrong));
});

const read = (messages: unknown) =>
	check(object({ messages: ollamaMessagesField }), { messages }).messages;
const call = (name: string, id?: string) => ({
	...(id === undefined ? {} : { id }),
	function: { name, arguments: { a: 1 } },
});

test('results find their calls by id, by name and by order', () => {
	const messages = read([
		{ role: 'user', content: 'go', colour: 'red' },
		{
			role: 'assistant',
			thinking: 'hm',
			tool_calls: [call('x'), call('y'), call('x'), call('z', 'own')],
		},
		{ role: 'tool', tool_name: 'y', content: '1' },
		{ role: 'tool', content: '2' },
		{ role: 'tool', tool_call_id: 'own', content: '3' },
		{ role: 'tool', tool_name: 'x', content: '4' },
		{ role: 'assistant' },
	]);
	assert.deepEqual(
		messages.map(({ tool_call_id: id }) => id),
		[undefined, undefined, 'call_1', 'call_0', 'own', 'call_2', undefined],
	);
	const [, asked] = messages;
	assert.equal(asked?.reasoning_content, 'hm');
	assert.deepEqual(
		asked?.tool_calls?.map(({ id, function: { arguments: text } }) => [id, text]),
		['call_0', 'call_1', 'call_2', 'own'].map((id) => [id, '{"a":1}']),
	);
	assert.deepEqual(
		unreadFields(ollamaMessagesField, [{ role: 'user', colour: 'red' }], 'messages'),
		['messages[0].colour'],
	);
});

test('images and messages that are none are refused at their place', () => {
	for (const [messages, param] of [
		[[{ role: 'user', content: 'x', images: ['http://a/b.png'] }], 'messages[0].images[0]'],
		[[{ role: 'tool', content: 'x', images: ['aGk='] }], 'messages[0].images'],
		[[{ role: 'owner', content: 'x' }], 'messages[0].role'],
		[[null], 'messages[0]'],
		['x', 'messages'],
		[[{ role: 'user', content: [] }], 'messages[0].content'],
	] as const)
		assert.throws(() => read(messages), { param });
});
