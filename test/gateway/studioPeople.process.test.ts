/** People who follow one another at one browser: each finds the studio as if nobody had been there before. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { Harness } from './support/harness.ts';

const executablePath = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
].find((path) => existsSync(path));
const skip = {
	skip: executablePath === undefined && 'no Chromium is installed (Debian package chromium)',
	timeout: 240_000,
};

let browser: Browser;
let models: TestServer;
let h: Harness;
let base: string;

before(async () => {
	if (executablePath === undefined) return;
	models = await startTestServer({ fakeRunner: true, listen: { requireKey: true } });
	const probe = createServer();
	await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
	const { port } = probe.address() as AddressInfo;
	await new Promise((resolve) => probe.close(resolve));
	base = `http://localhost:${port}`;
	h = await Harness.start({
		port,
		upstream: models.url,
		env: { NEARGLOT_GATEWAY_SECRET: 'a secret of gateway and server' },
		config: { 'x-gateway': { publicUrl: base, trustedProxies: [] } },
	});
	browser = await chromium.launch({
		executablePath,
		args: ['--no-sandbox', '--disable-dev-shm-usage'],
		timeout: 120_000,
	});
});
after(async () => {
	await browser?.close();
	await h?.[Symbol.asyncDispose]();
	await models?.close();
});

async function withBrowser(work: (context: BrowserContext) => Promise<void>, locale = 'en') {
	const context = await browser.newContext({ locale });
	context.setDefaultTimeout(60_000);
	try {
		await work(context);
	} finally {
		await context.close();
	}
}

/** The provider signs in this person from now on. */
function next(name: string): void {
	const sub = name.toLowerCase();
	h.provider.claims = { sub, email: `${sub}@corp.example`, email_verified: true, name };
}

async function openStudio(page: Page): Promise<void> {
	await page.goto(`${base}/`);
	await page.locator('.composer select.model option').first().waitFor({ state: 'attached' });
}

const secretWords = 'The password of the safe is nine.';
const answered = (page: Page) => page.locator('.turn').nth(1);

async function ask(page: Page, question: string): Promise<void> {
	await page.fill('.composer textarea', question);
	await page.keyboard.press('Enter');
	await answered(page).locator('.markdown, .error').first().waitFor();
	await page.locator('.composer .stop').waitFor({ state: 'detached' });
}

/** All that the browser keeps for the pages of this address. */
const kept = (page: Page) =>
	page.evaluate(async () => {
		const records: unknown[] = [];
		for (const { name = '' } of await indexedDB.databases()) {
			const database = await new Promise<IDBDatabase>((resolve, reject) => {
				const request = indexedDB.open(name);
				request.onsuccess = () => resolve(request.result);
				request.onerror = () => reject(request.error);
			});
			for (const store of database.objectStoreNames) {
				const all = database.transaction(store).objectStore(store).getAll();
				await new Promise((resolve) => {
					all.onsuccess = resolve;
				});
				records.push(...all.result);
			}
			database.close();
		}
		return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, ...records]);
	});

test(
	'whoever signs in next finds nothing of what the one before asked or began to write',
	skip,
	async () => {
		await withBrowser(async (context) => {
			const page = await context.newPage();
			next('Anna');
			await openStudio(page);
			await ask(page, secretWords);
			await page.fill('.composer textarea', 'A draft nobody shall read.');
			await page.reload();
			await answered(page).waitFor();
			assert.match(await page.innerText('.log'), /password of the safe/, 'Anna finds her own chat');
			// Not by the page: its address is what a bookmark or another page of the team opens.
			await page.goto(`${base}/.auth/logout`);
			await page.getByRole('heading', { name: 'Signed out' }).waitFor();
			assert.doesNotMatch(await kept(page), /safe|draft nobody/);
			next('Ben');
			await openStudio(page);
			assert.doesNotMatch(await page.innerText('body'), /safe/);
			assert.equal(await page.inputValue('.composer textarea'), '');
			assert.doesNotMatch(await kept(page), /safe|draft nobody/);
		});
	},
);

test(
	'a session that another person takes over in another tab leaves nothing of the first in either',
	skip,
	async () => {
		await withBrowser(async (context) => {
			const first = await context.newPage();
			next('Anna');
			await openStudio(first);
			await ask(first, secretWords);
			// Her session ends without a sign-out.
			await context.clearCookies();
			next('Ben');
			const second = await context.newPage();
			await openStudio(second);
			assert.doesNotMatch(await second.innerText('body'), /safe/);
			await first.locator('.welcome').waitFor();
			assert.doesNotMatch(await first.innerText('body'), /safe/);
			for (const page of [first, second]) assert.doesNotMatch(await kept(page), /safe/);
		});
	},
);

test(
	'the studio says who is signed in and signs out, which leaves nothing behind',
	skip,
	async () => {
		await withBrowser(async (context) => {
			const page = await context.newPage();
			next('Änne <b>Groß</b>');
			await openStudio(page);
			await ask(page, secretWords);
			const banner = page.getByRole('banner');
			assert.match(await banner.innerText(), /änne <b>groß<\/b>@corp\.example/);
			await banner.getByRole('button', { name: 'Sign Out' }).click();
			await page.getByRole('heading', { name: 'Signed out' }).waitFor();
			assert.equal(await kept(page), '[{},{}]');
			next('Ben');
			await openStudio(page);
			assert.match(await banner.innerText(), /ben@corp\.example/);
		});
	},
);

test(
	'in every language the studio tells a member of the team where what is written goes',
	skip,
	async () => {
		const here = /this computer|diesem Rechner|este equipo|este ordenador|cet ordinateur/i;
		for (const locale of ['en', 'de', 'es', 'fr']) {
			await withBrowser(async (context) => {
				const page = await context.newPage();
				next('Anna');
				await openStudio(page);
				assert.doesNotMatch(await page.innerText('body'), here, locale);
				await page.locator('nav .tab').nth(4).click();
				await page.locator('.models .card').first().waitFor();
				assert.doesNotMatch(await page.innerText('body'), here, locale);
				if (locale === 'en') assert.match(await page.innerText('body'), /On the team server/);
			}, locale);
		}
	},
);

test(
	'a reload keeps the model that was chosen, and an answer it broke off is tried again with that one',
	skip,
	async () => {
		await withBrowser(async (context) => {
			const page = await context.newPage();
			// The same model under a second name, which is not the first of the list.
			await page.route('**/v1/models', async (route) => {
				const list = (await (await route.fetch()).json()) as { data: Record<string, unknown>[] };
				const chat = list.data.find((row) => row['task'] === 'chat-completion');
				await route.fulfill({
					json: { data: [...list.data, { ...chat, id: 'second', name: 'Second' }] },
				});
			});
			// No answer ever ends.
			await page.route('**/v1/chat/completions', () => undefined);
			next('Anna');
			await openStudio(page);
			await page.selectOption('.composer select.model', 'second');
			await page.fill('.composer textarea', 'A question');
			await page.keyboard.press('Enter');
			await page.locator('.composer .stop').waitFor();
			await page.reload();
			await page.locator('.composer select.model option').first().waitFor({ state: 'attached' });
			assert.equal(await page.inputValue('.composer select.model'), 'second');
			const again = page.waitForRequest('**/v1/chat/completions');
			await page.getByRole('button', { name: 'Try again' }).click();
			assert.equal((await again).postDataJSON().model, 'second');
		});
	},
);
