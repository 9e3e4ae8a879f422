/** Reader mode and the view of models, as they look. */

import { join } from 'node:path';
import { test } from 'node:test';
import { command, desk, openChat, openFile, photograph } from './window.ts';

test('reader mode shows the translation beside a comment and takes it away again', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	await openFile(page, 'greet.py', 'first line');
	await command(page, 'Nearglot: Toggle Reader Mode');
	const beside = page.locator('.view-line span[class*="ced-"]').first();
	await beside.waitFor({ state: 'attached' });
	await page.waitForTimeout(500);
	await page.screenshot({ path: join(pictures, 'reader-mode.png') });
	await command(page, 'Nearglot: Toggle Reader Mode');
	await beside.waitFor({ state: 'detached' });
	await page.close();
});

test('the models view lists the built-in models with their task', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	await openChat(page);
	await page.locator('.pane-header').filter({ hasText: 'Models' }).click();
	const row = (text: string) => page.locator('.pane .monaco-list-row').filter({ hasText: text });
	await row('starter-chat').first().waitFor();
	await row('starter-translate').first().waitFor();
	await photograph(page, pictures, 'models');
	await page.locator('.pane-header').filter({ hasText: 'Models' }).click();
	await page.close();
});
