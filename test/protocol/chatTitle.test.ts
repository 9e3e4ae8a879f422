/** Titles that the model gives to chats. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleIn } from '../../server/protocol/chatTitle.ts';
import type { ModelInfo } from '../../server/protocol/index.ts';
import { until } from '../support/until.ts';
import { answer, setUp } from './chatDouble.ts';

const question = 'How do I read a file line by line without loading all of it?';
const model = (origin: ModelInfo['origin']) =>
	[{ id: 'm', task: 'chat-completion', state: 'loaded', origin }] as unknown as ModelInfo[];

/** A chat that answers, and names itself `title`. */
function named(title: string, origin: ModelInfo['origin'] = 'catalogue') {
	const chat = setUp(async ({ messages }) => {
		const isTitle = /title/.test(messages.at(-1)?.content ?? '');
		return answer(isTitle ? title : 'With a stream.');
	});
	chat.session.models = model(origin);
	return chat;
}

test('a chat is named once, after its first answer, with what was read already before the request', async () => {
	const { session, asked, saved } = named('**Reading a file by lines.**');
	await session.send(question);
	await until('the chat is named', () => session.conversation.title === 'Reading a file by lines');
	assert.equal(saved.at(-1)?.title, 'Reading a file by lines');
	const [first, title] = asked;
	assert.deepEqual(title?.messages.slice(0, 2), first?.messages);
	assert.equal(title?.messages[2]?.content, 'With a stream.');
	await session.send('And backwards?');
	assert.equal(asked.length, 3);
	assert.equal(session.conversation.title, 'Reading a file by lines');
});

test('a short question is a title, the built-in model gives none, and nobody loses a name of their own', async () => {
	const short = named('Other');
	await short.session.send('What is a mutex?');
	assert.equal(short.asked.length, 1);
	const builtIn = named('Other', 'built-in');
	await builtIn.session.send(question);
	assert.equal(builtIn.asked.length, 1);
	const own = named('Other');
	const { how, session } = own;
	const { complete } = how;
	how.complete = async (params, onDelta, signal) => {
		session.relabel(session.conversation.id, { title: 'Mine', pinned: false });
		return complete(params, onDelta, signal);
	};
	await session.send(question);
	await new Promise((resolve) => setImmediate(resolve));
	assert.equal(session.conversation.title, 'Mine');
});

test('an answer that is no title is none, and a failure says nothing', async () => {
	for (const text of ['', '"', 'One\nTwo', 'x'.repeat(80)]) assert.equal(titleIn(text), undefined);
	assert.equal(titleIn('Title: „Zeilen lesen“\n'), 'Zeilen lesen');
	assert.equal(titleIn('# C++ templates'), 'C++ templates');
	const failing = named('Other');
	const { how, session, posted } = failing;
	const { complete } = how;
	how.complete = async (params, onDelta, signal) => {
		if (params.maxTokens !== undefined) throw new Error('busy');
		return complete(params, onDelta, signal);
	};
	await session.send(question);
	await new Promise((resolve) => setImmediate(resolve));
	assert.match(session.conversation.title, /^How do I read/);
	assert.ok(!JSON.stringify(posted).includes('busy'));
});

test('nothing of a chat that is opened meanwhile goes to the model of the one that was left', async () => {
	const other = named('Other');
	const { how, session, asked } = other;
	await session.send(question);
	await until('the chat is named', () => session.conversation.title === 'Other');
	const old = { ...session.conversation, title: question, id: 'old' };
	session.reset('');
	const { complete } = how;
	for (const isStopped of [true, false]) {
		how.complete = async (params, onDelta, signal) => {
			if (isStopped) session.open(old);
			else queueMicrotask(() => session.open(old));
			return complete(params, onDelta, signal);
		};
		const before = asked.length;
		await session.send(question);
		await new Promise((resolve) => setImmediate(resolve));
		assert.equal(asked.length, before + 1);
		session.reset('');
	}
});
