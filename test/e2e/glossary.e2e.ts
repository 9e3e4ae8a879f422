/** Terms and the target language: the dialogs and the item that ask for them, clicked. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { command, desk, editorText, openFile } from './window.ts';

test('a term is added by its dialogs, unsaved, and used at once when it is saved', async () => {
	const { open, workspace, pictures } = await desk();
	const file = join(workspace, '.nearglot', 'glossary.tsv');
	rmSync(file, { force: true });
	writeFileSync(join(workspace, 'terms.txt'), 'password\n\nThe password is too short.\n');
	const page = await open();
	await openFile(page, 'terms.txt', 'too short');
	await editorText(page).click();
	await page.keyboard.press('Control+Home');
	await command(page, 'Nearglot: Add to Glossary');
	const title = page.locator('.quick-input-title').filter({ hasText: 'Add to Glossary' });
	await title.waitFor();
	const input = page.locator('.quick-input-widget input.input');
	const message = page.locator('.quick-input-message');
	assert.equal(await input.inputValue(), 'password', 'the word at the cursor');
	await input.fill('');
	await input.press('Enter');
	await message.filter({ hasText: 'A term needs a word.' }).waitFor();
	await input.fill('password');
	await input.press('Enter');
	await message.filter({ hasText: '“password” in German' }).waitFor();
	assert.match(await input.inputValue(), /^\S/, 'what the model says is proposed');
	await page.screenshot({ path: join(pictures, 'glossary.png') });
	await input.fill('Losungswort');
	await input.press('Enter');
	const tab = page.locator('.tab').filter({ hasText: 'glossary.tsv' });
	await tab.waitFor();
	const row = page.locator('.view-lines').filter({ hasText: 'Losungswort' });
	await row.waitFor();
	assert.doesNotMatch(existsSync(file) ? readFileSync(file, 'utf8') : '', /Losungswort/);
	await tab.click();
	await command(page, 'File: Save');
	await tab.and(page.locator(':not(.dirty)')).waitFor();
	assert.match(readFileSync(file, 'utf8'), /^en\tde\r?\npassword\tLosungswort/);
	await openFile(page, 'terms.txt', 'too short');
	await editorText(page).click();
	await page.keyboard.press('Control+End');
	await page.keyboard.press('ArrowUp');
	await page.keyboard.press('Home');
	await page.keyboard.press('Shift+End');
	await command(page, 'Nearglot: Translate Selection');
	await editorText(page).filter({ hasText: 'Losungswort' }).waitFor();
	await command(page, 'File: Revert File');
	rmSync(file);
	await page.close();
});

test('the item of the target language shows it, and a click changes it', async () => {
	const { open, configure, pictures } = await desk();
	const page = await open();
	try {
		await openFile(page, 'greet.py', 'first line');
		const status = page.locator('#status\\.languageStatus');
		const row = page.locator('.hover-language-status').filter({ hasText: 'Target language' });
		await status.hover();
		await row.filter({ hasText: 'German' }).waitFor();
		await page.screenshot({ path: join(pictures, 'language-status.png') });
		await row.getByText('Change').click();
		const french = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'French' });
		await french.first().click();
		await status.hover();
		await row.filter({ hasText: 'French' }).waitFor();
		await page.keyboard.press('Escape');
		await command(page, 'Nearglot: Toggle Reader Mode');
		await page.waitForFunction(() =>
			[...document.querySelectorAll('.view-lines span')].some((element) =>
				/fichier|ligne/.test(getComputedStyle(element, '::after').content),
			),
		);
		await command(page, 'Nearglot: Toggle Reader Mode');
	} finally {
		configure({ 'nearglot.translate.targetLanguage': 'de' });
	}
	await page.close();
});
