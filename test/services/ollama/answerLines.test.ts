import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatEvent } from '../../../server/services/chat/chatService.ts';
import type { CallPiece } from '../../../server/services/chat/choiceReader.ts';
import { AnswerLines } from '../../../server/services/ollama/answerLines.ts';

const now = () => '2026-01-02T03:04:05.000Z';
const piece = (
	fields: { content?: string; reasoning?: string; calls?: readonly CallPiece[] },
	tokenIds: readonly number[] = [1],
): ChatEvent => ({
	type: 'piece',
	choice: 0,
	tokenIds,
	piece: { content: '', reasoning: '', calls: [], ...fields },
});
const finish: ChatEvent = { type: 'finish', choice: 0, reason: 'tool_calls' };
const head = { model: 'm', created_at: now() };
const lines = () => new AnswerLines({ model: 'm', kind: 'chat', now });
const assistant = (fields: object) => ({ role: 'assistant', content: '', ...fields });

test('calls that come in pieces are lines of their own, whole and with their arguments as an object', () => {
	const answer = lines();
	const written = [
		...answer.take(piece({ reasoning: 'which zone' }, [4])),
		...answer.take(piece({ calls: [{ index: 0, id: 'a', name: 'time', arguments: '{"zo' }] }, [5])),
		...answer.take(piece({ calls: [{ index: 0, arguments: 'ne":2}' }] }, [6])),
		...answer.take(piece({ calls: [{ index: 1, id: 'b', name: 'stop', arguments: '' }] }, [7])),
		...answer.take(finish),
	];
	const time = { id: 'a', function: { index: 0, name: 'time', arguments: { zone: 2 } } };
	const stop = { id: 'b', function: { index: 1, name: 'stop', arguments: {} } };
	assert.deepEqual(written, [
		{ ...head, message: assistant({ thinking: 'which zone' }), done: false },
		{ ...head, message: assistant({ tool_calls: [time] }), done: false },
		{ ...head, message: assistant({ tool_calls: [stop] }), done: false },
	]);
	assert.deepEqual(answer.tokens, [4, 5, 6, 7]);
	assert.deepEqual(answer.whole({ reason: 'stop', totalMs: 1 }), {
		...head,
		message: assistant({ thinking: 'which zone', tool_calls: [time, stop] }),
		done: true,
		done_reason: 'stop',
	});
});

test('half a call is none', () => {
	const answer = lines();
	answer.take(piece({ calls: [{ index: 0, id: 'a', name: 'time', arguments: '{"zo' }] }));
	assert.deepEqual(answer.take({ type: 'finish', choice: 0, reason: 'length' }), []);
	assert.equal(answer.reason, 'length');
});
