/** Translating a selection and the code action, with mouse and keyboard. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { command, desk, editorText, openFile } from './window.ts';

const sentence = 'The file could not be opened.';

test('a selection is translated in place and one undo brings it back', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	await openFile(page, 'notes.txt', 'could not be opened');
	await page.keyboard.press('Control+Home');
	await page.keyboard.press('Shift+End');
	await command(page, 'Nearglot: Translate Selection');
	const lines = editorText(page);
	await lines.filter({ hasNotText: 'could not be opened' }).waitFor();
	await page.screenshot({ path: join(pictures, 'translate-selection.png') });
	assert.match((await lines.textContent()) ?? '', /Please\sagain|Please\stry\sagain/);
	await page.keyboard.press('Control+Z');
	await lines.filter({ hasText: 'could not be opened' }).waitFor();
	await page.close();
});

test('the light bulb offers a translation of the selection', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	await openFile(page, 'notes.txt', 'could not be opened');
	const action = page
		.locator('.action-widget .monaco-list-row')
		.filter({ hasText: 'Translate selection to German' });
	// The list is empty until the language server has started.
	for (let attempt = 0; attempt < 20 && !(await action.isVisible()); attempt++) {
		await page.keyboard.press('Escape');
		await page.keyboard.press('Control+Home');
		await page.keyboard.press('Shift+End');
		await page.keyboard.press('Control+.');
		await action.waitFor({ timeout: 3000 }).catch(() => undefined);
	}
	await page.screenshot({ path: join(pictures, 'code-action.png') });
	await action.click();
	await editorText(page)
		.filter({ hasNotText: sentence.slice(4, 20) })
		.waitFor();
	await page.keyboard.press('Control+Z');
	await page.close();
});
