/** The chat for people who do not see it or do not use a mouse, in light, dark and high contrast. */

import { join } from 'node:path';
import { test } from 'node:test';
import { assertNoFaults } from './axe.ts';
import { ask, command, desk, newChat, openChat } from './window.ts';

test('the chat has no accessibility faults in light, dark and high contrast themes', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);
	await ask(chat, 'extract a tar.gz file');
	await assertNoFaults(page, chat, '.composer', (theme) => join(pictures, `chat-${theme}.png`));
	await page.close();
});

test('a question can be written, sent and stopped with the keyboard alone', async () => {
	const { open } = await desk();
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);
	await command(page, 'Nearglot: Open Chat');
	await chat.locator('.composer textarea:focus').waitFor();
	await page.keyboard.type('list files');
	await page.keyboard.press('Enter');
	await chat.locator('.question').filter({ hasText: 'list files' }).waitFor();
	await chat.locator('.answer[aria-busy="false"]').waitFor();
	await page.close();
});
