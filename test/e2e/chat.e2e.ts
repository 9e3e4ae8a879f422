/** Chat through the packed extension, as a person uses it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
	ask,
	chatsAbout,
	clipboard,
	command,
	desk,
	newChat,
	openChat,
	openFile,
	photograph,
} from './window.ts';

test('a question gets a streamed answer with code that can be copied', async () => {
	const { open, pictures, context } = await desk();
	const page = await open();
	await openFile(page, 'greet.py', 'def greet');
	const chat = await openChat(page);
	await newChat(page, chat);
	await page.screenshot({ path: join(pictures, 'chat-empty.png') });
	const answer = await ask(chat, 'extract a tar.gz file');
	assert.match(answer, /tar/);
	await photograph(page, pictures, 'chat-answer');
	await chat.locator('.answer').last().hover();
	await chat.locator('.answer [aria-label="Copy answer"]').last().click();
	await chat.locator('[aria-label="Copied"]').first().waitFor();
	await clipboard(page, /tar/);
	await page.close();
	assert.ok(context);
});

test('an edited question keeps the old answer on another branch', async () => {
	const { open } = await desk();
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);
	await ask(chat, 'list files in a folder');
	await chat.locator('.question').last().hover();
	await chat.locator('[aria-label="Edit and ask again"]').last().click();
	await chat.locator('.edit textarea').fill('show the current folder');
	await chat.locator('.edit button[type=submit]').click();
	await chat.locator('.question').filter({ hasText: 'show the current folder' }).waitFor();
	await chat.locator('.answer[aria-busy="false"]').last().waitFor();
	await chat.locator('.question').last().hover();
	await chat.locator('[aria-label="Previous version"]').first().click();
	await chat.locator('.question').filter({ hasText: 'list files in a folder' }).waitFor();
	await page.close();
});

test('a chat is there again after the window was reloaded', async () => {
	const { open, reload } = await desk();
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);
	const answer = await ask(chat, 'compress a folder with zip');
	await reload(page);
	const again = await openChat(page);
	await again.locator('.question').filter({ hasText: 'compress a folder with zip' }).waitFor();
	assert.equal(
		((await again.locator('.answer .markdown').last().textContent()) ?? '').trim() !== '',
		true,
	);
	assert.ok(answer.length > 0);
	await page.close();
});

test('the page of the chat obeys a policy without unsafe parts', async () => {
	const { open } = await desk();
	const page = await open();
	const complaints: string[] = [];
	page.on('console', (message) => {
		if (/Content Security Policy/i.test(message.text()) && /nearglot/i.test(message.location().url))
			complaints.push(message.text());
	});
	await openFile(page, 'notes.txt', 'could not');
	const chat = await openChat(page);
	const policy = await chat
		.locator('meta[http-equiv="Content-Security-Policy"]')
		.getAttribute('content', { timeout: 10_000 });
	assert.match(policy ?? '', /^default-src 'none'/);
	assert.doesNotMatch(policy ?? '', /unsafe/);
	assert.deepEqual(complaints, []);
	await page.close();
});

test('an old chat is found by a word of its answer, opened, and deleted for good', async () => {
	const { open, pictures, workspace } = await desk();
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);
	await ask(chat, 'how do I see how full my disk is');
	assert.equal(chatsAbout('how full my disk', workspace).length, 1);
	await newChat(page, chat);
	await command(page, 'Nearglot: Search Chats');
	const rows = page.locator('.quick-input-list .monaco-list-row');
	const found = rows.filter({ hasText: 'how full my disk' });
	const input = page.locator('.quick-input-widget input.input');
	await input.fill('df');
	await found.first().waitFor();
	await page.screenshot({ path: join(pictures, 'chats.png') });
	await found.first().click();
	await chat.locator('.question').filter({ hasText: 'how full my disk' }).waitFor();
	await command(page, 'Nearglot: Search Chats');
	await input.fill('how full my disk');
	await found.first().hover();
	await found.first().locator('.action-label').last().click();
	await found.first().waitFor({ state: 'detached' });
	await chat.locator('.empty').waitFor();
	assert.ok(await input.isVisible(), 'the list stays, for the next one');
	await page.keyboard.press('Escape');
	assert.deepEqual(chatsAbout('how full my disk', workspace), []);
	await page.close();
});
