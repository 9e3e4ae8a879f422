/** The page of a translated preview: alone or beside its source, in another language, at any width. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { previewHtml } from '../../../extension/preview/previewHtml.ts';
import { violations } from '../../e2e/axe.ts';
import { until } from '../../support/until.ts';
import { inBrowser, launchBrowser } from '../../webview/pageInBrowser.ts';

let browser: Browser;
before(async () => {
	if (inBrowser.skip === false) browser = await launchBrowser();
});
after(() => browser?.close());

const html = previewHtml({
	...{ cspSource: 'http://page.test', nonce: 'abc', language: 'de', base: 'http://page.test/' },
	...{ styles: [], title: 'guide.md · German' },
	texts: { language: 'Language', layout: 'Layout', translation: 'Translation', both: 'Both' },
});

const source =
	'<h1 data-line="0" class="code-line" id="first">First</h1>\n<p data-line="2" class="code-line">One two</p>\n<pre><code data-line="4">x</code></pre>';
const target =
	'<h1 data-line="0" class="code-line" id="first">Erstes</h1>\n<p data-line="2" class="code-line">Eins zwei</p>\n<pre><code data-line="6">x</code></pre>';

/** Opens the page with a document; `tell` is the extension. */
async function open(
	state?: unknown,
): Promise<{ page: Page; tell(message: object): Promise<void> }> {
	const page = await browser.newPage();
	await page.addInitScript((kept) => {
		const sent: unknown[] = [];
		Object.assign(window, {
			sent,
			acquireVsCodeApi: () => ({
				postMessage: (message: unknown) => sent.push(message),
				getState: () => kept,
				setState: (value: unknown) => sent.push({ state: value }),
			}),
		});
	}, state);
	await page.route('http://page.test/**', (route) =>
		route.fulfill({ contentType: 'text/html', body: html }),
	);
	await page.goto('http://page.test/');
	const tell = (message: object) => page.evaluate((data) => window.postMessage(data, '*'), message);
	const languages = [
		{ code: 'de', name: 'German' },
		{ code: 'fr', name: 'French' },
	];
	await tell({ languages, language: 'de' });
	await tell({ html: target, source, sourceLanguage: 'en', busy: false, state: '' });
	await page.locator('main[aria-busy=false]').waitFor();
	return { page, tell };
}

const sent = (page: Page) => page.evaluate(() => (window as unknown as { sent: unknown[] }).sent);

test(
	'a paragraph stands beside what it says in the other language, and leads to its line',
	inBrowser,
	async () => {
		const { page } = await open();
		await page.getByRole('heading', { name: 'Erstes' }).waitFor();
		assert.equal(await page.getByText('One two').count(), 0);
		await page.getByRole('button', { name: 'Both' }).click();
		const rows = page.locator('.pair');
		assert.deepEqual(
			await rows.evaluateAll((all) =>
				all.map((row) =>
					[...row.children].map((child) => `${child.getAttribute('lang')} ${child.textContent}`),
				),
			),
			[
				['en First', 'null Erstes'],
				['en One two', 'null Eins zwei'],
				['en x', 'null x'],
			],
		);
		assert.equal(await page.locator('#first').count(), 1, 'one place for one address');
		await page.getByText('Eins zwei').dblclick();
		assert.deepEqual((await sent(page)).slice(-2), [{ state: { layout: 'both' } }, { goTo: 2 }]);
		await page.close();
	},
);

test(
	'a page that comes back shows both again; another language is asked for, and texts without the same paragraphs stay whole',
	inBrowser,
	async () => {
		const { page, tell } = await open({ layout: 'both' });
		assert.equal(await page.locator('.pair').count(), 3);
		await page.getByRole('combobox', { name: 'Language' }).selectOption('fr');
		await until('the language is asked for', async () =>
			JSON.stringify(await sent(page)).includes('{"to":"fr"}'),
		);
		await tell({ language: 'fr', html: '<p>Un</p>', source, sourceLanguage: 'en', busy: false });
		await page.getByText('Un', { exact: true }).waitFor();
		assert.equal(await page.locator('.pair').count(), 1);
		assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
		await page.close();
	},
);

test(
	'it fits at every width, both columns side by side where there is room, without a fault of accessibility',
	inBrowser,
	async () => {
		const { page } = await open({ layout: 'both' });
		const tops = () =>
			page
				.locator('.pair')
				.first()
				.evaluate((row) => [...row.children].map((child) => child.getBoundingClientRect().top));
		for (const width of [180, 390, 760, 1600]) {
			await page.setViewportSize({ width, height: 600 });
			assert.ok(
				await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
				`nothing sticks out at ${width}`,
			);
			const [first, second] = await tops();
			assert.equal(first === second, width > 600, `columns at ${width}`);
		}
		assert.deepEqual(await violations(page, 'main'), []);
		await page.close();
	},
);
