/** A recording in VS Code: transcribed from the explorer, clicked, corrected, translated, exported. */

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { assertNoFaults } from './axe.ts';
import { engineOf, withLab } from './labEngine.ts';
import { assertHeard, sentences, writeSpeech } from './spokenFile.ts';
import { clipboard, command, desk, photograph, webview } from './window.ts';

/** The page of the recording that is shown. */
const recordingPage = (page: Page) => webview(page, '.recording');

/** Chooses the entry of the explorer's menu for a file, until its page is there. */
async function transcribeFromExplorer(page: Page, file: string): Promise<FrameLocator> {
	await command(page, 'View: Show Explorer');
	const row = page.locator('.explorer-viewlet .monaco-list-row').filter({ hasText: file });
	const menu = page.locator('.monaco-menu');
	const entry = menu.locator('.action-item').filter({ hasText: 'Transcribe…' }).first();
	const tab = page.locator('.tabs-container .tab.active').filter({ hasText: file });
	for (let attempt = 1; ; attempt++) {
		try {
			await row.click({ button: 'right', timeout: 8000 });
			// A menu that has just opened ignores clicks, but not keys.
			await entry.hover({ timeout: 8000 });
			await page.keyboard.press('Enter');
			await menu.waitFor({ state: 'detached', timeout: 4000 });
			await tab.waitFor({ timeout: 8000 });
			return await recordingPage(page);
		} catch (error) {
			// Something took the focus, and the menu closed or stays without it.
			if (attempt === 5) throw error;
			await page.keyboard.press('Escape');
		}
	}
}

/** Answers the dialog that asks for a file with what it offers. */
async function acceptFile(page: Page): Promise<void> {
	const dialog = page.locator('.quick-input-widget');
	await dialog.locator('input.input').waitFor();
	for (let attempt = 1; ; attempt++) {
		// It looks into the folder first, and takes no key before.
		await page.waitForTimeout(500);
		await page.keyboard.press('Enter');
		try {
			return await dialog.waitFor({ state: 'hidden', timeout: 8000 });
		} catch (error) {
			if (attempt === 5) throw error;
		}
	}
}

const seconds = async (frame: FrameLocator) =>
	Number(await frame.getByRole('slider').getAttribute('aria-valuenow'));

test('a recording is transcribed, its words are clicked, a line is corrected and exported', async () => {
	const { open, reload, workspace, pictures } = await desk();
	const page = await open();
	await writeSpeech(join(workspace, 'speech.wav'));
	let frame = await transcribeFromExplorer(page, 'speech.wav');
	const line = (at: number) => frame.locator('.line').nth(at);
	await frame.getByRole('button', { name: 'Export' }).first().waitFor();

	const said = await frame.locator('.line .said').allTextContents();
	assertHeard(said.join(' '), Object.values(sentences).join(' '));

	// The words have times: a click moves the sound there.
	const lastWord = frame.locator('.line').last().locator('.word').last();
	await lastWord.click();
	await frame.locator('.line').last().locator('.word.heard').waitFor();
	assert.equal(await lastWord.getAttribute('class'), 'word heard');
	assert.ok((await seconds(frame)) > 0);
	await photograph(page, pictures, 'transcript');

	// It plays from a line on, and the keyboard stops it.
	await line(0).locator('.time').click();
	await frame.getByRole('button', { name: 'Pause', exact: true }).waitFor();
	await frame
		.locator('.clock .now')
		.filter({ hasText: /0:0[2-9]|0:1/ })
		.waitFor();
	await page.keyboard.press('k');
	await frame.getByRole('button', { name: 'Play', exact: true }).waitFor();

	// A correction can be undone and survives a reload.
	await line(0).locator('.said').dblclick();
	await frame.getByRole('textbox', { name: 'Text of the line' }).fill('Guten Abend, Freunde,');
	await page.keyboard.press('Enter');
	await line(0).filter({ hasText: 'Guten Abend, Freunde,' }).waitFor();
	await frame.getByRole('button', { name: 'Undo' }).click();
	await line(0).filter({ hasNotText: 'Guten Abend' }).waitFor();
	await frame.getByRole('button', { name: 'Redo' }).click();
	await line(0).filter({ hasText: 'Guten Abend, Freunde,' }).waitFor();
	await reload(page);
	// The window may have had no time to note what was open.
	frame = await transcribeFromExplorer(page, 'speech.wav');
	await line(0).filter({ hasText: 'Guten Abend, Freunde,' }).waitFor();

	await frame.getByRole('searchbox').fill('abend');
	await line(0).locator('mark.current').filter({ hasText: 'Abend' }).waitFor();

	await frame.getByRole('button', { name: 'Export' }).first().click();
	await frame.locator('.menu-form select').first().selectOption('srt');
	await frame.locator('.menu-form button[type=submit]').click();
	await acceptFile(page);
	await page.locator('.notification-toast').filter({ hasText: 'Saved speech.srt' }).waitFor();
	const subtitles = readFileSync(join(workspace, 'speech.srt'), 'utf8');
	assert.match(subtitles, /^1\n[\d:,]+ --> [\d:,]+\nGuten Abend, Freunde,\n\n/);
	await page.close();
});

