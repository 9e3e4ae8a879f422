/**
 * Accounts in a real VS Code, against a real sign-in layer and a real provider: device code, return to
 * the window, chat, translation and transcription at the team, silent renewal, reload, restart of
 * either side, two windows, the end of a session, no network, sign-out, and a search for secrets.
 */

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test as tested } from 'node:test';
import { type BrowserContext, chromium, type FrameLocator, type Page } from 'playwright-core';
// @ts-expect-error: the scripts are plain JavaScript
import { chromiumOptions, hostCommand, startHost } from '../../scripts/vscode-host/server.mjs';
import { wavFile } from '../audio/madeAudio.ts';
import { TeamServer } from './teamServer.ts';
import { ask, command, editorText, newChat, openChat, openFile, statusItem } from './window.ts';

interface Host {
	readonly base: string;
	readonly port: number;
	stop(): Promise<void>;
}

const dir = `${process.env['E2E_DIR']}-signin`;
const [workspace, home, pictures] = ['workspace', 'home', 'pictures'].map((name) =>
	join(dir, name),
) as [string, string, string];

let host: Host;
let context: BrowserContext;
let team: TeamServer;
let callbacks: readonly string[];
let page: Page;

before(async () => {
	const vsix = process.env['E2E_VSIX'] ?? '';
	rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
	for (const folder of [workspace, pictures]) mkdirSync(folder, { recursive: true });
	writeFileSync(join(workspace, 'notes.txt'), 'The file could not be opened.\n');
	const silence = wavFile(new Float32Array(16_000), { rateHz: 16_000 });
	writeFileSync(join(workspace, 'talk.wav'), silence);
	await hostCommand(dir, ['--install-extension', vsix]);
	host = await start();
	team = await TeamServer.start(join(dir, 'team'));
	callbacks = [await callbackOf(host)];
	context = await chromium.launchPersistentContext(join(dir, 'browser'), {
		...chromiumOptions,
		viewport: { width: 1280, height: 800 },
		permissions: ['clipboard-read', 'clipboard-write'],
	});
	context.setDefaultTimeout(60_000);
	// The provider's pages ask for a font from elsewhere.
	await context.route(/^https?:\/\/(?!127\.0\.0\.1|localhost)[^/]*googleapis/, (route) =>
		route.abort(),
	);
});

after(async () => {
	await context?.close();
	await host?.stop();
	await team?.stop();
});

function start(port?: number): Promise<Host> {
	return startHost({
		dir,
		...(port === undefined ? {} : { port }),
		env: { NEARGLOT_HOME: home },
		settings: { 'nearglot.translate.targetLanguage': 'de' },
	}) as Promise<Host>;
}

/** Address at which this kind of VS Code takes answers of web pages; the query is its own. */
async function callbackOf({ base }: Host): Promise<string> {
	const html = (await (await fetch(base)).text()).replaceAll('&quot;', '"');
	const route = /"callbackRoute":"([^"]+)"/.exec(html)?.[1];
	assert.ok(route, 'the page names no callback route');
	return new URL(route, 'http://127.0.0.1').href;
}

async function open(): Promise<Page> {
	const blank = context.pages().find((other) => other.url() === 'about:blank');
	const window = blank ?? (await context.newPage());
	await window.goto(`${host.base}/?folder=${encodeURIComponent(workspace)}`);
	await statusItem(window).waitFor();
	return window;
}

const toast = (window: Page, text: string | RegExp) =>
	window.locator('.notifications-toasts .notification-list-item').filter({ hasText: text });

const dialogButton = (window: Page, name: string) =>
	window.locator('.monaco-dialog-box').getByRole('button', { name, exact: true });

/** Does something that opens a page, agreeing to whatever VS Code asks before; returns the page. */
async function opened(window: Page, act: () => Promise<void>): Promise<Page> {
	let open = true;
	const popup = context.waitForEvent('page').finally(() => {
		open = false;
	});
	await act();
	const agree = window
		.locator('.monaco-dialog-box')
		.getByRole('button', { name: /^(?:Allow|Open)$/ })
		.first();
	const agreeing = (async () => {
		while (open) await agree.click({ timeout: 1000 }).catch(() => undefined);
	})();
	const page = await popup;
	await agreeing;
	return page;
}

