/** The agent of the chat: a model of an engine calls its tools as it was told to, and a person decides. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { engineOf, withLab } from './labEngine.ts';
import { chatsAbout, command, desk, newChat, openChat, photograph, webview } from './window.ts';

type Call = readonly [tool: string, input: object];

/** What the model does for a question, answer by answer: it calls tools, or says something. */
const plans: Readonly<Record<string, readonly (readonly Call[] | string)[]>> = {
	'Greet in French': [
		[['read_file', { path: 'hello.js' }]],
		[
			['edit_file', { path: 'hello.js', old_text: "'Hello'", new_text: "'Bonjour'" }],
			['edit_file', { path: 'bye.js', old_text: "'Goodbye'", new_text: "'Au revoir'" }],
		],
		[['run_command', { command: 'cat hello.js bye.js' }]],
		'Both greet in French now.',
	],
	'Go away': [[['run_command', { command: 'cd / && pwd' }]], 'It went away.'],
	'Say it': [[['run_command', { command: 'echo $(pwd)' }]], 'It is said.'],
	'Make a third': [
		[['edit_file', { path: 'new.js', old_text: '', new_text: 'export {};\n' }]],
		'Made.',
	],
	'Leave politely': [
		[['edit_file', { path: 'bye.js', old_text: "'Au revoir'", new_text: "'Adieu'" }]],
		'Politely.',
	],
	'Greet in Spanish': [
		[['edit_file', { path: 'hello.js', old_text: "'Bonjour'", new_text: "'Hola'" }]],
		[['run_command', { command: 'rm bye.js' }]],
		[['edit_file', { path: 'new.js', old_text: '', new_text: 'export {};\n' }]],
		'It greets in Spanish; nothing was removed.',
	],
};

interface Message {
	readonly role: string;
	readonly content: unknown;
}

/** What the tools have told the model for the question that was asked last. */
let told: readonly string[] = [];

const engine = engineOf((body, send) => {
	const { messages, tools = [] } = JSON.parse(body) as { messages: Message[]; tools?: unknown[] };
	const from = messages.findLastIndex(({ role }) => role === 'user');
	const question = String(messages[from]?.content);
	const since = messages.slice(from + 1);
	const plan = Object.entries(plans).find(([words]) => question.includes(words))?.[1];
	if (plan && tools.length > 0)
		told = since.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
	const round = since.filter(({ role }) => role === 'assistant').length;
	const move = tools.length > 0 ? (plan?.[round] ?? 'I cannot.') : 'A title';
	if (typeof move === 'string') {
		send({ content: move }, null);
		return send({}, 'stop');
	}
	const tool_calls = move.map(([name, input], index) => ({
		...{ index, id: `call_${round}_${index}`, type: 'function' },
		function: { name, arguments: JSON.stringify(input) },
	}));
	send({ tool_calls }, null);
	return send({}, 'tool_calls');
});

const hello = "export const hello = 'Hello';\n";
const bye = "export const bye = 'Goodbye';\n";

/** The story in a workspace with two files. */
const withFiles = (story: (file: (name: string) => string) => Promise<void>) =>
	withLab(engine, async () => {
		const { workspace } = await desk();
		const file = (name: string) => join(workspace, name);
		writeFileSync(file('hello.js'), hello);
		writeFileSync(file('bye.js'), bye);
		try {
			await story(file);
		} finally {
			for (const name of ['hello.js', 'bye.js', 'new.js']) rmSync(file(name), { force: true });
		}
	});

const card = (chat: FrameLocator) => chat.locator('.approval');

/** Answers the card that asks about something. */
async function answerCard(chat: FrameLocator, about: string | RegExp, answer: string) {
	const asked = card(chat).filter({ hasText: about });
	await asked.waitFor();
	await asked.getByRole('button', { name: answer }).click();
	await asked.waitFor({ state: 'detached' });
}

async function send(chat: FrameLocator, question: string): Promise<void> {
	await chat.locator('.composer textarea').fill(question);
	await chat.locator('.composer .send').click();
	await chat.locator('.question').filter({ hasText: question }).last().waitFor();
}

/** Waits for the answer to the last question; an earlier one may have said the same. */
async function answered(chat: FrameLocator, words: string): Promise<void> {
	const count = (what: string) => chat.locator(what).count();
	await until(
		'every question has its answer',
		async () => (await count('.question')) === (await count('.answer[aria-busy="false"]')),
	);
	await chat.locator('.answer[aria-busy="false"]').filter({ hasText: words }).last().waitFor();
}

/** The chat with the agent switched on. */
async function startAgent(page: Page): Promise<FrameLocator> {
	const chat = await openChat(page);
	await newChat(page, chat);
	await switchOn(chat);
	return chat;
}

async function switchOn(chat: FrameLocator): Promise<void> {
	const agent = chat.getByRole('button', { name: 'Agent', exact: true });
	await agent.click();
	await agent.and(chat.locator('[aria-pressed="true"]')).waitFor();
}

