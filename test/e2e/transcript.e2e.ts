/** A recording in VS Code: transcribed from the explorer, clicked, corrected, translated, exported. */

import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { violations } from './axe.ts';
import { command, type Desk, desk, sharedData, tinyWhisper } from './window.ts';

const _root = join(import.meta.dirname, '..', '..');
const skip = !existsSync(tinyWhisper)
	? 'there is no tiny Whisper in the shared data'
	: process.env['E2E_RECORDINGS'] === undefined &&
		'the page of a recording does not always open here; run with E2E_RECORDINGS=1';

/** The page of the recording that is shown. */
function recordingPage(page: Page): FrameLocator {
	return page
		.locator('iframe.webview.ready')
		.last()
		.contentFrame()
		.locator('#active-frame')
		.contentFrame();
}

/** Runs the work with a window; what the screen showed when it failed is kept as a picture. */
async function inWindow(work: (page: Page, desk: Desk) => Promise<void>): Promise<void> {
	const shown = await desk();
	const page = await shown.open();
	try {
		await work(page, shown);
	} catch (error) {
		await page.screenshot({ path: join(shown.pictures, 'transcript-failure.png') });
		throw error;
	} finally {
		await page.close();
	}
}

/** Chooses the entry of the explorer's menu for a file. */
async function transcribeFromExplorer(page: Page, file: string): Promise<void> {
	await command(page, 'View: Show Explorer');
	const row = page.locator('.explorer-viewlet .monaco-list-row').filter({ hasText: file });
	const entry = page
		.locator('.monaco-menu .action-item')
		.filter({ hasText: 'Transcribe…' })
		.first();
	for (let attempt = 1; ; attempt++) {
		await row.click({ button: 'right' });
		try {
			await entry.click({ timeout: 8000 });
			return;
		} catch (error) {
			// Something took the focus, and the menu closed or stays without it.
			if (attempt === 4) throw error;
			await page.keyboard.press('Escape');
		}
	}
}

/** Answers the dialog that asks for a file with what it offers. */
async function acceptFile(page: Page): Promise<void> {
	const input = page.locator('.quick-input-widget input.input');
	await input.waitFor();
	await page.waitForTimeout(500);
	await page.keyboard.press('Enter');
}

const seconds = async (frame: FrameLocator) =>
	Number(await frame.getByRole('slider').getAttribute('aria-valuenow'));

test(
	'a recording is transcribed, its words are clicked, a line is corrected and exported',
	{
		skip,
	},
	() =>
		inWindow(async (page, { reload, workspace, pictures }) => {
			cpSync(join(sharedData, 'audio', 'jfk.wav'), join(workspace, 'speech.wav'));
			await transcribeFromExplorer(page, 'speech.wav');
			let frame = recordingPage(page);
			const line = (at: number) => frame.locator('.line').nth(at);
			await frame.getByRole('button', { name: 'Export' }).first().waitFor();

			// The words have times: a click moves the sound there. What the model heard is no matter.
			const lastWord = frame.locator('.line').last().locator('.word').last();
			await lastWord.click();
			await frame.locator('.line').last().locator('.word.heard').waitFor();
			assert.equal(await lastWord.getAttribute('class'), 'word heard');
			assert.ok((await seconds(frame)) > 0);
			await page.screenshot({ path: join(pictures, 'transcript.png') });

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
			frame = recordingPage(page);
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
		}),
);

test(
	'a transcript is translated beside the text, without accessibility faults in any theme',
	{
		skip,
	},
	() =>
		inWindow(async (page, { pictures }) => {
			// The transcript that was made before is there at once.
			await transcribeFromExplorer(page, 'speech.wav');
			const frame = recordingPage(page);
			const firstLine = frame.locator('.line').first();
			await firstLine.waitFor();
			await frame.getByRole('button', { name: 'Translate' }).first().click();
			const languages = frame.locator('.menu-form select');
			const german = languages.locator('option[value=de]');
			await languages.selectOption((await german.count()) > 0 ? 'de' : 'en');
			await frame.locator('.menu-form button[type=submit]').click();
			await firstLine.locator('.translated').filter({ hasText: /\w/ }).waitFor();
			await frame.getByRole('button', { name: 'Copy' }).first().click();
			await frame.locator('.menu-form select').selectOption('both');
			await frame.getByRole('button', { name: 'Copy with times' }).click();
			await page.waitForFunction(async () =>
				/^\[00:00:\d\d\] .+\n {11}\S/.test(await navigator.clipboard.readText()),
			);
			for (const [body, media] of [
				['vscode-dark', { colorScheme: 'dark' }],
				['vscode-high-contrast', { colorScheme: 'dark', forcedColors: 'active' }],
				['vscode-light', { colorScheme: 'light', forcedColors: 'none' }],
			] as const) {
				await page.emulateMedia(media);
				await frame.locator(`body.${body}`).waitFor({ state: 'attached' });
				await frame.locator('.line').last().locator('.word').last().click();
				await page.screenshot({ path: join(pictures, `transcript-${body}.png`) });
				assert.deepEqual(await violations(page, '.recording'), [], body);
			}
		}),
);
