/** The studio page of the daemon in a browser. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { violations } from './axe.ts';
import { ask, desk, openChat, patientMs, photograph } from './window.ts';

test('the studio page chats, translates with linked words and lists the models', async () => {
	const { context, home, open, pictures } = await desk();
	const window = await open();
	await ask(await openChat(window), 'show the date');
	const { url } = JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')) as { url: string };
	const page = await context.newPage();
	const problems: string[] = [];
	page.on('console', (message) => {
		if (message.type() === 'error') problems.push(message.text());
	});
	page.on('pageerror', (error) => problems.push(error.message));
	await page.goto(url);
	await page.locator('.composer textarea').fill('extract a tar.gz file');
	await page.locator('.composer .send').click();
	const answer = page.locator('.answer[aria-busy="false"]').last();
	await answer.filter({ hasText: 'tar' }).waitFor({ timeout: patientMs });
	await page.screenshot({ path: join(pictures, 'studio-chat.png') });
	await page.getByRole('link', { name: 'Translate' }).click();
	await page.locator('.pair textarea').fill('The file could not be opened.');
	const word = page.locator('.result span').first();
	await word.waitFor();
	await word.hover();
	await page.locator('.source-echo .linked').first().waitFor();
	await photograph(page, pictures, 'studio-words');
	await page.getByRole('link', { name: 'Models' }).click();
	await page.locator('.models').filter({ hasText: 'starter-translate' }).waitFor();
	await page.reload();
	await page.locator('.models').filter({ hasText: 'starter-translate' }).waitFor();
	await page.getByRole('link', { name: 'Chat', exact: true }).click();
	await page.locator('.question').filter({ hasText: 'extract a tar.gz file' }).waitFor();
	assert.deepEqual(problems, []);
	await page.close();
	await window.close();
});

test('no page of the studio has accessibility faults, light, dark or in high contrast', async () => {
	const { context, home, open, pictures } = await desk();
	const window = await open();
	await ask(await openChat(window), 'show the date');
	const { url } = JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')) as { url: string };
	const page = await context.newPage();
	await page.goto(url);
	await page.locator('.composer textarea').fill('extract a tar.gz file');
	await page.locator('.composer .send').click();
	await page.locator('.answer[aria-busy="false"]').last().waitFor();
	for (const [name, media] of [
		['light', { colorScheme: 'light', forcedColors: 'none' }],
		['dark', { colorScheme: 'dark', forcedColors: 'none' }],
		['contrast', { colorScheme: 'dark', forcedColors: 'active' }],
	] as const) {
		await page.emulateMedia(media);
		for (const [tab, shown] of [
			['Chat', '.composer'],
			['Translate', '.pair'],
			['Documents', '.document-drop'],
			['Transcribe', '.drop'],
			['Models', '.models'],
		] as const) {
			await page.getByRole('link', { name: tab, exact: true }).click();
			await page.locator(shown).first().waitFor();
			if (tab === 'Translate') {
				await page.locator('.pair textarea').fill('The password is too short.');
				await page.locator('.result span').first().hover();
				await page.locator('.source-echo .linked').first().waitFor();
				await page.getByText('Detected: English').waitFor();
			}
			const picture = `studio-${tab.toLowerCase()}-${name}.png`;
			await page.screenshot({ path: join(pictures, picture) });
			assert.deepEqual(await violations(page, shown), [], `${tab}, ${name}`);
		}
	}
	await page.emulateMedia({ colorScheme: null, forcedColors: null });
	await page.close();
	await window.close();
});

test('a one-time link opens the studio with the key, in the language of the browser, without faults', async () => {
	const { context, home, open, pictures } = await desk();
	const window = await open();
	await ask(await openChat(window), 'show the date');
	const endpoint = JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')) as {
		url: string;
		key: string;
	};
	const made = await fetch(`${endpoint.url}/nearglot/studio`, {
		method: 'POST',
		headers: { authorization: `Bearer ${endpoint.key}`, 'content-type': 'application/json' },
		body: '{}',
	});
	const { url } = (await made.json()) as { url: string };
	const page = await context.newPage();
	await page.addInitScript(() => {
		Object.defineProperty(navigator, 'languages', { get: () => ['de-DE', 'en'] });
	});
	await page.goto(url);
	await page.getByRole('link', { name: 'Modelle' }).click();
	await page
		.getByRole('button', { name: /^Herunterladen: / })
		.first()
		.waitFor();
	assert.equal(new URL(page.url()).hash, '#/models', 'the ticket is gone from the address');
	await page.screenshot({ path: join(pictures, 'studio-models.png') });
	assert.deepEqual(await violations(page, '.models'), []);
	await page.getByRole('link', { name: 'Übersetzen' }).click();
	await page.locator('.pair textarea').fill('The file could not be opened.');
	await page.locator('.result span').first().waitFor();
	assert.deepEqual(await violations(page, '.pair'), []);
	await page.close();
	await window.close();
});