test('an agent does what is allowed, files are kept or undone one by one, and after a reload all is taken back from a question on', () =>
	withFiles(async (file) => {
		const { open, reload, pictures } = await desk();
		const read = (name: string) => readFileSync(file(name), 'utf8');
		const page = await open();
		let chat = await startAgent(page);

		await send(chat, 'Greet in French');
		await card(chat).filter({ hasText: 'Change hello.js' }).waitFor();
		assert.match((await card(chat).textContent()) ?? '', /- 'Hello'\s*\+ 'Bonjour'/);
		assert.equal(read('hello.js'), hello, 'nothing is changed before it is allowed');
		await photograph(page, pictures, 'agent-asks');
		await answerCard(chat, 'Change hello.js', 'Allow once');
		await answerCard(chat, 'Change bye.js', 'In this session');
		await card(chat).filter({ hasText: 'cat hello.js bye.js' }).waitFor();
		await photograph(page, pictures, 'agent-command');
		await answerCard(chat, 'cat hello.js bye.js', 'Allow once');
		await answered(chat, 'Both greet in French now.');
		assert.match(told[0] ?? '', /1\texport const hello = 'Hello';/);
		assert.match(told.at(-1) ?? '', /^Exit code: 0\n.*'Bonjour';\n.*'Au revoir';$/);
		const files = chat.locator('.changed-files');
		await files.filter({ hasText: 'Changed files: 2' }).waitFor();
		await photograph(page, pictures, 'agent-files');

		await files.getByRole('button', { name: 'hello.js', exact: true }).click();
		await page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
		await files.getByRole('button', { name: 'Keep hello.js' }).click();
		await files.filter({ hasText: 'Changed files: 1' }).waitFor();
		await files.getByRole('button', { name: 'Undo bye.js' }).click();
		await files.waitFor({ state: 'detached' });
		await until('bye.js is as it was', () => read('bye.js') === bye);
		assert.equal(read('hello.js'), hello.replace('Hello', 'Bonjour'));

		// Changes are allowed in this session; a command is refused.
		await send(chat, 'Greet in Spanish');
		await answerCard(chat, 'rm bye.js', 'Do not allow');
		await answered(chat, 'nothing was removed');
		assert.match(told[1] ?? '', /The user did not allow this/);
		assert.ok(existsSync(file('bye.js')));
		assert.equal(read('hello.js'), hello.replace('Hello', 'Hola'));
		await files.filter({ hasText: 'Changed files: 2' }).waitFor();

		await reload(page);
		chat = await webview(page, '.changed-files');
		await chat.locator('.changed-files').filter({ hasText: 'new.js' }).waitFor();
		const question = chat.locator('.question').filter({ hasText: 'Greet in Spanish' });
		await photograph(page, pictures, 'agent-restore');
		await question.getByRole('button', { name: 'Take back what was changed' }).click();
		await chat.locator('.changed-files').waitFor({ state: 'detached' });
		await until('the new file is gone', () => !existsSync(file('new.js')));
		await until('it greets in French again', () => read('hello.js').includes('Bonjour'));
		await page.close();
	}));

test('what is allowed always is listed, and asked for again once it is taken back', () =>
	withFiles(async () => {
		const { open, pictures } = await desk();
		const page = await open();
		const chat = await startAgent(page);
		await send(chat, 'Say it');
		await answerCard(chat, 'echo $(pwd)', 'Always here');
		await answered(chat, 'It is said.');
		assert.match(told[0] ?? '', /workspace$/);
		const bar = chat.getByRole('button', { name: 'Allowed without asking: 1' });
		await bar.waitFor();
		await send(chat, 'Say it again, please');
		await answered(chat, 'It is said.');
		assert.equal(await card(chat).count(), 0);
		await send(chat, 'Go away');
		await answerCard(chat, 'cd /', 'Allow once');
		await answered(chat, 'It went away.');
		assert.match(told[0] ?? '', /^Exit code: 0\n\/$/);
		await send(chat, 'Say it where it was allowed');
		await answered(chat, 'It is said.');
		assert.match(told[0] ?? '', /workspace$/, 'a command runs in the folder it was allowed for');

		const terminals = page.locator('.terminal-tabs-entry', { hasText: 'Nearglot' });
		assert.ok((await terminals.count()) <= 1, 'the terminal that went elsewhere is closed');

		await bar.click();
		const list = page.locator('.quick-input-widget');
		const row = list.locator('.monaco-list-row', { hasText: 'Always in this workspace' });
		await row.waitFor();
		assert.match((await row.textContent()) ?? '', /echo \$\(pwd\)/, 'the command as it is written');
		await photograph(page, pictures, 'agent-allowed');
		await row.click();
		await page.keyboard.press('Enter');
		await bar.waitFor({ state: 'detached' });
		await command(page, 'Nearglot: Show What the Agent May Do');
		await page.locator('.notification-toast', { hasText: 'The agent asks each time' }).waitFor();
		await send(chat, 'Say it once more');
		await answerCard(chat, 'echo $(pwd)', 'Do not allow');
		await answered(chat, 'It is said.');
		await page.close();
	}));

