/** A VS Code window with the packed extension, for tests that click and type. */

import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type FrameLocator, type Page } from 'playwright-core';
// @ts-expect-error: the scripts are plain JavaScript
import { chromiumOptions, hostCommand, startHost } from '../../scripts/vscode-host/server.mjs';
import { type HubContent, startHub, type TestHub } from '../support/hubServer.ts';
import { until } from '../support/until.ts';
import { packCaller } from './caller.ts';

interface Host {
	readonly base: string;
	stop(): Promise<void>;
}

export interface Desk {
	readonly context: BrowserContext;
	readonly host: Host;
	/** Folder the windows open. */
	readonly workspace: string;
	/** Data folder of the daemon under test. */
	readonly home: string;
	/** Where pictures go. */
	readonly pictures: string;
	/** The hub that models are downloaded from; what it holds is up to the tests. */
	readonly hub: TestHub;
	/** Changes settings of the user, as an edit of the file does; `undefined` takes one away. */
	configure(settings: Readonly<Record<string, unknown>>): void;
	/** A window; the first one begins without what earlier ones have left open, unsaved or moved. */
	open(): Promise<Page>;
	reload(page: Page): Promise<void>;
}

/** Longest wait for something on the screen; `E2E_PATIENCE=4` waits four times as long where much else runs. */
export const patientMs = 60_000 * Number(process.env['E2E_PATIENCE'] ?? '1');

/** A model of the catalogue, and the files the hub has of it. */
export const hubRepository = 'HuggingFaceTB/SmolLM2-135M-Instruct';
export const hubContent: Record<string, Buffer> & HubContent = {};

let shared: Promise<Desk> | undefined;

/** The one VS Code all files of this folder use, started by whoever comes first. */
export function desk(): Promise<Desk> {
	shared ??= startDesk();
	return shared;
}

/** Pictures of a window for the documents, `NAME.png` in the light theme and `NAME-dark.png` in the dark one. */
export async function photograph(page: Page, folder: string, name: string): Promise<void> {
	for (const colorScheme of ['dark', 'light'] as const) {
		await page.emulateMedia({ colorScheme });
		for (const frame of page.frames()) {
			const themed = frame.locator('body[data-vscode-theme-kind]');
			if ((await themed.count().catch(() => 0)) > 0)
				await frame.locator(`body.vscode-${colorScheme}`).waitFor({ state: 'attached' });
		}
		const suffix = colorScheme === 'dark' ? '-dark' : '';
		await page.screenshot({ path: join(folder, `${name}${suffix}.png`), animations: 'disabled' });
	}
}

/** Ends what {@link desk} started. */
export async function closeDesk(): Promise<void> {
	if (!shared) return;
	const { context, host, hub } = await shared;
	await context.close();
	await host.stop();
	await hub[Symbol.asyncDispose]();
}

/** Keeps what the windows of a failed test show as pictures, and closes them for the next one. */
export async function clearWindows(failed: string): Promise<void> {
	if (!shared) return;
	const { context, pictures } = await shared;
	const name = failed.replace(/\W+/g, '-').slice(0, 60);
	for (const [index, page] of context.pages().entries()) {
		const path = join(pictures, `failed-${name}-${index}.png`);
		await page.screenshot({ path, timeout: 10_000 }).catch(() => undefined);
		await page.close();
	}
}

