/** The studio page in narrow windows: nothing lies outside, whoever reads it. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
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

test(
	'at 340, 380 and 768 pixels every tool fits the window, for the owner and for a member',
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
				const context = await browser.newContext({ locale: 'de', extraHTTPHeaders });
				const page = await context.newPage();
				await page.goto(address);
				await page.locator('.composer select.model option').first().waitFor({ state: 'attached' });
				await page.fill('.composer textarea', 'A question');
				await page.keyboard.press('Enter');
				await page.locator('.turn .markdown').waitFor();
				for (const width of [340, 380, 768]) {
					await page.setViewportSize({ width, height: 640 });
					for (let tool = 0; tool < 5; tool++) {
						await page.locator('nav .tab').nth(tool).click();
						if (tool === 4) await page.locator('table.models tbody tr').nth(1).waitFor();
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
					}
				}
				await context.close();
			}
		} finally {
			await browser.close();
			await server.close();
		}
	},
);
