/** What goes along with a question in the packed extension: commands, files and prompts that are offered, and the way to the terminal. */

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, desk, editorText, newChat, openChat, openFile } from './window.ts';

test('files and prompts of the workspace are offered, and a named file opens at its line', async () => {
	const { open, workspace, pictures } = await desk();
	const prompts = join(workspace, '.github', 'prompts');
	mkdirSync(prompts, { recursive: true });
	mkdirSync(join(workspace, 'deep', 'folder'), { recursive: true });
	writeFileSync(
		join(prompts, 'tar-help.prompt.md'),
		'---\ndescription: How to pack\n---\nextract a tar.gz file',
	);
	writeFileSync(join(workspace, 'AGENTS.md'), 'Answer in one sentence.');
	writeFileSync(join(workspace, 'deep', 'folder', 'wanted.txt'), 'first line\nthe wanted line\n');
	const page = await open();
	try {
		await openFile(page, 'wanted.txt', 'wanted line');
		const chat = await openChat(page);
		await newChat(page, chat);
		const input = chat.locator('.composer textarea');
		const options = chat.locator('.mentions [role=option]');
		await chat.getByRole('button', { name: 'wanted.txt', pressed: false }).waitFor();
		// A model that reads so little is not given instructions by itself.
		await chat.getByRole('button', { name: 'AGENTS.md', pressed: false }).waitFor();
		await input.pressSequentially('/ta');
		await options.filter({ hasText: '/tar-help' }).waitFor();
		await page.screenshot({ path: join(pictures, 'chat-commands.png') });
		await input.press('Enter');
		await input.pressSequentially('now ');
		await input.pressSequentially('@wanted');
		await options.filter({ hasText: 'deep/folder/wanted.txt' }).first().click();
		await chat.locator('.chips li', { hasText: 'deep/folder/wanted.txt' }).waitFor();
		assert.equal((await input.inputValue()).trim(), '/tar-help now');
		await chat.getByRole('button', { name: 'Remove deep/folder/wanted.txt' }).click();
		const answer = await ask(chat, '/tar-help');
		assert.match(answer, /tar/);
		await chat.locator('.code .main-action', { hasText: 'Terminal' }).first().click();
		const terminal = page.locator('.terminal-wrapper.active .xterm');
		await terminal.waitFor();
		await page.screenshot({ path: join(pictures, 'chat-terminal.png') });
		assert.ok(await editorText(page).count());
	} finally {
		for (const name of ['AGENTS.md', '.github', 'deep'])
			rmSync(join(workspace, name), { recursive: true, force: true });
		await page.close();
	}
});
