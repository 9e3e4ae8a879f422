/** One chat that two pages have gone on with. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Conversation, siblings, type Turn } from '../../server/protocol/index.ts';
import { mergeConversations } from '../../server/protocol/mergeConversations.ts';
import { echo, setUp } from './chatDouble.ts';

const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;
const turn = (
	id: string,
	parent: string | null,
	minute: number,
	rest: Partial<Turn> = {},
): Turn => ({
	...{ id, parent, role: id.startsWith('q') ? 'user' : 'assistant', text: id },
	createdAt: at(minute),
	...(id.startsWith('a') ? { finishReason: 'stop' } : {}),
	...rest,
});
const chat = (turns: readonly Turn[], rest: Partial<Conversation> = {}): Conversation => ({
	...{ id: 'c', title: 'q1', system: '', createdAt: at(0), turns },
	updatedAt: turns.at(-1)?.createdAt ?? at(0),
	leaf: turns.at(-1)?.id ?? null,
	...rest,
});
const ids = ({ turns }: Conversation) => turns.map(({ id }) => id).join(' ');
const first = [turn('q1', null, 1), turn('a1', 'q1', 1)];

test('what both have added stays, as versions of each other where they went on at the same place', () => {
	const own = chat([...first, turn('q3', 'a1', 3), turn('a3', 'q3', 3)]);
	const kept = chat([...first, turn('q2', 'a1', 2), turn('a2', 'q2', 2)]);
	const merged = mergeConversations(own, kept);
	assert.equal(ids(merged), 'q1 a1 q2 a2 q3 a3');
	assert.equal(merged.leaf, 'a3');
	assert.equal(merged.updatedAt, at(3));
	assert.equal(siblings(merged, merged.turns[2]!).length, 2);
	assert.deepEqual(mergeConversations(kept, own).turns, merged.turns);
});

test('of an answer that one page still saw being written, what got further stays', () => {
	const open = (text: string) => {
		const { finishReason: _, ...rest } = turn('a1', 'q1', 1, { text });
		return chat([first[0]!, rest]);
	};
	const ended = chat(first);
	const text = (own: Conversation, kept: Conversation) =>
		mergeConversations(own, kept).turns[1]?.text;
	assert.equal(text(open('long, but never ended'), ended), 'a1');
	assert.equal(text(ended, open('long, but never ended')), 'a1');
	assert.equal(text(open('a bit'), open('a bit more')), 'a bit more');
	assert.equal(text(open('a bit more'), open('a bit')), 'a bit more');
});

test('a name and a pin that a list has given stay, and a page that has named its chat is heard', () => {
	const named = chat(first, { title: 'Mine', pinned: true });
	assert.deepEqual(
		(({ title, pinned }) => ({ title, pinned }))(mergeConversations(chat(first), named)),
		{ title: 'Mine', pinned: true },
	);
	const unpinned = { ...named, pinned: false };
	assert.equal(mergeConversations(named, unpinned).pinned, false);
	assert.equal(mergeConversations(named, chat(first)).title, 'Mine');
});

test('a page takes in what another has added, goes on with its own branch, and is told of nothing it knows', async () => {
	const { session } = setUp(echo);
	await session.send('one');
	let told = 0;
	session.onState = () => told++;
	session.join(structuredClone(session.conversation));
	session.join({ ...session.conversation, id: 'another' });
	session.join(undefined);
	const { conversation } = session;
	const question: Turn = { ...conversation.turns[0]!, id: 'q-other', text: 'two' };
	assert.equal(told, 0);
	session.join({ ...conversation, turns: [...conversation.turns, question], leaf: question.id });
	assert.equal(told, 1);
	assert.equal(session.conversation.leaf, conversation.leaf);
	assert.deepEqual(session.conversation.turns.map(({ text }) => text).sort(), [
		'one',
		're: one',
		'two',
	]);
});
