/**
 * A VS Code beside a team's server, for tests of accounts and keys. All files share the two; each
 * test can begin with a browser nobody has used.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
// @ts-expect-error: the scripts are plain JavaScript
import { chromiumOptions, hostCommand, startHost } from '../../scripts/vscode-host/server.mjs';
import { wavFile } from '../support/madeAudio.ts';
import { until } from '../support/until.ts';
import { type Services, startServices } from './services.ts';
import { TeamServer } from './teamServer.ts';
import { command, patientMs, statusItem } from './window.ts';

interface Host {
	readonly base: string;
	readonly port: number;
	stop(): Promise<void>;
}

let shared: Promise<TeamDesk> | undefined;

/** The one desk of these tests, started by whoever comes first. */
export function teamDesk(): Promise<TeamDesk> {
	shared ??= TeamDesk.start();
	return shared;
}

/** Ends what {@link teamDesk} started. */
export async function closeTeamDesk(): Promise<void> {
	await (await shared?.catch(() => undefined))?.close();
}

/** Keeps what the windows of a failed test show as pictures. */
export async function pictureTeamWindows(failed: string): Promise<void> {
	await (await shared?.catch(() => undefined))?.picture(failed);
}

export class TeamDesk {
	/** Everything below is in this folder. */
	readonly dir = `${process.env['E2E_DIR']}-team`;
	readonly workspace = join(this.dir, 'workspace');
	/** Data folder of the daemon under test. */
	readonly home = join(this.dir, 'home');
	readonly pictures = join(this.dir, 'pictures');
	readonly team: TeamServer;
	readonly services: Services;
	/** Addresses at which the editor takes answers of web pages. */
	callbacks: readonly string[] = [];
	#host: Host | undefined;
	#context: BrowserContext | undefined;
	#browsers = 0;
	#firstSettings: object | undefined;

	private constructor(team: TeamServer, services: Services) {
		this.team = team;
		this.services = services;
	}

	static async start(): Promise<TeamDesk> {
		const dir = `${process.env['E2E_DIR']}-team`;
		mkdirSync(dir, { recursive: true });
		// Pictures of an earlier run stay: a second try must not cost those of the first.
		for (const entry of readdirSync(dir).filter((name) => name !== 'pictures'))
			rmSync(join(dir, entry), { recursive: true, force: true, maxRetries: 10 });
		const desk = new TeamDesk(
			await TeamServer.start(join(dir, 'team')),
			await startServices(join(dir, 'services')),
		);
		for (const folder of [desk.workspace, desk.pictures]) mkdirSync(folder, { recursive: true });
		writeFileSync(join(desk.workspace, 'notes.txt'), 'The file could not be opened.\n');
		const silence = wavFile(new Float32Array(16_000), { rateHz: 16_000 });
		writeFileSync(join(desk.workspace, 'talk.wav'), silence);
		await hostCommand(dir, ['--install-extension', process.env['E2E_VSIX'] ?? '']);
		return desk;
	}