async function startDesk(): Promise<Desk> {
	const dir = process.env['E2E_DIR'];
	const vsix = process.env['E2E_VSIX'];
	if (!dir || !vsix) throw new Error('Run these tests with scripts/e2e.mjs.');
	const workspace = join(dir, 'workspace');
	const home = join(dir, 'home');
	const pictures = join(dir, 'pictures');
	mkdirSync(dir, { recursive: true });
	// Pictures of an earlier run stay: a second try of one file must not cost those of the others.
	for (const entry of readdirSync(dir).filter((name) => name !== 'pictures'))
		rmSync(join(dir, entry), { recursive: true, force: true, maxRetries: 10 });
	for (const folder of [workspace, pictures]) mkdirSync(folder, { recursive: true });
	writeFileSync(join(workspace, 'notes.txt'), 'The file could not be opened.\nPlease try again.\n');
	writeFileSync(
		join(workspace, 'greet.py'),
		'# Open the file and read the first line.\ndef greet(name):\n\treturn "hello " + name\n',
	);
	await hostCommand(dir, ['--install-extension', vsix]);
	await hostCommand(dir, ['--install-extension', packCaller(dir)]);
	const hub = await startHub(hubContent, {}, hubRepository);
	const host = (await startHost({
		dir,
		env: { NEARGLOT_HOME: home, HF_ENDPOINT: hub.url },
		settings: {
			'nearglot.translate.targetLanguage': 'de',
			// Themes follow what the browser says of the system.
			'window.autoDetectColorScheme': true,
		},
	})) as Host;
	const context = await openBrowser(dir).catch(async (error: unknown) => {
		await host.stop();
		await hub[Symbol.asyncDispose]();
		throw error;
	});
	const settingsFile = join(dir, 'user-data/User/settings.json');
	return {
		context,
		host,
		workspace,
		home,
		pictures,
		hub,
		configure: (settings) => {
			edit(settingsFile, settings);
			// What belongs to a computer is stored apart; there things are only taken away.
			const machine = join(dir, 'user-data/Machine/settings.json');
			const gone = Object.entries(settings).filter(([, value]) => value === undefined);
			if (existsSync(machine)) edit(machine, Object.fromEntries(gone));
		},
		open: async () => {
			const blank = context.pages().find((page) => page.url() === 'about:blank');
			const page = blank ?? (await context.newPage());
			if (context.pages().length === 1) {
				// Texts that were not saved.
				rmSync(join(dir, 'user-data/User/Backups'), { recursive: true, force: true });
				await forgetWindows(page, host.base);
			}
			await page.goto(`${host.base}/?folder=${encodeURIComponent(workspace)}`);
			await statusItem(page).waitFor();
			return page;
		},
		reload: async (page) => {
			await page.reload();
			await statusItem(page).waitFor();
		},
	};
}

function edit(file: string, settings: Readonly<Record<string, unknown>>): void {
	const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
	writeFileSync(file, JSON.stringify({ ...all, ...settings }, null, '\t'));
}

/** Takes from the browser what VS Code keeps there: tabs, groups, sizes, recent commands. */
async function forgetWindows(page: Page, origin: string): Promise<void> {
	const session = await page.context().newCDPSession(page);
	await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
	await session.detach();
}

async function openBrowser(dir: string): Promise<BrowserContext> {
	const context = await chromium.launchPersistentContext(join(dir, 'browser'), {
		...chromiumOptions,
		viewport: { width: 1280, height: 800 },
		permissions: ['clipboard-read', 'clipboard-write'],
	});
	context.setDefaultTimeout(patientMs);
	return context;
}

/** The item in the status bar; its label says how the server is. */
export function statusItem(page: Page) {
	return page.locator('#nearglot\\.nearglot\\.nearglot\\.status, [id$="nearglot.status"]').first();
}

/** Runs a command by its title from the palette. */
export async function command(page: Page, title: string): Promise<void> {
	await quickPick(page, 'F1', `>${title}`, title);
}

/** Opens a quick pick, types and takes the row; again when something else took the focus from it. */
async function quickPick(page: Page, key: string, text: string, row: string): Promise<void> {
	const input = page.locator('.quick-input-widget input.input');
	// Others, with the words in another place, may come before it.
	const rows = page.locator('.quick-input-list .monaco-list-row');
	const wanted = rows.filter({ has: page.getByText(row, { exact: true }) }).first();
	const focused = wanted.and(page.locator('.focused'));
	for (let attempt = 1; ; attempt++) {
		try {
			await page.keyboard.press(key);
			await input.fill(text, { timeout: 5000 });
			await wanted.waitFor({ timeout: 8000 });
			for (let step = 0; step < 20 && (await focused.count()) === 0; step++)
				await page.keyboard.press('ArrowDown');
			await focused.waitFor({ timeout: 1000 });
			return await takeRow(page);
		} catch (error) {
			if (attempt === 6) throw error;
			await page.keyboard.press('Escape');
		}
	}
}

