/** Dictating with the microphone of a browser, which plays a recording: in VS Code and on the studio page. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BrowserContext, chromium } from 'playwright-core';
// @ts-expect-error: the scripts are plain JavaScript
import { chromiumOptions } from '../../scripts/vscode-host/server.mjs';
import { until } from '../support/until.ts';
import { assertHeard, sentences, writeSpeech } from './spokenFile.ts';
import { command, desk, editorText, openFile, patientMs, statusItem, webview } from './window.ts';

/** A browser whose microphone says the sentences again and again, and the file with them. */
async function talkingBrowser(folder: string): Promise<[BrowserContext, speech: string]> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	const speech = join(folder, 'said.wav');
	await writeSpeech(speech);
	const context = await chromium.launchPersistentContext(folder, {
		...chromiumOptions,
		args: [
			...chromiumOptions.args,
			'--use-fake-ui-for-media-stream',
			'--use-fake-device-for-media-stream',
			`--use-file-for-fake-audio-capture=${speech}`,
		],
		viewport: { width: 1280, height: 800 },
		permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
	});
	context.setDefaultTimeout(patientMs);
	return [context, speech];
}

test('what is said is written at the cursor in one step that can be undone', async () => {
	const { host, workspace, home, pictures } = await desk();
	const [context] = await talkingBrowser(join(home, '..', 'talking'));
	const page = context.pages()[0] ?? (await context.newPage());
	try {
		await page.goto(`${host.base}/?folder=${encodeURIComponent(workspace)}`);
		await statusItem(page).waitFor();
		await openFile(page, 'notes.txt', 'Please try again.');
		await page.keyboard.press('Control+End');
		await command(page, 'Nearglot: Dictate at Cursor');
		const frame = await webview(page, '.lamp.on');
		// By then both sentences have been said, wherever in the file the microphone began.
		await frame
			.locator('.clock')
			.filter({ hasText: /0:09|0:[1-5]\d|[1-9]:\d/ })
			.waitFor();
		await page.screenshot({ path: join(pictures, 'dictation.png') });
		// The click takes the page away, maybe before anybody could tell that it was one.
		const lamp = frame.locator('.lamp');
		const finish = frame.getByRole('button', { name: 'Finish' });
		await Promise.any([finish.click(), lamp.waitFor({ state: 'detached' })]);
		const text = editorText(page);
		const untouched = /^The file could not be opened\.Please try again\.$/;
		const shown = async () => ((await text.textContent()) ?? '').replace(/\u00a0/g, ' ');
		await until('the words in the file', async () => !untouched.test(await shown()));
		await lamp.waitFor({ state: 'detached' });
		const [, written = ''] = /Please try again\.(.+)/.exec(await shown()) ?? [];
		assert.match(written, /open the new window/i);
		await text.click();
		await page.keyboard.press('Control+Z');
		await until('the file as it was', async () => untouched.test(await shown()));
	} catch (error) {
		await page.screenshot({ path: join(pictures, 'dictation-failure.png') });
		throw error;
	} finally {
		await context.close();
	}
});

test('the studio page transcribes files and the microphone and translates documents', async () => {
	const { home, pictures, open } = await desk();
	if (!existsSync(join(home, 'endpoint.json'))) {
		const window = await open();
		await command(window, 'Nearglot: Restart Server');
		while (!existsSync(join(home, 'endpoint.json'))) await window.waitForTimeout(200);
		await window.close();
	}
	const { url } = JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')) as { url: string };
	const [context, speech] = await talkingBrowser(join(home, '..', 'talking'));
	const page = context.pages()[0] ?? (await context.newPage());
	const problems: string[] = [];
	page.on('pageerror', ({ message }) => problems.push(message));
	page.on('console', (message) => {
		if (message.type() === 'error') problems.push(message.text());
	});
	try {
		await page.goto(url);
		await page.getByRole('link', { name: 'Transcribe', exact: true }).click();
		await page.locator('input[type=file]').setInputFiles(speech);
		const words = page.locator('.word');
		await words.first().waitFor();
		const heard = await page.locator('.line .said').allTextContents();
		assertHeard(heard.join(' '), Object.values(sentences).join(' '));
		await page.screenshot({ path: join(pictures, 'studio-transcribe.png') });
		const saving = page.waitForEvent('download');
		await page.getByRole('button', { name: 'Export' }).first().click();
		await page.locator('.menu-form button[type=submit]').click();
		const saved = await saving;
		assert.equal(saved.suggestedFilename(), 'said.srt');
		assert.match(
			readFileSync(await saved.path(), 'utf8'),
			/^1\n00:00:0\d,\d+ --> [\d:,]+\nPlease /,
		);
		await page.getByRole('button', { name: 'Record' }).click();
		await page.getByRole('button', { name: 'Stop 0:03' }).click();
		await page.locator('.name').filter({ hasText: '.webm' }).waitFor();
		await words.first().waitFor();

		await page.getByRole('link', { name: 'Documents' }).click();
		await page.locator('input[type=file]').setInputFiles({
			name: 'guide.md',
			mimeType: 'text/markdown',
			buffer: Buffer.from('# Open the file\n\nRun `npm test`.\n'),
		});
		const getting = page.waitForEvent('download');
		await page.getByRole('link', { name: 'Save' }).click();
		const document = await getting;
		assert.equal(document.suggestedFilename(), 'guide.de.md');
		const text = readFileSync(await document.path(), 'utf8');
		assert.match(text, /^# (?!Open the file)\S.*\n\n.*`npm test`.*\n$/);
		await page.screenshot({ path: join(pictures, 'studio-documents.png') });
		assert.deepEqual(problems, []);
	} catch (error) {
		await page.screenshot({ path: join(pictures, 'studio-failure.png') });
		throw error;
	} finally {
		await context.close();
	}
});
