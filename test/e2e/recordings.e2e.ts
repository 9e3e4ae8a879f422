/** Several recordings are transcribed in the background, over a reload and beside another window: one window says what came of it. */

import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { writeSpeech } from './spokenFile.ts';
import { command, desk, webview } from './window.ts';

const speech = join(import.meta.dirname, '..', 'fixtures', 'speech');
const names = ['a-first.flac', 'b-broken.flac', 'c-long.wav'];

const toast = (page: Page, words: string | RegExp) =>
	page.locator('.notification-toast').filter({ hasText: words });

/** Selects several files in the explorer and chooses *Transcribe…*, until they are handed over. */
async function transcribeAll(page: Page): Promise<void> {
	await command(page, 'View: Show Explorer');
	const row = (name: string) =>
		page.locator('.explorer-viewlet .monaco-list-row').filter({ hasText: name });
	const menu = page.locator('.monaco-menu');
	const entry = menu.locator('.action-item').filter({ hasText: 'Transcribe…' }).first();
	for (let attempt = 1; ; attempt++) {
		try {
			await row(names[0] ?? '').click({ timeout: 8000 });
			await row(names[2] ?? '').click({ modifiers: ['Shift'], timeout: 8000 });
			await row(names[2] ?? '').click({ button: 'right', timeout: 8000 });
			// A menu that has just opened ignores clicks, but not keys.
			await entry.hover({ timeout: 8000 });
			await page.keyboard.press('Enter');
			return await toast(page, '3 recordings are transcribed').waitFor({ timeout: 15_000 });
		} catch (error) {
			if (attempt === 5) throw error;
			await page.keyboard.press('Escape');
		}
	}
}

test('recordings go on over a reload and beside another window; one window says what is ready and what failed', async () => {
	const { open, reload, workspace, pictures } = await desk();
	const [first = '', broken = '', long = ''] = names.map((name) => join(workspace, name));
	cpSync(join(speech, 'annie.flac'), first);
	writeFileSync(broken, 'These are notes.');
	await writeSpeech(long);
	try {
		const page = await open();
		await transcribeAll(page);
		await page.screenshot({ path: join(pictures, 'recordings-handed-over.png') });
		const [other] = await Promise.all([open(), reload(page)]);
		const windows = [page, other];
		const said = (words: string) => Promise.any(windows.map((one) => toast(one, words).waitFor()));
		await Promise.all([said('2 transcripts are ready'), said('b-broken.flac: ')]);
		for (const [at, one] of windows.entries())
			await one.screenshot({ path: join(pictures, `recordings-ready-${at}.png`) });
		const count = async (words: string | RegExp) => {
			const counts = await Promise.all(windows.map((one) => toast(one, words).count()));
			return counts.reduce((sum, one) => sum + one, 0);
		};
		assert.equal(await count(/transcripts? (of .*)?(are|is) ready/), 1);
		assert.equal(await count('b-broken.flac: '), 1);
		const teller = (await toast(page, '2 transcripts are ready').count()) > 0 ? page : other;
		await teller.bringToFront();
		await toast(teller, '2 transcripts').getByRole('button', { name: 'Open' }).click();
		await (await webview(teller, '.recording .line')).locator('.line').first().waitFor();
		await teller.screenshot({ path: join(pictures, 'recordings-open.png') });
		for (const one of windows) await one.close();
	} finally {
		for (const path of [first, broken, long]) rmSync(path, { force: true });
	}
});