	/** The browser in use. */
	get context(): BrowserContext {
		assert.ok(this.#context, 'no browser yet');
		return this.#context;
	}

	/** Folders of the editor, of its server and of the browser that shows it. */
	get folders(): readonly string[] {
		const own = ['user-data', 'extensions', 'xdg', 'browsers'].map((name) => join(this.dir, name));
		return [...own, this.home, this.workspace];
	}

	/** A browser nobody has used and the settings of the first day; secrets and sign-ins are gone. */
	async fresh(settings: object = {}): Promise<void> {
		await this.#closeBrowser();
		await this.endDaemon();
		this.team.passed.length = 0;
		if (!this.#host) await this.restart();
		const file = join(this.dir, 'user-data/User/settings.json');
		this.#firstSettings ??= JSON.parse(readFileSync(file, 'utf8'));
		writeFileSync(file, JSON.stringify({ ...this.#firstSettings, ...settings }));
		const folder = join(this.dir, 'browsers', String(++this.#browsers));
		const context = await chromium.launchPersistentContext(folder, {
			...chromiumOptions,
			viewport: { width: 1280, height: 800 },
			permissions: ['clipboard-read', 'clipboard-write'],
		});
		context.setDefaultTimeout(patientMs);
		// The provider's pages ask for a font from elsewhere.
		await context.route(/^https?:\/\/(?!127\.0\.0\.1|localhost)[^/]*googleapis/, (route) =>
			route.abort(),
		);
		this.#context = context;
	}

	/** Ends the editor and starts it anew, with what its user has set. */
	async restart(): Promise<void> {
		const port = this.#host?.port;
		await this.#host?.stop();
		this.#host = (await startHost({
			dir: this.dir,
			...(port === undefined ? {} : { port }),
			env: { NEARGLOT_HOME: this.home, ...this.services.env },
			settings: { 'nearglot.translate.targetLanguage': 'de' },
		})) as Host;
		this.callbacks = [await callbackOf(this.#host)];
	}

	/** The daemon of the editor under test: where it is and its key. */
	daemon(): { readonly pid: number; readonly url: string; readonly key: string } {
		return JSON.parse(readFileSync(join(this.home, 'endpoint.json'), 'utf8'));
	}

	/** Ends the daemon, and with it all it keeps in memory. */
	async endDaemon(): Promise<void> {
		const file = join(this.home, 'endpoint.json');
		if (!existsSync(file)) return;
		const { pid } = this.daemon();
		try {
			process.kill(pid, 'SIGTERM');
		} catch {
			// It has ended already.
		}
		await until(
			'the end of the daemon',
			() => !existsSync(`/proc/${pid}/cmdline`) || !existsSync(file),
		);
	}

	async open(): Promise<Page> {
		const { context } = this;
		const blank = context.pages().find((other) => other.url() === 'about:blank');
		const window = blank ?? (await context.newPage());
		await this.load(window);
		return window;
	}

	/** Loads the workspace in a window, again when it was there. */
	async load(window: Page): Promise<void> {
		await window.goto(`${this.#host?.base}/?folder=${encodeURIComponent(this.workspace)}`);
		// The first window after a start takes long on a busy machine.
		await statusItem(window).waitFor({ timeout: 3 * patientMs });
	}

	/** Does something that opens a page, agreeing to whatever VS Code asks before; returns the page. */
	async opened(window: Page, act: () => Promise<void>): Promise<Page> {
		let open = true;
		const popup = this.context.waitForEvent('page').finally(() => {
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
	async beginSignIn(window: Page): Promise<void> {
		await command(window, 'Nearglot: Sign In to Team Server');
		const input = window.locator('.quick-input-widget input.input');
		await window.locator('.quick-input-title', { hasText: 'Address of the team server' }).waitFor();
		await input.fill(this.team.origin);
		await window.keyboard.press('Enter');
	}

	/** Signs a person in by the browser, with a server that is open. */
	async signIn(window: Page, who: string): Promise<void> {
		const handoff = await this.opened(window, () => this.beginSignIn(window));
		await this.confirm(window, handoff, who);
	}

	/** Goes through the pages that hand a session to the editor. */
	async confirm(window: Page, handoff: Page, who: string): Promise<void> {
		await this.atProvider(handoff, who);
		const before = this.team.count('/.auth/me');
		await handoff.getByRole('button', { name: 'Continue' }).click();
		await until('a session by the callback', () => this.team.count('/.auth/me') > before);
		await handoff.close();
		// A page behind another draws nothing: no view, no notice.
		await window.bringToFront();
	}

	/** Signs a person in on the provider's own pages, unless the browser still is. */
	async atProvider(popup: Page, who: string): Promise<void> {
		const form = popup.locator('form[action*="/interaction/"]');
		const own = popup.getByRole('button', { name: /^(?:Continue|Sign in this device)$/ });
		try {
			for (;;) {
				await form.or(own).first().waitFor();
				// The provider asks for consent with a button of the same name.
				if (popup.url().startsWith(this.team.origin) && (await own.isVisible())) return;
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
			await popup.screenshot({ path: join(this.pictures, 'provider-failed.png') });
			throw new Error(`at ${popup.url()}`, { cause: error });
		}
	}

	/** Pictures of all windows, named after a test. */
	async picture(test: string): Promise<void> {
		const name = test.replace(/\W+/g, '-').slice(0, 60);
		for (const [index, page] of (this.#context?.pages() ?? []).entries()) {
			const path = join(this.pictures, `failed-${name}-${index}.png`);
			await page.screenshot({ path, timeout: 10_000 }).catch(() => undefined);
		}
	}

	/** Leaves every page first: a window that is cut off is waited for by its extension host. */
	async #closeBrowser(): Promise<void> {
		for (const page of this.#context?.pages() ?? []) {
			await page.goto('about:blank', { timeout: 10_000 }).catch(() => undefined);
		}
		await this.#context?.close();
		this.#context = undefined;
	}

	async close(): Promise<void> {
		await this.#closeBrowser();
		await this.#host?.stop();
		await this.endDaemon();
		await this.team.stop();
		await this.services.stop();
	}
}

/** Address at which this kind of VS Code takes answers of web pages; the query is its own. */
async function callbackOf({ base }: Host): Promise<string> {
	const html = (await (await fetch(base)).text()).replaceAll('&quot;', '"');
	const route = /"callbackRoute":"([^"]+)"/.exec(html)?.[1];
	assert.ok(route, 'the page names no callback route');
	return new URL(route, 'http://127.0.0.1').href;
}
