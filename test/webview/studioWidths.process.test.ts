/** The studio page in narrow windows: nothing lies outside, whoever reads it. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { chromium, type Page } from 'playwright-core';
import { signOutHeader } from '../../server/protocol/index.ts';
import { startTestServer } from '../support/testServer.ts';

const executablePath = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
].find((path) => existsSync(path));
const skip = {
	skip: executablePath === undefined && 'no Chromium is installed (Debian package chromium)',
	timeout: 240_000,
};

/** What each page shows first, and those that are the owner's. */
const first = ['.composer', '.pair', '.document-drop', '.drop', '.models .card', '.jobs .choose'];
const firstOfOwner = [...first, '.people details', '.requests'];

test(
	'at 182 to 800 pixels every tool fits the window and breaks no word, for the owner and for a member',
	skip,
	async () => {
		const server = await startTestServer({ fakeRunner: true });
		const browser = await chromium.launch({
			executablePath: executablePath!,
			args: ['--no-sandbox', '--disable-dev-shm-usage'],
			timeout: 120_000,
		});
		try {
			const made = await server.post('/nearglot/studio', {}, { headers: server.keyed });
			const { url } = (await made.json()) as { url: string };
			const signedIn = {
				...server.member(),
				'x-ms-client-principal-name': 'a.person.with.a.long.name@a-long-domain.example',
				[signOutHeader]: '/.auth/logout',
			};
			for (const [address, extraHTTPHeaders] of [
				[url, {}],
				[`${server.url}/`, signedIn],
			] as const) {
				// The longest words of the four languages.
				const viewport = { width: 182, height: 640 };
				const context = await browser.newContext({ locale: 'de', extraHTTPHeaders, viewport });
				const page = await context.newPage();
				await page.goto(address);
				await page.locator('.composer select.model option').first().waitFor({ state: 'attached' });
				const top = await page.locator('.log').evaluate(({ scrollTop }) => scrollTop);
				assert.equal(top, 0, 'the first page is read from its beginning');
				await page.fill('.composer textarea', 'A question');
				await page.keyboard.press('Enter');
				await page.locator('.turn .markdown').waitFor();
				for (const width of [182, 320, 390, 768, 800]) {
					await page.setViewportSize({ width, height: 640 });
					const shown = address === url ? firstOfOwner : first;
					assert.equal(await page.locator('nav .tab').count(), shown.length);
					for (const [tool, what] of shown.entries()) {
						await page.locator('nav .tab').nth(tool).click();
						await page.locator(what).first().waitFor();
						const outside = await page.evaluate(() =>
							[...document.querySelectorAll('.studio *')]
								.filter((element) => !element.matches('.visually-hidden, .log *, option'))
								.filter((element) => {
									const { left, right } = element.getBoundingClientRect();
									return left < 0 || right > innerWidth + 0.5;
								})
								.map((element) => `${element.tagName} ${element.className}`),
						);
						const scrolls = await page.evaluate(
							() => document.documentElement.scrollWidth > document.documentElement.clientWidth,
						);
						assert.deepEqual([outside, scrolls], [[], false], `tool ${tool} at ${width}`);
						assert.deepEqual(await brokenWords(page), [], `tool ${tool} at ${width}`);
						assert.deepEqual(await overlapping(page), [], `tool ${tool} at ${width}`);
						const cut = await page
							.locator('nav .tab[aria-current] span')
							.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
						assert.ok(!cut, `the name of the open page is whole at ${width}`);
					}
				}
				await page.setViewportSize({ width: 1280, height: 800 });
				const heights = new Set<number>();
				for (const tab of await page.locator('nav .tab').all()) {
					await tab.click();
					await tab.and(page.locator('[aria-current]')).waitFor();
					heights.add(await tab.evaluate((one) => one.clientHeight));
				}
				assert.equal(heights.size, 1, 'the name of a page stays on its line when it is opened');
				if (address === url) await requestsPage(page);
				assert.equal(
					await page.getByRole('link', { name: 'Anfragen' }).count(),
					address === url ? 1 : 0,
				);
				await context.close();
			}
		} finally {
			await browser.close();
			await server.close();
		}
	},
);

/** Words of buttons and of heads of columns that stand on several lines. */
function brokenWords(page: Page): Promise<string[]> {
	return page.evaluate(() =>
		[
			...document.querySelectorAll(
				'.studio :is(button, th[scope="col"], .document-drop p, .drop p)',
			),
		]
			.filter((element) => !element.closest('.log'))
			.flatMap((element) => [...element.childNodes])
			.filter((node) => node instanceof Text)
			.flatMap((node) =>
				[...node.data.matchAll(/[\p{L}\p{N}]+/gu)].filter(({ 0: word, index }) => {
					const range = document.createRange();
					range.setStart(node, index);
					range.setEnd(node, index + word.length);
					return range.getClientRects().length > 1;
				}),
			)
			.map(([word]) => word),
	);
}

/** Buttons, fields and their frames that lie on or reach out of each other. */
function overlapping(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		const find = document.querySelector('.rail-find');
		const heads = [...document.querySelectorAll('.rail button')].filter((one) => one !== find);
		const box = (one: Element) => one.getBoundingClientRect();
		const meets = (one: Element, other: Element) => {
			const [a, b] = [box(one), box(other)];
			const across = a.left < b.right && b.left < a.right;
			return a.width > 0 && b.width > 0 && across && a.top < b.bottom && b.top < a.bottom;
		};
		const frame = document.querySelector('.document-drop');
		const inside = [...(frame?.querySelectorAll('select, button') ?? [])];
		return [
			...heads.filter((one) => find !== null && meets(one, find)),
			...inside.filter((one) => frame !== null && box(one).right > box(frame).right),
		].map((one) => one.outerHTML.slice(0, 80));
	});
}

/** The owner records a request, reads its prompt and asks it again, in a narrow window. */
async function requestsPage(page: Page): Promise<void> {
	const tab = page.getByRole('link', { name: 'Anfragen' });
	await page.setViewportSize({ width: 340, height: 640 });
	await tab.click();
	const recording = page.getByRole('checkbox', { name: 'Anfragen aufzeichnen' });
	assert.equal(await recording.isChecked(), false, 'off by default');
	await recording.check();
	await page.locator('nav .tab').first().click();
	await page.fill('.composer textarea', 'Another question');
	await page.keyboard.press('Enter');
	await page.locator('.turn .markdown').nth(1).waitFor();
	await tab.click();
	await page.locator('.requests summary').first().click();
	await page.locator('.requests pre', { hasText: 'Another question' }).first().waitFor();
	await page.getByRole('button', { name: 'Erneut ausführen' }).click();
	await page.locator('.requests [aria-live] pre', { hasText: 'Hello there.' }).waitFor();
	const scrolls = await page.evaluate(
		() => document.documentElement.scrollWidth > document.documentElement.clientWidth,
	);
	assert.equal(scrolls, false);
	await recording.uncheck();
	await page.locator('.requests summary').first().waitFor({ state: 'detached' });
}
