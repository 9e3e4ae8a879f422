/** Translation in the editor beyond a selection: hovers, several cursors, files, folders, names. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { clipboard, command, desk, editorText, openFile, patientMs } from './window.ts';

/** Puts the cursor on a word by the mouse. */
async function pointAt(page: Page, word: string) {
	const place = editorText(page).locator('span', { hasText: word }).last();
	await place.hover();
	return place;
}

/** Waits until a translation stands (or no longer stands) beside a line; styles draw it. */
async function waitBeside(page: Page, wanted: boolean): Promise<void> {
	await page.waitForFunction(
		(isWanted) =>
			isWanted ===
			[...document.querySelectorAll('.view-lines span')].some((element) =>
				/Datei|Zeile/.test(getComputedStyle(element, '::after').content),
			),
		wanted,
		{ timeout: patientMs },
	);
}

test('a comment is translated on hover, and reader mode shows it beside the line', async () => {
	const { open, workspace, pictures } = await desk();
	writeFileSync(
		join(workspace, 'read.py'),
		'def read(path):\n\ttry:\n\t\treturn open(path).read()\n\texcept OSError:\n' +
			'\t\t# The file could not be opened. Please try again.\n\t\treturn None\n',
	);
	const page = await open();
	await openFile(page, 'read.py', 'could not be opened');
	const hover = page.locator('.monaco-hover').filter({ hasText: 'English → German' });
	for (let attempt = 0; attempt < 20 && !(await hover.first().isVisible()); attempt++) {
		await page.mouse.move(5, 5);
		await pointAt(page, 'opened');
		await hover
			.first()
			.waitFor({ timeout: 3000 })
			.catch(() => undefined);
	}
	assert.match((await hover.first().textContent()) ?? '', /Datei|Zeile/);
	await page.screenshot({ path: join(pictures, 'hover.png') });
	await page.keyboard.press('Escape');
	await command(page, 'Nearglot: Toggle Reader Mode');
	await waitBeside(page, true);
	await page.screenshot({ path: join(pictures, 'reader-mode.png') });
	await command(page, 'Nearglot: Toggle Reader Mode');
	await waitBeside(page, false);
	await page.close();
});

test('several selections are translated at once, and one undo brings all back', async () => {
	const { open, workspace } = await desk();
	writeFileSync(
		join(workspace, 'several.txt'),
		'The file could not be opened.\n\nThe password is too short.\n',
	);
	const page = await open();
	await openFile(page, 'several.txt', 'password');
	await editorText(page).click();
	await page.keyboard.press('Control+Home');
	await page.keyboard.press('Shift+End');
	// A second cursor two lines below, with a selection of its own.
	await command(page, 'Add Cursor Below');
	await command(page, 'Add Cursor Below');
	await page.keyboard.press('Home');
	await page.keyboard.press('Shift+End');
	await command(page, 'Nearglot: Translate Selection');
	const lines = editorText(page);
	await lines.filter({ hasNotText: 'password' }).waitFor();
	const text = (await lines.textContent()) ?? '';
	assert.doesNotMatch(text, /could not be opened/);
	await page.keyboard.press('Control+Z');
	await lines.filter({ hasText: 'password' }).waitFor();
	assert.match(
		((await lines.textContent()) ?? '').replaceAll('\u00a0', ' '),
		/could not be opened/,
	);
	await page.close();
});

test('a translation goes below its line and to the clipboard', async () => {
	const { open, workspace } = await desk();
	writeFileSync(join(workspace, 'below.txt'), 'The password is too short.\n');
	const page = await open();
	await openFile(page, 'below.txt', 'password');
	await editorText(page).click();
	await page.keyboard.press('Control+Home');
	await command(page, 'Nearglot: Translate Selection Below');
	await editorText(page).filter({ hasText: 'kurz' }).waitFor();
	const text = ((await editorText(page).textContent()) ?? '').replaceAll('\u00a0', ' ');
	assert.match(text, /The password is too short\./);
	await page.keyboard.press('Control+Z');
	await editorText(page).filter({ hasNotText: 'kurz' }).waitFor();
	await command(page, 'Nearglot: Translate Selection to Clipboard');
	await clipboard(page, /kurz/);
	await page.close();
});