/** Types the address. */
async function beginSignIn(window: Page): Promise<void> {
	await command(window, 'Nearglot: Sign In to Team Server');
	const input = window.locator('.quick-input-widget input.input');
	await window.locator('.quick-input-title', { hasText: 'Address of the team server' }).waitFor();
	await input.fill(team.origin);
	await window.keyboard.press('Enter');
}

/** Signs a person in on the provider's own pages, unless the browser still is. */
async function atProvider(popup: Page, who: string): Promise<void> {
	const form = popup.locator('form[action*="/interaction/"]');
	const own = popup.getByRole('button', { name: /^(?:Continue|Sign in this device)$/ });
	try {
		for (;;) {
			await form.or(own).first().waitFor();
			// The provider asks for consent with a button of the same name.
			if (popup.url().startsWith(team.origin) && (await own.isVisible())) return;
			const login = form.locator('input[name="login"]');
			if ((await login.count()) > 0) {
				await login.fill(who);
				await form.locator('input[name="password"]').fill('any');
			}
			const before = popup.url();
			await form.locator('button').click();
			await popup.waitForURL((url) => url.href !== before);
		}
	} catch (error) {
		await popup.screenshot({ path: join(pictures, 'provider-failed.png') });
		throw new Error(`at ${popup.url()}`, { cause: error });
	}
}

/** Chooses who answers in the one list of models. */
async function chooseModel(window: Page, text: string): Promise<void> {
	await command(window, 'Nearglot: Choose Model');
	await window.locator('.quick-input-list').getByText('Best model of this computer').waitFor();
	await window.screenshot({ path: join(pictures, 'choose-model.png') });
	await window.locator('.quick-input-widget input.input').fill(text);
	const rows = window.locator('.quick-input-list .monaco-list-row');
	await rows.filter({ hasNotText: 'Best model' }).filter({ hasText: text }).first().waitFor();
	await window.keyboard.press('Enter');
}

/** The model the chat shows as chosen: one of the team, or one of this computer. */
const chosen = (frame: FrameLocator, ofTeam: boolean) =>
	frame
		.locator(
			`select.model option:checked${ofTeam ? '' : ':not'}${ofTeam ? '[value^="team:"]' : '([value^="team:"])'}`,
		)
		.waitFor({ state: 'attached' });

async function until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
	for (const end = Date.now() + 90_000; Date.now() < end; ) {
		if (await done()) return;
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	assert.fail(`waited in vain: ${what}`);
}

let broken = false;

/** The tests are one long story: after a failure the rest would only wait. */
function test(name: string, run: () => Promise<void>): void {
	tested(name, async () => {
		assert.ok(!broken, 'an earlier part has failed');
		broken = true;
		await run().catch(async (error: unknown) => {
			await page?.screenshot({ path: join(pictures, 'failed.png') }).catch(() => undefined);
			throw error;
		});
		broken = false;
	});
}

test('a server that lists no address of this editor is signed in to with a device code', async () => {
	await team.open({ callbacks: [] });
	page = await open();
	await beginSignIn(page);
	await dialogButton(page, 'Allow').click();
	await page
		.locator('.monaco-dialog-box')
		.filter({ hasText: /Your code is/ })
		.waitFor();
	await page.screenshot({ path: join(pictures, 'device-code.png') });
	const device = await opened(page, () => dialogButton(page, 'Copy Code and Open Page').click());
	await atProvider(device, 'dora');
	await device.getByRole('button', { name: 'Sign in this device' }).click();
	await until('a session by device code', () => team.count('/.auth/me') > 0);
	await device.close();
	const frame = await openChat(page);
	await frame.locator('select.model optgroup[label^="Team"]').waitFor({ state: 'attached' });
});

test('signing out forgets the session here and there', async () => {
	const before = team.count('/.auth/logout');
	await command(page, 'Nearglot: Sign Out of Team Server');
	await until('the server was told', () => team.count('/.auth/logout') > before);
	await command(page, 'Nearglot: Choose Model');
	await page
		.locator('.quick-input-list')
		.getByText(/Sign in to \[::1\]/)
		.waitFor();
	await page.keyboard.press('Escape');
});

