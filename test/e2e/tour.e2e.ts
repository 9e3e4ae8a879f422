/** The tour that the documents show, as a person goes through it: a question, a comment, missing messages, a recording. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { Film, filming } from './film.ts';
import { assertHeard, sentences, writeSpeech } from './spokenFile.ts';
import {
	ask,
	command,
	desk,
	editorText,
	newChat,
	openChat,
	openFile,
	patientMs,
	webview,
} from './window.ts';

/** Runs a command from the palette so that it can be seen how. */
async function fromPalette(page: Page, film: Film, words: string, title: string): Promise<void> {
	if (!filming) return command(page, title);
	await page.keyboard.press('F1');
	await page.locator('.quick-input-widget input.input').waitFor();
	await film.type(words);
	const row = page
		.locator('.quick-input-list .monaco-list-row')
		.filter({ has: page.getByText(title, { exact: true }) })
		.first();
	await row.waitFor();
	const focused = row.and(page.locator('.focused'));
	for (let step = 0; step < 20 && (await focused.count()) === 0; step++)
		await page.keyboard.press('ArrowDown');
	await film.hold(900);
	await page.keyboard.press('Enter');
}

async function chatScene(page: Page, film: Film): Promise<void> {
	await openFile(page, 'tour.py', 'could not be opened');
	const chat = await openChat(page);
	await newChat(page, chat);
	await chat.locator('.composer textarea').click();
	await film.hold(1200);
	await film.type('extract a tar.gz file');
	await film.hold(500);
	await page.keyboard.press('Enter');
	await chat.locator('.question').first().waitFor();
	const answer = chat.locator('.answer').last();
	await film.during(answer.and(chat.locator('[aria-busy="false"]')).waitFor(), 200);
	assert.match((await answer.textContent()) ?? '', /tar/);
	await film.hold(2500);
}

async function commentScene(page: Page, film: Film): Promise<void> {
	await editorText(page).click();
	await fromPalette(page, film, 'reader mode', 'Nearglot: Toggle Reader Mode');
	// Styles draw the translation beside the line.
	await page.waitForFunction(
		() =>
			[...document.querySelectorAll('.view-lines span')].some((element) =>
				/Datei/.test(getComputedStyle(element, '::after').content),
			),
		undefined,
		{ timeout: patientMs },
	);
	await film.hold(3000);
	await command(page, 'Nearglot: Toggle Reader Mode');
}

async function messagesScene(page: Page, film: Film): Promise<void> {
	await openFile(page, 'en.json', 'could not be opened');
	await film.hold(1200);
	await fromPalette(page, film, 'missing messages', 'Nearglot: Translate Missing Messages…');
	const review = await webview(page, '.review li');
	const rows = review.locator('.review > ul > li').filter({ hasText: '{name}' });
	await rows.nth(1).waitFor();
	await film.hold(3000);
	for (const row of await rows.all()) await row.getByRole('button', { name: 'Accept' }).click();
	await review.getByRole('button', { name: 'Put 2 into the files' }).click();
	await review.getByRole('status').filter({ hasText: '2 messages in 2 files' }).waitFor();
	await film.hold(1500);
	await openFile(page, 'de.json', 'gone');
	await film.hold(2500);
	for (const file of ['de.json', 'fr.json']) {
		await openFile(page, file, 'gone');
		await command(page, 'File: Revert File');
	}
	await command(page, 'Notifications: Clear All Notifications');
}

async function recordingScene(page: Page, film: Film): Promise<void> {
	await command(page, 'View: Show Explorer');
	const row = page.locator('.explorer-viewlet .monaco-list-row').filter({ hasText: 'tour.wav' });
	const menu = page.locator('.monaco-menu');
	const entry = menu.locator('.action-item').filter({ hasText: 'Transcribe…' }).first();
	const tab = page.locator('.tabs-container .tab.active').filter({ hasText: 'tour.wav' });
	for (let attempt = 1; ; attempt++) {
		try {
			await row.click({ button: 'right', timeout: 8000 });
			await entry.hover({ timeout: 8000 });
			await film.hold(1200);
			await page.keyboard.press('Enter');
			await tab.waitFor({ timeout: 8000 });
			break;
		} catch (error) {
			// Something took the focus, and the menu closed or stays without it.
			if (attempt === 5) throw error;
			await page.keyboard.press('Escape');
		}
	}
	const recording = await webview(page, '.recording');
	await recording.getByRole('button', { name: 'Export' }).first().waitFor();
	const said = await recording.locator('.line .said').allTextContents();
	assertHeard(said.join(' '), Object.values(sentences).join(' '));
	await film.hold(1500);
	await recording.locator('.line').first().locator('.time').click();
	const later = recording.locator('.clock .now').filter({ hasText: /0:0[3-9]/ });
	await film.during(later.waitFor(), 300);
	await film.hold(2500);
}

test('the tour of the documents goes as they show it', async () => {
	const { open, workspace, pictures, configure } = await desk();
	const folder = join(workspace, 'locales');
	mkdirSync(folder, { recursive: true });
	writeFileSync(
		join(workspace, 'tour.py'),
		'# The file could not be opened.\ndef report(path):\n\treturn f"E1: {path}"\n',
	);
	writeFileSync(
		join(folder, 'en.json'),
		'{\n  "title": "The first page",\n  "gone": "The file {name} could not be opened."\n}\n',
	);
	writeFileSync(join(folder, 'de.json'), '{\n  "title": "Die erste Seite"\n}\n');
	writeFileSync(join(folder, 'fr.json'), '{\n  "title": "La première page"\n}\n');
	await writeSpeech(join(workspace, 'tour.wav'));
	// The film is small: lines have to fit.
	const fitting = { 'editor.minimap.enabled': false, 'editor.fontSize': 12 };
	if (filming) configure(fitting);
	for (const colorScheme of filming ? (['light', 'dark'] as const) : (['light'] as const)) {
		const page = await open();
		await page.emulateMedia({ colorScheme });
		if (filming) await page.setViewportSize({ width: 1024, height: 640 });
		// Nobody wants to see a model being loaded.
		if (filming) await ask(await openChat(page), 'show the date');
		const film = new Film(page, join(pictures, colorScheme === 'dark' ? 'tour-dark' : 'tour'));
		await chatScene(page, film);
		await commentScene(page, film);
		await messagesScene(page, film);
		await recordingScene(page, film);
		film.end();
		await page.close();
	}
	if (filming) configure(Object.fromEntries(Object.keys(fitting).map((name) => [name, undefined])));
});
