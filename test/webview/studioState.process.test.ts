/** What the studio page keeps, and what it says when something is missing. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import esbuild from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { violations } from '../e2e/axe.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { inBrowser, launchBrowser } from './pageInBrowser.ts';

let server: TestServer;
let browser: Browser;
let context: BrowserContext;
before(async () => {
	if (inBrowser.skip !== false) return;
	server = await startTestServer({ fakeRunner: true });
	browser = await launchBrowser();
	context = await browser.newContext();
});
after(async () => {
	await browser?.close();
	await server?.close();
});

async function openStudio(): Promise<Page> {
	const made = await server.post('/nearglot/studio', {}, { headers: server.keyed });
	const page = await context.newPage();
	await page.goto(((await made.json()) as { url: string }).url);
	await page.locator('.composer select.model option').first().waitFor({ state: 'attached' });
	return page;
}

async function ask(page: Page, question: string): Promise<void> {
	await page.locator('.composer textarea').fill(question);
	await page.keyboard.press('Enter');
	await page.locator('.question').filter({ hasText: question }).waitFor();
	await page.locator('.answer[aria-busy="false"]').last().waitFor();
}

test(
	'chats are a list: a new one keeps the others, deleting is taken back, names and places last',
	inBrowser,
	async () => {
		const page = await openStudio();
		const list = page.locator('.chats');
		await ask(page, 'first question');
		await page.getByRole('button', { name: 'New chat' }).click();
		await page.locator('.welcome').waitFor();
		await ask(page, 'second question');
		await list.getByRole('link', { name: 'first question' }).click();
		await page.locator('.question').filter({ hasText: 'first question' }).waitFor();
		await list.getByRole('button', { name: 'Rename “first question”' }).click();
		await list.locator('input').fill('Another name');
		await page.keyboard.press('Enter');
		await list.getByRole('link', { name: 'Another name' }).waitFor();
		await list.getByRole('button', { name: 'Delete “Another name”' }).click();
		await page.locator('.welcome').waitFor();
		assert.equal(await list.getByRole('link').count(), 1);
		await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
		await list.getByRole('link', { name: 'Another name' }).click();
		await page.locator('.question').filter({ hasText: 'first question' }).waitFor();
		await page.reload();
		await page.locator('.question').filter({ hasText: 'first question' }).waitFor();
		assert.deepEqual(await list.getByRole('link').allTextContents(), [
			'second question',
			'Another name',
		]);
		await page.keyboard.press('Control+k');
		await page.keyboard.type('second');
		await page.keyboard.press('Enter');
		await page.locator('.question').filter({ hasText: 'second question' }).waitFor();
		await page.goBack();
		await page.locator('.question').filter({ hasText: 'first question' }).waitFor();
		await page.close();
	},
);

test('two tabs that go on with one chat lose nothing of each other', inBrowser, async () => {
	const first = await openStudio();
	await ask(first, 'asked at first');
	const second = await openStudio();
	await second.locator('.chats').getByRole('link', { name: 'asked at first' }).click();
	await second.locator('.question').filter({ hasText: 'asked at first' }).waitFor();
	await ask(first, 'asked here');
	await ask(second, 'asked there');
	const version = second.locator('.question .versions').last();
	await version.filter({ hasText: '2/2' }).waitFor();
	await second.reload();
	await version.getByRole('button', { name: 'Previous version' }).click();
	await second.locator('.question').filter({ hasText: 'asked here' }).waitFor();
	await first.close();
	await second.close();
});

test(
	'a chat that one tab deletes does not come back by another that shows it, unless that takes it back',
	inBrowser,
	async () => {
		const first = await openStudio();
		await ask(first, 'shown in two tabs');
		const second = await openStudio();
		const link = (page: Page) =>
			page.locator('.chats').getByRole('link', { name: 'shown in two tabs' });
		await link(second).click();
		await second.locator('.question').filter({ hasText: 'shown in two tabs' }).waitFor();
		await link(first).hover();
		await first.getByRole('button', { name: 'Delete “shown in two tabs”' }).click();
		await first.locator('.welcome').waitFor();
		await second.locator('.composer textarea').fill('asked after that');
		await second.keyboard.press('Enter');
		const notice = second.locator('.toast', { hasText: 'shown in two tabs' });
		await notice.waitFor();
		await second.locator('.welcome').waitFor();
		await second.reload();
		await second.locator('.composer').waitFor();
		assert.equal(await link(second).count(), 0);

		await link(first).waitFor({ state: 'detached' });
		await first.locator('.toast').getByRole('button', { name: 'Undo' }).click();
		await link(first).click();
		await ask(first, 'asked when it is back');
		await first.close();
		await second.close();
	},
);

test(
	'a text to translate stays over tabs and reloads; no result stands under another language',
	inBrowser,
	async () => {
		const page = await openStudio();
		const nav = page.locator('nav');
		await nav.getByRole('link', { name: 'Translate' }).click();
		const text = page.locator('.pair textarea');
		await text.fill('The file is gone');
		await page.locator('.result span').first().waitFor();
		await nav.getByRole('link', { name: 'Models' }).click();
		await page.locator('.card').first().waitFor();
		await nav.getByRole('link', { name: 'Translate' }).click();
		assert.equal(await text.inputValue(), 'The file is gone');
		await page.locator('.result span').first().waitFor();
		await page.selectOption('.languages label:last-of-type select', 'ja');
		assert.equal(await page.locator('.result').textContent(), '');
		const remedy = page.locator('.remedy');
		await remedy.getByRole('button', { name: /^Get M2M100 418M.*640 MB · mit/ }).waitFor();
		assert.equal(await page.locator('.result').textContent(), '');
		assert.deepEqual(await violations(page, '.remedy'), []);
		await page.reload();
		await page.locator('.remedy').waitFor();
		assert.equal(await text.inputValue(), 'The file is gone');
		await page.getByRole('button', { name: 'German' }).click();
		await text.fill('');
		await until(
			'nothing is said to go on',
			async () => (await page.locator('.pair [role="status"]').textContent()) === '',
		);
		await page.close();
	},
);

test(
	'there are no accessibility faults, and little script is loaded before the first click',
	inBrowser,
	async () => {
		const page = await openStudio();
		const scripts = await page.evaluate(() =>
			performance
				.getEntriesByType('resource')
				.map(({ name }) => name)
				.filter((name) => name.endsWith('.js')),
		);
		// As they are shipped: the build of a clone is not minified.
		const small = await Promise.all(
			scripts.map(async (url) =>
				esbuild.transform(await (await fetch(url)).text(), { minify: true, target: 'es2023' }),
			),
		);
		const bytes = small.reduce((sum, { code }) => sum + code.length, 0);
		assert.ok(bytes <= 250_000, `${bytes} bytes of script`);
		for (const colorScheme of ['light', 'dark'] as const) {
			await page.emulateMedia({ colorScheme });
			for (const [name, shown] of [
				['chat', '.composer'],
				['translate', '.pair'],
				['models', '.card'],
				['jobs', '.jobs .choose'],
				['people', '.people details'],
				['requests', '.requests'],
			] as const) {
				await page.evaluate((place) => {
					location.hash = place;
				}, `#/${name}`);
				await page.locator(shown).first().waitFor();
				assert.deepEqual(await violations(page, shown), [], `${name}, ${colorScheme}`);
			}
		}
		await page.close();
	},
);
