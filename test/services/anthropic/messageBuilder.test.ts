import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	MessageBuilder,
	type MessageEvent,
} from '../../../server/services/anthropic/messageBuilder.ts';
import type { ChatEvent, ChatOutcome } from '../../../server/services/chat/chatService.ts';
import type { CallPiece } from '../../../server/services/chat/choiceReader.ts';

const piece = (fields: {
	content?: string;
	reasoning?: string;
	calls?: readonly CallPiece[];
}): ChatEvent => ({
	type: 'piece',
	choice: 0,
	tokenIds: [],
	piece: { content: '', reasoning: '', calls: [], ...fields },
});
const start: ChatEvent = { type: 'start', model: 'm:1', choices: 1, promptTokens: 9 };
const outcome = {
	usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 6 } },
} as ChatOutcome;

function built(
	events: readonly ChatEvent[],
	stopSequences: readonly string[] = [],
	maxTokens = 10,
) {
	const seen: MessageEvent[] = [];
	const builder = new MessageBuilder({
		...{ id: 'msg_1', model: 'm', stopSequences, maxTokens },
		emit: (event) => seen.push(event),
	});
	for (const event of events) builder.take(event);
	return { seen, message: builder.finish(outcome) as Record<string, unknown> };
}

test('thinking, text and calls are blocks in their order, each opened and closed', () => {
	const { seen, message } = built([
		start,
		piece({ reasoning: 'hm' }),
		piece({ reasoning: '…', content: 'Let me' }),
		piece({ content: ' look.' }),
		piece({ calls: [{ index: 0, id: 'call_a', name: 'time', arguments: '{"zo' }] }),
		piece({ calls: [{ index: 0, arguments: 'ne":2}' }] }),
		piece({ calls: [{ index: 1, id: 'call_b', name: 'stop' }] }),
		{ type: 'finish', choice: 0, reason: 'tool_calls' },
	]);
	const delta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
	const stop = (index: number) => ({ type: 'content_block_stop', index });
	const thinking = (text: string) => ({ type: 'thinking_delta', thinking: text });
	const text = (said: string) => ({ type: 'text_delta', text: said });
	const json = (partial_json: string) => ({ type: 'input_json_delta', partial_json });
	const tool = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
	const begin = (index: number, content_block: object) => ({
		...{ type: 'content_block_start', index, content_block },
	});
	const usage = (input_tokens: number, cache_read_input_tokens: number, output_tokens: number) => ({
		...{ input_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens, output_tokens },
		service_tier: 'standard',
	});
	const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm:1' };
	const ending = { stop_details: null, container: null };
	const none = { stop_reason: null, stop_sequence: null, ...ending };
	const tools = { stop_reason: 'tool_use', stop_sequence: null, ...ending };
	assert.deepEqual(seen, [
		{ type: 'message_start', message: { ...head, content: [], ...none, usage: usage(9, 0, 0) } },
		{ type: 'ping' },
		begin(0, { type: 'thinking', thinking: '', signature: '' }),
		delta(0, thinking('hm')),
		delta(0, thinking('…')),
		stop(0),
		begin(1, { type: 'text', text: '' }),
		delta(1, text('Let me')),
		delta(1, text(' look.')),
		stop(1),
		begin(2, tool('toolu_a', 'time', {})),
		delta(2, json('{"zo')),
		delta(2, json('ne":2}')),
		stop(2),
		begin(3, tool('toolu_b', 'stop', {})),
		stop(3),
		{ type: 'message_delta', delta: tools, usage: usage(3, 6, 4) },
		{ type: 'message_stop' },
	]);
	assert.deepEqual(message, {
		...head,
		content: [
			{ type: 'thinking', thinking: 'hm…', signature: '' },
			{ type: 'text', text: 'Let me look.' },
			tool('toolu_a', 'time', { zone: 2 }),
			tool('toolu_b', 'stop', {}),
		],
		...tools,
		usage: usage(3, 6, 4),
	});
});

test('why it ended: a stop sequence of the caller, the limit, or the end of the context', () => {
	const ended = (reason: 'stop' | 'length', stoppedBy?: string, maxTokens?: number) => {
		const finish = { type: 'finish' as const, choice: 0, reason };
		const by = stoppedBy === undefined ? {} : { stoppedBy };
		const { message } = built([start, { ...finish, ...by }], ['END'], maxTokens);
		return [message['stop_reason'], message['stop_sequence']];
	};
	assert.deepEqual(ended('stop', 'END'), ['stop_sequence', 'END']);
	assert.deepEqual(ended('stop', '<|im_end|>'), ['end_turn', null]);
	assert.deepEqual(ended('length', undefined, 4), ['max_tokens', null]);
	assert.deepEqual(ended('length', undefined, 5), ['model_context_window_exceeded', null]);
});

test('half a call is none in a whole message', () => {
	const { message } = built([
		start,
		piece({ calls: [{ index: 0, id: 'call_a', name: 'time', arguments: '{"zo' }] }),
		{ type: 'finish', choice: 0, reason: 'length' },
	]);
	assert.deepEqual(message['content'], []);
});