test('a transcript is translated beside the text, without accessibility faults in any theme', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	// The transcript that was made before is there at once.
	const frame = await transcribeFromExplorer(page, 'speech.wav');
	const firstLine = frame.locator('.line').first();
	await firstLine.waitFor();
	await frame.getByRole('button', { name: 'Translate' }).first().click();
	const languages = frame.locator('.menu-form select');
	const german = languages.locator('option[value=de]');
	// The languages come from the server.
	await languages.locator('option').first().waitFor({ state: 'attached' });
	await languages.selectOption((await german.count()) > 0 ? 'de' : 'en');
	await frame.locator('.menu-form button[type=submit]').click();
	await firstLine.locator('.translated').filter({ hasText: /\w/ }).waitFor();
	await frame.getByRole('button', { name: 'Copy' }).first().click();
	await frame.locator('.menu-form select').selectOption('both');
	await frame.getByRole('button', { name: 'Copy with times' }).click();
	await clipboard(page, /^\[00:00:\d\d\] .+\n {11}\S/);
	await assertNoFaults(
		page,
		frame,
		'.recording',
		(theme) => join(pictures, `transcript-${theme}.png`),
		() => frame.locator('.line').last().locator('.word').last().click(),
	);
	await page.close();
});

test('a recording is summed up by the model of the chat; a chapter leads to its line, and undo takes it back', () => {
	const asked: string[] = [];
	const engine = engineOf((body, send) => {
		asked.push(body);
		send({ content: 'Summary: Somebody asks for a window.\n1: The window\n2: Reading' }, null);
		send({}, 'stop');
	});
	return withLab(engine, async () => {
		const { open, pictures, workspace } = await desk();
		const page = await open();
		await writeSpeech(join(workspace, 'speech.wav'));
		const frame = await transcribeFromExplorer(page, 'speech.wav');
		await frame.getByRole('button', { name: 'Export' }).first().waitFor();
		const first = await frame.locator('.line .said').first().textContent();
		await frame.getByRole('button', { name: 'Summary and chapters' }).click();
		const outline = frame.locator('.outline');
		await outline.getByText('Somebody asks for a window.').waitFor();
		const { model, messages } = JSON.parse(asked[0] ?? '{}');
		assert.equal(model, 'coder');
		assert.ok(messages.at(-1).content.includes(`1: ${first?.trim()}`), 'the lines have numbers');
		await photograph(page, pictures, 'transcript-summary');
		await outline.getByRole('button', { name: 'The window' }).click();
		await frame.getByRole('button', { name: 'Undo' }).click();
		await outline.waitFor({ state: 'detached' });

		// What is taken out of the text can be taken out of the sound.
		await frame.locator('.line').last().locator('.said').dblclick();
		await frame.getByRole('textbox', { name: 'Text of the line' }).fill('');
		await page.keyboard.press('Enter');
		await frame.getByRole('button', { name: 'Export' }).first().click();
		await frame.getByRole('button', { name: 'Sound without what was taken out' }).click();
		await acceptFile(page);
		await page.locator('.notification-toast').filter({ hasText: 'Saved speech.cut.wav' }).waitFor();
		const bytes = (name: string) => statSync(join(workspace, name)).size;
		assert.ok(bytes('speech.cut.wav') < bytes('speech.wav') - 16_000, 'half a second is gone');
		await page.close();
	});
});
