/** What the first minutes and other extensions ask of this one, step by step. */

import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { command, desk, editorText, openChat, openFile } from './window.ts';

const spoken = join(import.meta.dirname, '..', 'fixtures', 'speech');

test('doing what its five steps say completes the walkthrough', async () => {
	const { open, workspace } = await desk();
	writeFileSync(join(workspace, 'first.txt'), 'The file could not be opened.\n');
	cpSync(join(spoken, 'annie.flac'), join(workspace, 'first.flac'));
	const page = await open();
	await command(page, 'Nearglot: Get Started');
	const steps = page.locator('.getting-started-step');
	await steps.first().waitFor();
	assert.equal(await steps.count(), 5);
	const list = page.locator('.quick-input-widget');
	/** Runs a command that asks, and leaves it at its first question. */
	const begin = async (title: string, question: string) => {
		await command(page, title);
		await list.filter({ hasText: question }).waitFor();
		await page.keyboard.press('Escape');
		await list.waitFor({ state: 'hidden' });
	};
	await command(page, 'Nearglot: Open Chat');
	await openFile(page, 'first.txt', 'could not');
	await page.keyboard.press('Control+Home');
	await command(page, 'Nearglot: Translate Selection');
	await editorText(page).filter({ hasNotText: 'could not' }).waitFor();
	await page.keyboard.press('Control+Z');
	await begin('Nearglot: Pick a Better Model for This Computer', 'What is the model for?');
	await begin('Nearglot: Copy API Endpoint', 'OPENAI_BASE_URL');
	await begin('Nearglot: Transcribe…', 'first.flac');
	await command(page, 'Nearglot: Get Started');
	const done = page.locator('.getting-started-step [aria-checked="true"]');
	await page.waitForFunction(
		(count) =>
			document.querySelectorAll('.getting-started-step [aria-checked="true"]').length >= count,
		5,
	);
	assert.equal(await done.count(), 5);
	await page.close();
});

/** Runs a command of the other extension and returns what it has written, a line each. */
async function called(page: Page, title: string, name: string): Promise<string> {
	await command(page, `Caller: ${title}`);
	const allow = page
		.locator('.monaco-dialog-box .monaco-button')
		.filter({ hasText: /Allow|Yes|Continue/ })
		.first();
	const result = editorText(page).filter({ hasText: `${name} is done.` });
	for (let dialogs = 0; dialogs < 4; dialogs++) {
		await allow.or(result).first().waitFor();
		if (!(await allow.isVisible())) break;
		await allow.click();
		await page.waitForTimeout(300);
	}
	await result.waitFor();
	return ((await result.innerText()) ?? '').replaceAll('\u00a0', ' ');
}

test('another extension hears a recording and sees the tools, after the user has allowed it', async () => {
	const { open, pictures, workspace } = await desk();
	cpSync(join(spoken, 'annie.flac'), join(workspace, 'caller.flac'));
	const page = await open();
	await openFile(page, 'notes.txt', 'could not');
	// The provider is known once the server of the window runs.
	await openChat(page);
	const heard = await called(page, 'Transcribe', 'transcribe');
	await page.screenshot({ path: join(pictures, 'caller-transcribe.png') });
	assert.match(heard, /subtitles: "1\\n00:00:0\d,\d\d\d --> /);
	assert.match(heard, /missing failed: .*nothing-here\.wav/);
	const tools = await called(page, 'List Tools', 'tools');
	assert.match(tools, /\bnearglot_transcribe\b.*\bnearglot_translate\b/s);
	await page.close();
});