test('a whole file is shown as a difference and nothing is saved', async () => {
	const { open, workspace, pictures } = await desk();
	const source = '# The first page\n\nThe **file** could not be opened. See `readFile`.\n';
	writeFileSync(join(workspace, 'guide.md'), source);
	const page = await open();
	await openFile(page, 'guide.md', 'could not be opened');
	await command(page, 'Nearglot: Translate File');
	const translated = page.locator(
		'.modified-in-monaco-diff-editor .view-lines, .editor.modified .view-lines',
	);
	await translated.filter({ hasText: 'Datei' }).first().waitFor();
	await page.screenshot({ path: join(pictures, 'translate-file.png') });
	const text = ((await translated.first().textContent()) ?? '').replaceAll('\u00a0', ' ');
	assert.match(text, /`readFile`/);
	assert.equal(readFileSync(join(workspace, 'guide.md'), 'utf8'), source);
	await page.close();
});

test('a German name gets an English one in the same case style wherever it is used', async () => {
	const { open, workspace } = await desk();
	writeFileSync(
		join(workspace, 'rechner.js'),
		'// Dieses Programm liest den Namen der Datei und zeigt ihn an.\nconst dateiName = "a.txt";\nconsole.log(dateiName);\n',
	);
	const page = await open();
	await openFile(page, 'rechner.js', 'dateiName');
	await editorText(page).click();
	await page.keyboard.press('Control+Home');
	await page.keyboard.press('ArrowDown');
	for (let step = 0; step < 8; step++) await page.keyboard.press('ArrowRight');
	await command(page, 'Nearglot: Name This Symbol in English');
	const input = page.locator('.quick-input-widget input.input');
	await page.locator('.quick-input-title', { hasText: 'dateiName' }).waitFor();
	const proposed = await input.inputValue();
	assert.match(proposed, /^[a-z]+[A-Z][A-Za-z]*$/);
	await page.keyboard.press('Enter');
	await editorText(page).filter({ hasNotText: 'dateiName' }).waitFor();
	const text = (await editorText(page).textContent()) ?? '';
	assert.equal(text.split(proposed).length, 3);
	await page.keyboard.press('Control+Z');
	await editorText(page).filter({ hasText: 'dateiName' }).waitFor();
	await page.close();
});

test('a term of the glossary is used, and the Markdown preview follows in another language', async () => {
	const { open, workspace, pictures } = await desk();
	mkdirSync(join(workspace, '.nearglot'), { recursive: true });
	writeFileSync(join(workspace, '.nearglot', 'glossary.tsv'), 'en\tde\npassword\tLosungswort\n');
	writeFileSync(join(workspace, 'page.md'), '# The password\n\nThe password is too short.\n');
	const page = await open();
	await openFile(page, 'page.md', 'too short');
	await command(page, 'Nearglot: Open Translated Preview to the Side');
	const frame = page.frameLocator('iframe.webview.ready').last().frameLocator('#active-frame');
	await frame.locator('main p').filter({ hasText: 'Losungswort' }).waitFor();
	await page.screenshot({ path: join(pictures, 'preview.png') });
	await editorText(page).click();
	await page.keyboard.press('Control+End');
	await page.keyboard.type('The file could not be opened.');
	await frame.locator('main').filter({ hasText: 'Datei' }).waitFor();
	await frame.getByRole('button', { name: 'Both' }).click();
	const pair = frame.locator('.pair').filter({ hasText: 'The password is too short.' });
	await pair.filter({ hasText: 'Losungswort' }).waitFor();
	await page.screenshot({ path: join(pictures, 'preview-both.png') });
	await frame.getByRole('combobox', { name: 'Language' }).selectOption('fr');
	await pair.filter({ hasText: 'mot de passe' }).waitFor();
	assert.ok(existsSync(join(workspace, '.nearglot', 'glossary.tsv')));
	await page.close();
});
