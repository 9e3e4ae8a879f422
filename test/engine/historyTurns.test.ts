/** Which turns of a conversation are left out, and what always stays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestTurns, type TurnLimits } from '../../server/engine/text/historyTurns.ts';
import type { ChatMessage } from '../../server/protocol/index.ts';

const say = (role: ChatMessage['role'], content: string): ChatMessage => ({ role, content });

/** Words are contents; the letter before them is the role's first. */
function words(messages: readonly ChatMessage[], limits: TurnLimits<ChatMessage>) {
	const read = newestTurns(messages, limits);
	return [...read.messages.map(({ role, content }) => `${role[0]}:${content}`), read.omittedTurns];
}

const chat = [
	say('system', 'brief'),
	say('user', 'one'),
	say('assistant', 'eins'),
	say('user', 'two'),
	say('developer', 'louder'),
	say('assistant', 'zwei'),
	say('user', 'three'),
];

test('a number of earlier turns is kept, the newest, and system messages stay wherever they are', () => {
	const last = 'u:three';
	assert.deepEqual(words(chat, { maxHistoryTurns: 0 }), ['s:brief', 'd:louder', last, 2]);
	const one = ['s:brief', 'u:two', 'd:louder', 'a:zwei', last, 1];
	assert.deepEqual(words(chat, { maxHistoryTurns: 1 }), one);
	for (const limits of [{}, { maxHistoryTurns: 2 }, { maxHistoryTurns: 9 }])
		assert.deepEqual(newestTurns(chat, limits), { messages: chat, omittedTurns: 0 });
});

test('the last turn is kept whole, with its calls and results, and an answer that is gone on with', () => {
	const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] as const;
	const last: ChatMessage[] = [
		say('user', 'time?'),
		{ role: 'assistant', content: null, tool_calls: calls },
		{ role: 'tool', content: '12:00', tool_call_id: 'c' },
		say('assistant', 'It is'),
	];
	const read = newestTurns([...chat, ...last], { maxHistoryTurns: 0, fits: () => false });
	assert.deepEqual(read.messages.slice(-4), last);
	assert.equal(read.omittedTurns, 3);
});

test('a greeting before the first question is a turn of its own; a prompt without questions stays whole', () => {
	const greeted = [say('system', 's'), say('assistant', 'Hello!'), say('user', 'one')];
	assert.deepEqual(words(greeted, { maxHistoryTurns: 0 }), ['s:s', 'u:one', 1]);
	for (const alone of [[say('system', 's')], [say('assistant', 'a')], [say('user', 'u')], []])
		assert.deepEqual(newestTurns(alone, { maxHistoryTurns: 0, fits: () => false }), {
			messages: alone,
			omittedTurns: 0,
		});
});

test('as few turns as possible are left out until the rest fits, however many there are', () => {
	for (const turns of [1, 2, 3, 7, 40])
		for (const most of [1, 2, 3, 20, 79, 200]) {
			const long = Array.from({ length: turns }, (_, turn) => [
				say('user', `q${turn}`),
				say('assistant', `a${turn}`),
			]).flat();
			let asked = 0;
			const { messages, omittedTurns } = newestTurns([...long, say('user', 'last')], {
				fits: ({ length }) => ++asked > 0 && length <= most,
			});
			// Each earlier turn is two messages beside the last question.
			const kept = Math.min(turns, Math.max(0, Math.floor((most - 1) / 2)));
			assert.equal(omittedTurns, turns - kept, `${turns} turns, ${most} messages`);
			assert.equal(messages.length, kept * 2 + 1);
			assert.ok(asked <= 2 + Math.log2(turns + 1), `${asked} counts for ${turns} turns`);
		}
});

test('what the publisher allows is the most, what fits may be less', () => {
	const limits = { maxHistoryTurns: 1, fits: ({ length }: readonly unknown[]) => length < 4 };
	assert.deepEqual(words(chat, limits), ['s:brief', 'd:louder', 'u:three', 2]);
});