test('what a person has undone or removed by hand is taken back without a question, what they have written is asked for', () =>
	withFiles(async (file) => {
		const { open, reload } = await desk();
		const read = (name: string) => readFileSync(file(name), 'utf8');
		const page = await open();
		let chat = await startAgent(page);
		await send(chat, 'Greet in French');
		await answerCard(chat, 'Change hello.js', 'In this session');
		await answerCard(chat, 'cat hello.js', 'Do not allow');
		await answered(chat, 'Both greet in French now.');
		await send(chat, 'Make a third');
		await answered(chat, 'Made.');
		await reload(page);
		writeFileSync(file('hello.js'), hello);
		rmSync(file('new.js'));
		writeFileSync(file('bye.js'), `${bye}// by hand\n`);

		chat = await webview(page, '.changed-files');
		const files = chat.locator('.changed-files');
		await files.filter({ hasText: 'Changed files: 3' }).waitFor();
		await files.getByRole('button', { name: 'Undo all' }).click();
		const question = page.locator('.monaco-dialog-box');
		await question.filter({ hasText: 'Changed since the model changed them: bye.js' }).waitFor();
		await question.getByRole('button', { name: 'Cancel' }).click();
		await files.filter({ hasText: 'Changed files: 1' }).waitFor();
		assert.deepEqual([read('hello.js'), existsSync(file('new.js'))], [hello, false]);
		assert.match(read('bye.js'), /by hand/);
		await files.getByRole('button', { name: 'Undo bye.js' }).click();
		await question.getByRole('button', { name: 'Undo Anyway' }).click();
		await files.waitFor({ state: 'detached' });
		await until('bye.js is as it was', () => read('bye.js') === bye);

		await switchOn(chat);
		await send(chat, 'Make a third');
		await answerCard(chat, 'new.js', 'Allow once');
		await answered(chat, 'Made.');
		await files.getByRole('button', { name: 'Keep all' }).click();
		await files.waitFor({ state: 'detached' });
		assert.ok(existsSync(file('new.js')));
		await page.close();
	}));

test('two windows of one chat lose neither what was said nor what can be taken back', () =>
	withFiles(async (file) => {
		const { open, workspace } = await desk();
		const read = (name: string) => readFileSync(file(name), 'utf8');
		const first = await open();
		const chat = await startAgent(first);
		await send(chat, 'Greet in French');
		await answerCard(chat, 'Change hello.js', 'In this session');
		await answerCard(chat, 'cat hello.js', 'Allow once');
		await answered(chat, 'Both greet in French now.');

		const second = await open();
		// A second window of a folder does not know which chat the first one shows.
		await command(second, 'Nearglot: Search Chats');
		const row = second.locator('.quick-input-list .monaco-list-row', {
			hasText: 'Greet in French',
		});
		await row.first().waitFor();
		await second.keyboard.press('Enter');
		const other = await openChat(second);
		await other.locator('.changed-files').filter({ hasText: 'Changed files: 2' }).waitFor();
		await switchOn(other);
		await send(other, 'Leave politely');
		await answerCard(other, 'Change bye.js', 'Allow once');
		await answered(other, 'Politely.');

		await first.bringToFront();
		await send(chat, 'Say it');
		await answerCard(chat, 'echo', 'Allow once');
		await answered(chat, 'It is said.');
		const version = chat.locator('.question .versions').last();
		await version.filter({ hasText: '2/2' }).waitFor();
		await version.getByRole('button', { name: 'Previous version' }).click();
		await answered(chat, 'Politely.');
		const changed = chat.locator('.changed-files');
		await changed.getByRole('button', { name: 'Undo all' }).click();
		await changed.waitFor({ state: 'detached' });
		await until('bye.js is as it was', () => read('bye.js') === bye);
		assert.equal(read('hello.js'), hello);
		await second.bringToFront();
		await other.locator('.changed-files').waitFor({ state: 'detached' });

		// A chat that is deleted in one window stays where somebody reads it, if they want.
		await command(second, 'Nearglot: Search Chats');
		await row.first().hover();
		const rows = await row.count();
		await row.first().locator('.action-label').last().click();
		await until('it is off the list', async () => (await row.count()) === rows - 1);
		await second.keyboard.press('Escape');
		assert.deepEqual(chatsAbout('Leave politely', workspace), []);
		await first.bringToFront();
		await chat.locator('.composer textarea').fill('Thank you');
		await chat.locator('.composer .send').click();
		const deleted = first.locator('.notification-toast', { hasText: 'deleted in another window' });
		await deleted.getByRole('button', { name: 'Keep It' }).click();
		await chat.locator('.question').filter({ hasText: 'Thank you' }).waitFor();
		await chat.locator('.question').filter({ hasText: 'Greet in French' }).waitFor();
		await until('it is kept', () => chatsAbout('Leave politely', workspace).length === 1);
		await first.close();
		await second.close();
	}));
