/**
 * Accounts in a real VS Code, against a real sign-in layer and a real provider: device code, return to
 * the window, chat, translation and transcription at the team, silent renewal, reload, restart of
 * either side, two windows, the end of a session.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test as tested } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { chooseModel, chosen, dialogButton, signedOut, teamModels, toast } from './signInPages.ts';
import { type TeamDesk, teamDesk } from './teamDesk.ts';
import type { TeamServer } from './teamServer.ts';
import { ask, command, editorText, newChat, openChat, openFile } from './window.ts';

let desk: TeamDesk;
let team: TeamServer;
let page: Page;

let broken = false;

/** The tests are one long story: after a failure the rest would only wait. */
function test(name: string, run: () => Promise<void>): void {
	tested(name, async () => {
		assert.ok(!broken, 'an earlier part has failed');
		broken = true;
		await run();
		broken = false;
	});
}

test('a server that lists no address of this editor is signed in to with a device code', async () => {
	desk = await teamDesk();
	await desk.fresh();
	({ team } = desk);
	await team.open({ callbacks: [], forget: true });
	page = await desk.open();
	await desk.beginSignIn(page);
	await dialogButton(page, 'Allow').click();
	await page
		.locator('.monaco-dialog-box')
		.filter({ hasText: /Your code is/ })
		.waitFor();
	await page.screenshot({ path: join(desk.pictures, 'device-code.png') });
	const device = await desk.opened(page, () =>
		dialogButton(page, 'Copy Code and Open Page').click(),
	);
	await desk.atProvider(device, 'dora');
	await device.getByRole('button', { name: 'Sign in this device' }).click();
	await until('a session by device code', () => team.count('/.auth/me') > 0);
	await device.close();
	await page.bringToFront();
	await teamModels(await openChat(page));
});

test('signing out forgets the session here and there', async () => {
	const before = team.count('/.auth/logout');
	await command(page, 'Nearglot: Sign Out of Team Server');
	await until('the server was told', () => team.count('/.auth/logout') > before);
	await signedOut(page);
});

test('the browser returns to the window, with the same check phrase on both sides', async () => {
	await team.open({ callbacks: desk.callbacks, tokenLifetime: '00:00:40' });
	const handoff = await desk.opened(page, () => desk.beginSignIn(page));
	await desk.atProvider(handoff, 'dora');
	const phrase = (await handoff.locator('code').first().textContent()) ?? '';
	assert.match(phrase, /^\w\w-\w\w$/);
	await toast(page, `Check that the page shows ${phrase}`).waitFor();
	await handoff.screenshot({ path: join(desk.pictures, 'handoff.png') });
	const before = team.count('/.auth/me');
	await handoff.getByRole('button', { name: 'Continue' }).click();
	await until('a session by the callback', () => team.count('/.auth/me') > before);
	await handoff.close();
	await page.bringToFront();
});

test('chat, translation and transcription go to the team once one of its models is chosen', async () => {
	const frame = await openChat(page);
	await teamModels(frame);
	await chooseModel(page, '· [::1]', join(desk.pictures, 'choose-model.png'));
	await chosen(frame, true);
	const answer = await ask(frame, 'show disk usage');
	assert.ok(answer.trim().length > 0);
	assert.equal(team.count('/v1/chat/completions'), 1, answer);
	await page.screenshot({ path: join(desk.pictures, 'team-chat.png') });
	await openFile(page, 'notes.txt', 'could not be opened');
	await page.keyboard.press('Control+Home');
	await page.keyboard.press('Shift+End');
	await command(page, 'Nearglot: Translate Selection');
	await editorText(page).filter({ hasNotText: 'could not be opened' }).waitFor();
	assert.ok(team.count('/translate') > 0);
	await page.keyboard.press('Control+Z');
	// Whether the team has a model that hears is its own business.
	const heard = () => team.passed.some(({ path }) => path === '/v1/audio/transcriptions');
	const input = page.locator('.quick-input-widget input.input');
	await until('a recording at the team', async () => {
		// Another window that comes to the front closes the box, and an Enter while it looks for the file is lost.
		if (!(await input.isVisible())) await command(page, 'Nearglot: Transcribe…');
		await input.fill(join(desk.workspace, 'talk.wav'));
		await input.press('Enter');
		for (let tenths = 0; tenths < 100 && !heard(); tenths++) await page.waitForTimeout(100);
		return heard();
	});
	await command(page, 'View: Close All Editors');
});

test('a session is renewed before its token ends, without a word', async () => {
	const before = team.passed.filter(({ path }) => path === '/.auth/refresh').length;
	await until('a refresh', () => team.count('/.auth/refresh') > before);
	assert.equal(await toast(page, /session|sign in/i).count(), 0);
	assert.ok((await ask(await openChat(page), 'show the date')).length > 0);
});

test('a reload, and a restart of the team server or of the editor, keep people signed in', async () => {
	await desk.load(page);
	const chats = () => team.count('/v1/chat/completions');
	let before = chats();
	await ask(await openChat(page), 'count lines in a file');
	assert.equal(chats(), before + 1);
	await team.open({ callbacks: desk.callbacks });
	await ask(await openChat(page), 'show free disk space');
	assert.equal(chats(), before + 2);
	await desk.restart();
	await desk.load(page);
	before = chats();
	await ask(await openChat(page), 'list running processes');
	assert.equal(chats(), before + 1);
});

test('a second window is signed in as well; a session ended there is asked for once here', async () => {
	const second = await desk.open();
	const before = team.count('/v1/chat/completions');
	await ask(await openChat(second), 'show open ports');
	assert.equal(team.count('/v1/chat/completions'), before + 1);
	await command(second, 'Nearglot: Sign Out of Team Server');
	await until('the server was told', () => team.count('/.auth/logout') > 1);
	await second.close();
	await page.bringToFront();
	const frame = await openChat(page);
	await newChat(page, frame);
	await ask(frame, 'words that must not be lost');
	await toast(page, /has ended/).waitFor();
	await page.screenshot({ path: join(desk.pictures, 'session-ended.png') });
	assert.equal(await toast(page, /has ended|not signed in/).count(), 1);
	await frame.locator('.question').filter({ hasText: 'words that must not be lost' }).waitFor();
	const signIn = toast(page, /has ended/).getByRole('button', { name: 'Sign In', exact: true });
	const handoff = await desk.opened(page, () => signIn.click());
	await desk.confirm(page, handoff, 'dora');
	const chats = team.count('/v1/chat/completions');
	await ask(frame, 'show disk usage');
	assert.equal(team.count('/v1/chat/completions'), chats + 1);
});
