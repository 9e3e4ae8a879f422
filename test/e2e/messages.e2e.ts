/** Messages in several languages: what is missing is looked through, and one is written where its key is. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { command, desk, editorText, openChat, openFile, photograph, webview } from './window.ts';

test('missing messages of every language are looked through, and nothing is written before a yes', async () => {
	const { open, workspace, pictures } = await desk();
	const folder = join(workspace, 'locales');
	mkdirSync(folder, { recursive: true });
	writeFileSync(
		join(folder, 'en.json'),
		'{\n  "title": "The first page",\n  "gone": "The file {name} could not be opened."\n}\n',
	);
	writeFileSync(join(folder, 'de.json'), '{\n  "title": "Die erste Seite"\n}\n');
	writeFileSync(join(folder, 'fr.json'), '{\n  "title": "La première page"\n}\n');
	const page = await open();
	await openFile(page, 'en.json', 'could not be opened');
	await command(page, 'Nearglot: Translate Missing Messages…');
	const review = await webview(page, '.review li');
	const rows = review.locator('.review > ul > li').filter({ hasText: '{name}' });
	await rows.nth(1).waitFor();
	await photograph(page, pictures, 'missing-messages');
	await page.emulateMedia({ colorScheme: null });
	assert.doesNotMatch(readFileSync(join(folder, 'de.json'), 'utf8'), /gone/);
	await rows.first().focus();
	await page.keyboard.press('e');
	const field = review.locator('li textarea');
	await field.fill('Die Datei {name} ging nicht auf.');
	await field.press('Enter');
	await rows.nth(1).getByRole('button', { name: 'Accept' }).click();
	await review.getByRole('button', { name: 'Put 2 into the files' }).click();
	await review.getByRole('status').filter({ hasText: '2 messages in 2 files' }).waitFor();
	await openFile(page, 'de.json', 'gone');
	const text = ((await editorText(page).textContent()) ?? '').replaceAll('\u00a0', ' ');
	assert.match(text, /"gone": "Die Datei \{name\} ging nicht auf\."/);
	for (const file of ['de.json', 'fr.json'])
		assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /gone/, 'nothing is saved');
	await command(page, 'File: Revert File');
	await page.close();
	rmSync(folder, { recursive: true });
});

test('the view of messages is there as soon as the chat is, without a text being open', async () => {
	const { open, workspace } = await desk();
	const folder = join(workspace, 'i18n');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'en.json'), '{\n  "closed": "The window is closed"\n}\n');
	writeFileSync(join(folder, 'de.json'), '{\n}\n');
	try {
		const page = await open();
		await openChat(page);
		const header = page.locator('.pane-header').filter({ hasText: 'Messages' });
		await header.click();
		const row = page.locator('.pane .monaco-list-row').filter({ hasText: '1 missing' });
		await row.first().waitFor();
		await header.click();
		await page.close();
	} finally {
		rmSync(folder, { recursive: true });
	}
});

test('a key in code says what is missing, and its text is written without opening the file', async () => {
	const { open, workspace, pictures } = await desk();
	const folder = join(workspace, 'lang');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'en.json'), '{\n  "closed": "The window {id} is closed"\n}\n');
	writeFileSync(join(folder, 'de.json'), '{\n}\n');
	writeFileSync(join(folder, 'fr.json'), '{\n}\n');
	writeFileSync(join(workspace, 'closed.js'), "show(t('closed', { id }));\n");
	const page = await open();
	await openFile(page, 'closed.js', 'closed');
	const lens = page.locator('.codelens-decoration a');
	await lens.filter({ hasText: 'Missing in de, fr' }).click();
	const german = page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'German' });
	await german.click();
	await page.locator('.quick-input-title', { hasText: 'closed · German' }).waitFor();
	const input = page.locator('.quick-input-widget input.input');
	await input.fill('Das Fenster ist zu');
	const message = page.locator('.quick-input-message').filter({ hasText: '{id} is missing' });
	await message.waitFor();
	await page.screenshot({ path: join(pictures, 'edit-message.png') });
	await input.fill('Das Fenster {id} ist zu');
	await message.waitFor({ state: 'hidden' });
	await input.press('Enter');
	await lens.filter({ hasText: 'Missing in fr' }).waitFor();
	await openFile(page, 'de.json', 'closed');
	const text = ((await editorText(page).textContent()) ?? '').replaceAll('\u00a0', ' ');
	assert.match(text, /"closed": "Das Fenster \{id\} ist zu"/);
	assert.doesNotMatch(readFileSync(join(folder, 'de.json'), 'utf8'), /closed/, 'nothing is saved');
	await command(page, 'File: Revert File');
	rmSync(folder, { recursive: true });
	await page.close();
});

test('a message whose source has changed is looked through with what its file says until now', async () => {
	const { open, workspace, pictures } = await desk();
	const folder = join(workspace, 'changed');
	const records = join(workspace, '.nearglot');
	for (const place of [folder, records]) mkdirSync(place, { recursive: true });
	writeFileSync(join(folder, 'en.json'), '{\n  "open": "Open the window"\n}\n');
	writeFileSync(join(folder, 'de.json'), '{\n  "open": "Die Tür öffnen"\n}\n');
	const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 10);
	const record = {
		...{ version: 1, files: {} },
		messages: {
			'changed/de.json': { '/open': `${hash('Open the door')} ${hash('Die Tür öffnen')}` },
		},
	};
	writeFileSync(join(records, 'translations.json'), JSON.stringify(record));
	const page = await open();
	await openFile(page, 'en.json', 'Open the window');
	await command(page, 'Nearglot: Translate Missing Messages…');
	const review = await webview(page, '.review li');
	const row = review.locator('.review > ul > li').filter({ hasText: 'Open the window' });
	await row.getByText('Until now: Die Tür öffnen').waitFor();
	await photograph(page, pictures, 'changed-message');
	await page.emulateMedia({ colorScheme: null });
	await row.focus();
	await page.keyboard.press('e');
	const field = review.locator('li textarea');
	await field.fill('Das Fenster bitte öffnen');
	await field.press('Enter');
	await review.getByRole('button', { name: 'Put 1 into the files' }).click();
	await review.getByRole('status').filter({ hasText: '1 messages in 1 files' }).waitFor();
	await openFile(page, 'de.json', 'Fenster bitte');
	await command(page, 'File: Revert File');
	await page.close();
	rmSync(folder, { recursive: true });
	rmSync(join(records, 'translations.json'));
});
