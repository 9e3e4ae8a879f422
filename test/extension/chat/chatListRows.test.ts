/** The list of chats: groups, what was found, and times as people say them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatGroups, excerpt, timeAgo } from '../../../extension/chat/chatListRows.ts';

const now = new Date(2026, 5, 20, 12);
const at = (day: number) => new Date(2026, 5, day, 9).toISOString();
const chat = (id: string, day: number, text: string, pinned = false) => ({
	...{ id, title: `Chat ${id}`, text, pinned, updatedAt: at(day) },
});

test('pinned chats stand first, the others by day, and only those that hold the words', () => {
	const chats = [
		chat('a', 20, 'Use TAR here'),
		chat('b', 19, 'tar'),
		chat('c', 16, 'zip'),
		chat('d', 1, 'tar', true),
		chat('e', 2, 'tar'),
	];
	const ids = (words: string) =>
		chatGroups(chats, words, now).map(([group, own]) => [group, own.map(({ id }) => id).join()]);
	assert.deepEqual(ids('tar'), [
		['pinned', 'd'],
		['today', 'a'],
		['yesterday', 'b'],
		['earlier', 'e'],
	]);
	assert.deepEqual(ids('chat c'), [['thisWeek', 'c']]);
	assert.deepEqual(ids('nothing'), []);
});

test('an excerpt shows the words where they were said', () => {
	const text = `${'before '.repeat(20)}the\nWORD is ${'after '.repeat(20)}`;
	const shown = excerpt(text, 'word');
	assert.match(shown, /^….*the WORD is after.*…$/);
	assert.ok(shown.length < 100);
	assert.equal(excerpt(text, ''), '');
	assert.equal(excerpt(text, 'title only'), '');
});

test('times are told as people tell them', () => {
	assert.equal(
		timeAgo(new Date(now.getTime() - 5 * 60_000).toISOString(), now, 'en'),
		'5 min. ago',
	);
	assert.equal(timeAgo(at(19), now, 'en'), 'yesterday');
	assert.equal(timeAgo(new Date(2025, 0, 2).toISOString(), now, 'en'), '1/2/2025');
});
