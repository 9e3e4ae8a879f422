/** The walkthrough, proposed code, and what other extensions get, as people meet them. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, command, desk, editorText, newChat, openChat, openFile } from './window.ts';

test('the walkthrough has five steps, and doing one completes it', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	await command(page, 'Nearglot: Get Started');
	const steps = page.locator('.getting-started-step');
	await steps.first().waitFor();
	assert.equal(await steps.count(), 5);
	await page.screenshot({ path: join(pictures, 'walkthrough.png') });
	await command(page, 'Nearglot: Open Chat');
	await command(page, 'Nearglot: Get Started');
	const done = page
		.locator('.getting-started-step')
		.filter({ hasText: 'Ask a question' })
		.locator('[aria-checked="true"]');
	await done.first().waitFor();
	await page.close();
});

test('code of an answer is compared with the open file and applied, and one undo takes it back', async () => {
	const { open, pictures, workspace } = await desk();
	// A file of its own: others find theirs as they were.
	writeFileSync(join(workspace, 'propose.sh'), '# Unpack the archive.\necho done\n');
	const page = await open();
	await openFile(page, 'propose.sh', 'echo done');
	const chat = await openChat(page);
	await newChat(page, chat);
	await ask(chat, 'extract a tar.gz file');
	// The answer is for a terminal first.
	await chat.getByRole('button', { name: 'More actions' }).first().click();
	const compare = chat.getByRole('button', { name: 'Compare with the file' }).first();
	await compare.click();
	await page.locator('.tab').filter({ hasText: 'proposed change' }).waitFor();
	await page.screenshot({ path: join(pictures, 'proposal.png') });
	await command(page, 'Nearglot: Apply Proposed Change');
	await page.locator('.tab').filter({ hasText: 'proposed change' }).waitFor({ state: 'detached' });
	await editorText(page).filter({ hasText: 'tar' }).waitFor();
	await page.keyboard.press('Control+Z');
	await editorText(page).filter({ hasNotText: 'tar' }).waitFor();
	await page.close();
});

test('another extension asks the model and the tool, after the user has allowed it', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	await openFile(page, 'notes.txt', 'could not');
	// The provider is known once the server of the window runs.
	await openChat(page);
	await command(page, 'Caller: Ask a Model');
	const allow = page.locator('.monaco-dialog-box .monaco-button').filter({ hasText: 'Allow' });
	const result = editorText(page).filter({ hasText: 'done.' });
	await allow.or(result).first().waitFor();
	if (await allow.isVisible()) await allow.click();
	await result.waitFor();
	const text = ((await result.textContent()) ?? '').replaceAll('\u00a0', ' ');
	await page.screenshot({ path: join(pictures, 'caller.png') });
	assert.match(text, /model: starter-chat/);
	assert.match(text, /answer: ".*tar/);
	assert.match(text, /tokens: [1-9]/);
	assert.match(text, /translation: \S/);
	assert.doesNotMatch(text, /failed/);
	await page.close();
});
