/** Chats on disk: whole or absent, found again, and gone when they are deleted. */

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChatStore } from '../../../extension/chat/chatStore.ts';
import type { Conversation } from '../../../server/protocol/index.ts';
import { setAsideIn } from '../../../server/store/jsonFile.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const root = temporaryFolder('chats');

const chat = (id: string, text = 'Hello', updatedAt = '2026-01-01T00:00:00Z'): Conversation => ({
	id,
	title: `Chat ${id}`,
	system: '',
	createdAt: updatedAt,
	updatedAt,
	turns: [{ id: `${id}-1`, parent: null, role: 'user', text, createdAt: updatedAt }],
	leaf: `${id}-1`,
});

const open = (name: string) =>
	new ChatStore(join(root, name, 'deep', 'chats'), join(root, name, 'workspace'));

test('chats are found again by another window, newest first, with all that was said', async () => {
	const store = open('found');
	assert.deepEqual(await store.list(), []);
	await store.save(chat('old'));
	await store.save(chat('new', 'Später', '2026-02-01T00:00:00Z'));
	await store.remember('old');
	const other = open('found');
	assert.deepEqual(
		(await other.list()).map(({ id, text }) => [id, text]),
		[
			['new', 'Später'],
			['old', 'Hello'],
		],
	);
	assert.deepEqual(await other.load('old'), chat('old'));
	assert.equal((await other.current())?.id, 'old');
	assert.deepEqual((await readdir(join(root, 'found/deep/chats'))).sort(), [
		'new.json',
		'old.json',
	]);
});

test('saves of a chat follow each other, and the last one stays', async () => {
	const store = open('order');
	await Promise.all(
		Array.from({ length: 20 }, (_, index) => store.save(chat('a', 'x'.repeat(index * 1000)))),
	);
	assert.equal((await store.load('a'))?.turns[0]?.text.length, 19_000);
});

test('two windows that go on with one chat lose nothing of each other, nor the name it is given', async () => {
	const [one, other] = [open('shared'), open('shared')];
	const begun = chat('a');
	await one.save(begun);
	const grown = (id: string, minute: number): Conversation => {
		const createdAt = `2026-01-01T00:0${minute}:00Z`;
		const turn = { id, parent: 'a-1', role: 'user' as const, text: id, createdAt };
		return { ...begun, turns: [...begun.turns, turn], leaf: id, updatedAt: createdAt };
	};
	await Promise.all([one.save(grown('b', 1)), other.save(grown('c', 2))]);
	await other.relabel('a', { title: 'Renamed', pinned: true });
	const both = await one.save(grown('b', 1));
	assert.ok(both !== 'deleted');
	assert.deepEqual(
		both.turns.map(({ id }) => id),
		['a-1', 'b', 'c'],
	);
	const kept = await other.load('a');
	assert.deepEqual(kept, both);
	assert.deepEqual([kept?.title, kept?.pinned, kept?.leaf], ['Renamed', true, 'b']);
});

test('a deleted chat stays away, also when its answer is still being written', async () => {
	const store = open('deleted');
	await store.save(chat('a'));
	await store.remember('a');
	const changes = join(store.changesFolder, 'a.json');
	await mkdir(store.changesFolder, { recursive: true });
	await writeFile(changes, '[]');
	await store.remove('a');
	await assert.rejects(readFile(changes), { code: 'ENOENT' }, 'nothing of it stays');
	await store.save(chat('a'));
	assert.equal(await store.load('a'), undefined);
	assert.equal(await store.current(), undefined);
	assert.deepEqual(await store.list(), []);
	await store.save(chat('b'));
	assert.equal((await store.list()).length, 1);
});

test('a chat that one window deletes does not come back by another that shows it, unless a person wants it to', async () => {
	const [one, other] = [open('elsewhere'), open('elsewhere')];
	await one.save(chat('a'));
	assert.deepEqual(await other.kept('a'), chat('a'));
	assert.equal(await other.kept('new'), undefined);
	await one.remove('a');
	assert.equal(await other.save(chat('a', 'gone on with')), 'deleted');
	await other.relabel('a', { title: 'Again', pinned: true });
	assert.equal(await other.kept('a'), 'deleted');
	assert.deepEqual([await one.list(), await other.list()], [[], []]);
	const path = join(root, 'elsewhere/deep/chats/a.json');
	assert.doesNotMatch(await readFile(path, 'utf8'), /Hello/, 'nothing of it is kept');
	await other.restore(chat('a', 'gone on with'));
	assert.equal((await one.load('a'))?.turns[0]?.text, 'gone on with');
	assert.notEqual(await one.save(chat('a', 'gone on with')), 'deleted');
	// Kept by a third one that has not seen what came then.
	await other.restore({ ...chat('a'), turns: [] });
	assert.equal((await one.load('a'))?.turns[0]?.text, 'gone on with');

	await one.remove('a');
	// What a tool that ran meanwhile has noted.
	const changes = join(one.changesFolder, 'a.json');
	await mkdir(one.changesFolder, { recursive: true });
	await writeFile(changes, '{}');
	await one.remove('b');
	await assert.rejects(readFile(changes), { code: 'ENOENT' }, 'nothing of its files stays');
	await writeFile(path, JSON.stringify({ version: 1, deleted: '2020-01-01T00:00:00.000Z' }));
	await one.remove('b');
	await assert.rejects(readFile(path), { code: 'ENOENT' }, 'an old mark goes');
	assert.equal(await one.kept('b'), 'deleted');
});

test('a chat that cannot be read is set aside, and what takes its place is whole', async () => {
	const store = open('damaged');
	await store.save(chat('a'));
	const folder = join(root, 'damaged/deep/chats');
	await writeFile(join(folder, 'a.json'), '{"chat":{"id":"a","tit');
	assert.equal(await store.load('a'), undefined);
	const [aside = ''] = await setAsideIn(folder);
	assert.equal(await readFile(aside, 'utf8'), '{"chat":{"id":"a","tit');
	await store.save(chat('a', 'again'));
	assert.deepEqual(await open('damaged').load('a'), chat('a', 'again'));
	await writeFile(join(folder, 'old.json'), JSON.stringify(chat('old')));
	assert.deepEqual(await store.load('old'), chat('old'), 'a chat of an earlier version');
});

test('files that are no chats are passed over, and an id leads nowhere else', async () => {
	const store = open('strange');
	await store.save(chat('a'));
	const folder = join(root, 'strange/deep/chats');
	await writeFile(join(folder, 'cut.json'), '{"id":"cut","tit');
	await writeFile(join(folder, 'other.json'), '{"turns":[]}');
	await writeFile(join(root, 'strange/outside.json'), JSON.stringify(chat('outside')));
	assert.deepEqual(
		(await store.list()).map(({ id }) => id),
		['a'],
	);
	assert.equal(await store.load('../../outside'), undefined);
	await store.remember('../../outside');
	assert.equal(await store.current(), undefined);
});

test('a chat keeps the name and the pin it was given, and a deleted one does not come back by it', async () => {
	const store = open('labels');
	await store.save(chat('a'));
	await store.relabel('a', { title: 'My name', pinned: true });
	assert.deepEqual(
		(await store.list()).map(({ title, pinned }) => [title, pinned]),
		[['My name', true]],
	);
	await store.remove('a');
	await store.relabel('a', { title: 'Again', pinned: false });
	assert.deepEqual(await store.list(), []);
});