/**
 * Presses Enter in the quick pick that is open. A page that loads may take the focus at any time, and
 * the pick goes away with it: then the key does nothing, and this throws.
 */
async function takeRow(page: Page): Promise<void> {
	const watch = await page.evaluateHandle(() => {
		const ended = new AbortController();
		const seen = { taken: false, end: () => ended.abort() };
		const listen = (event: KeyboardEvent) => {
			const { target } = event;
			seen.taken = target instanceof Element && target.closest('.quick-input-widget') !== null;
			if (!seen.taken) event.stopImmediatePropagation();
		};
		window.addEventListener('keydown', listen, { capture: true, signal: ended.signal });
		return seen;
	});
	await page.keyboard.press('Enter');
	const taken = await watch.evaluate((seen) => {
		seen.end();
		return seen.taken;
	});
	await watch.dispose();
	if (!taken) throw new Error('The list went away before its row was taken.');
}

/** Opens a file of the workspace and waits for its text. */
export async function openFile(page: Page, name: string, contains: string): Promise<void> {
	await quickPick(page, 'Control+P', name, name);
	await editorText(page).filter({ hasText: contains }).first().waitFor();
}

/** The lines of the active editor. */
export function editorText(page: Page) {
	return page.locator('.editor-group-container.active .editor-instance .view-lines').first();
}

/** Opens the chat view and returns its page. */
export async function openChat(page: Page): Promise<FrameLocator> {
	await command(page, 'Nearglot: Open Chat');
	return webview(page, '.composer textarea');
}

/**
 * The webview that shows something; chats, recordings, previews and walkthroughs may be there at once.
 * Those of tabs behind others go on living, but are not visible.
 */
export async function webview(page: Page, selector: string): Promise<FrameLocator> {
	const end = Date.now() + patientMs;
	for (;;) {
		for (const view of await page.locator('iframe.webview.ready').all()) {
			const name = await view.getAttribute('name', { timeout: 1000 }).catch(() => null);
			if (name === null || !(await view.isVisible())) continue;
			const frame = page.frameLocator(`iframe[name="${name}"]`).frameLocator('#active-frame');
			const shown = frame.locator(selector).first();
			if (await shown.isVisible().catch(() => false)) return frame;
		}
		if (Date.now() > end)
			throw new Error(`No webview shows '${selector}' within ${patientMs / 1000} s.`);
		await page.waitForTimeout(200);
	}
}

/** An empty chat; the command is not needed when the chat is empty already. */
export async function newChat(page: Page, frame: FrameLocator): Promise<void> {
	const empty = frame.locator('.empty');
	await frame.locator('.empty, .question').first().waitFor();
	if ((await empty.count()) > 0) return;
	await command(page, 'Nearglot: New Chat');
	await empty.waitFor();
}

/** Asks and waits for the finished answer; returns its words. */
export async function ask(frame: FrameLocator, question: string): Promise<string> {
	await frame.locator('.composer textarea').fill(question);
	await frame.locator('.composer .send').click();
	await frame.locator('.question').filter({ hasText: question }).last().waitFor();
	const answer = frame.locator('.answer').last();
	await answer.and(frame.locator('[aria-busy="false"]')).waitFor();
	return (await answer.textContent()) ?? '';
}

/** Waits until the clipboard holds what is looked for, and returns it; the browser takes a moment to hand it over. */
export async function clipboard(page: Page, holds: RegExp): Promise<string> {
	let text = '';
	await until(`the clipboard holds ${holds}`, async () => {
		text = await page.evaluate(() => navigator.clipboard.readText());
		return holds.test(text);
	});
	return text;
}

/** Files of the extension with a text in them. */
export function chatsAbout(text: string, workspace: string): string[] {
	const folder = join(workspace, '..', 'user-data/User/globalStorage/nearglot.nearglot');
	return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
		const path = join(folder, name);
		return statSync(path).isFile() && readFileSync(path, 'utf8').includes(text);
	});
}