test('the browser returns to the window, with the same check phrase on both sides', async () => {
	await team.open({ callbacks, tokenLifetime: '00:00:40' });
	const handoff = await opened(page, () => beginSignIn(page));
	await atProvider(handoff, 'dora');
	const phrase = (await handoff.locator('code').first().textContent()) ?? '';
	assert.match(phrase, /^\w\w-\w\w$/);
	await toast(page, `Check that the page shows ${phrase}`).waitFor();
	await handoff.screenshot({ path: join(pictures, 'handoff.png') });
	const before = team.count('/.auth/me');
	await handoff.getByRole('button', { name: 'Continue' }).click();
	await until('a session by the callback', () => team.count('/.auth/me') > before);
	await handoff.close();
});

test('chat, translation and transcription go to the team once one of its models is chosen', async () => {
	const frame = await openChat(page);
	await chooseModel(page, '· [::1]');
	await chosen(frame, true);
	const answer = await ask(frame, 'show disk usage');
	assert.ok(answer.trim().length > 0);
	assert.equal(team.count('/v1/chat/completions'), 1);
	await page.screenshot({ path: join(pictures, 'team-chat.png') });
	await openFile(page, 'notes.txt', 'could not be opened');
	await page.keyboard.press('Control+Home');
	await page.keyboard.press('Shift+End');
	await command(page, 'Nearglot: Translate Selection');
	await editorText(page).filter({ hasNotText: 'could not be opened' }).waitFor();
	assert.ok(team.count('/translate') > 0);
	await page.keyboard.press('Control+Z');
	await command(page, 'Nearglot: Transcribe…');
	await page.locator('.quick-input-widget input.input').fill(join(workspace, 'talk.wav'));
	await page.keyboard.press('Enter');
	// Whether the team has a model that hears is its own business.
	const heard = () => team.passed.some(({ path }) => path === '/v1/audio/transcriptions');
	await until('a recording at the team', heard);
	await command(page, 'View: Close All Editors');
});

test('a session is renewed before its token ends, without a word', async () => {
	const before = team.passed.filter(({ path }) => path === '/.auth/refresh').length;
	await until('a refresh', () => team.count('/.auth/refresh') > before);
	assert.equal(await toast(page, /session|sign in/i).count(), 0);
	assert.ok((await ask(await openChat(page), 'show the date')).length > 0);
});

test('a reload, and a restart of the team server or of the editor, keep people signed in', async () => {
	await page.reload();
	await statusItem(page).waitFor();
	const chats = () => team.count('/v1/chat/completions');
	let before = chats();
	await ask(await openChat(page), 'count lines in a file');
	assert.equal(chats(), before + 1);
	await team.open({ callbacks });
	await ask(await openChat(page), 'show free disk space');
	assert.equal(chats(), before + 2);
	await host.stop();
	host = await start(host.port);
	await page.goto(`${host.base}/?folder=${encodeURIComponent(workspace)}`);
	await statusItem(page).waitFor();
	before = chats();
	await ask(await openChat(page), 'list running processes');
	assert.equal(chats(), before + 1);
});

test('a second window is signed in as well; a session ended there is asked for once here', async () => {
	const second = await open();
	const before = team.count('/v1/chat/completions');
	await ask(await openChat(second), 'show open ports');
	assert.equal(team.count('/v1/chat/completions'), before + 1);
	await command(second, 'Nearglot: Sign Out of Team Server');
	await until('the server was told', () => team.count('/.auth/logout') > 1);
	await second.close();
	const frame = await openChat(page);
	await newChat(page, frame);
	await ask(frame, 'words that must not be lost');
	await toast(page, /has ended/).waitFor();
	await page.screenshot({ path: join(pictures, 'session-ended.png') });
	assert.equal(await toast(page, /has ended|not signed in/).count(), 1);
	await frame.locator('.question').filter({ hasText: 'words that must not be lost' }).waitFor();
	const signIn = toast(page, /has ended/).getByRole('button', { name: 'Sign In', exact: true });
	const handoff = await opened(page, () => signIn.click());
	await atProvider(handoff, 'dora');
	const me = team.count('/.auth/me');
	await handoff.getByRole('button', { name: 'Continue' }).click();
	await until('a new session', () => team.count('/.auth/me') > me);
	await handoff.close();
	const chats = team.count('/v1/chat/completions');
	await ask(frame, 'show disk usage');
	assert.equal(team.count('/v1/chat/completions'), chats + 1);
});
