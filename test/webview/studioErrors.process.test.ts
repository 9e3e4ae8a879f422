/** What the server refuses is said in the language of the studio page. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { inBrowser, launchBrowser } from './pageInBrowser.ts';

let server: TestServer;
let browser: Browser;
before(async () => {
	if (inBrowser.skip !== false) return;
	server = await startTestServer({
		fakeRunner: true,
		settings: { jobs: { tickMs: 30, width: 1 } },
	});
	browser = await launchBrowser();
});
after(async () => {
	await browser?.close();
	await server?.close();
});

const line = JSON.stringify({
	...{ custom_id: 'long', method: 'POST', url: '/v1/chat/completions' },
	body: { model: 'starter-chat', messages: [{ role: 'user', content: 'overflow' }] },
});

for (const [locale, jobs, failed, sentence] of [
	[
		'de',
		'Aufträge',
		'Was fehlgeschlagen ist',
		/^Der Prompt ist länger, .*\. Der Server meldet: \S/,
	],
	['fr', 'Tâches', 'Ce qui a échoué', /^Le prompt est plus long .*\. Le serveur indique : \S/],
] as const)
	test(
		`an answer that is refused and a request of a job that failed say so in ${locale}`,
		inBrowser,
		async () => {
			const made = await server.post('/nearglot/studio', {}, { headers: server.keyed });
			const context = await browser.newContext({ locale });
			const page = await context.newPage();
			await page.goto(((await made.json()) as { url: string }).url);
			await page.locator('.composer select.model option').first().waitFor({ state: 'attached' });
			await page.fill('.composer textarea', 'overflow');
			await page.keyboard.press('Enter');
			const said = await page.locator('.turn .error').innerText();
			assert.match(said.replace(/^[^.]+\.\s*/, ''), sentence);
			await page.getByRole('link', { name: jobs }).click();
			await page.locator('.jobs input[type=file]').setInputFiles({
				...{ name: `${locale}.jsonl`, mimeType: 'application/jsonl', buffer: Buffer.from(line) },
			});
			const job = page.getByRole('article', { name: `${locale}.jsonl` });
			await job.getByText(failed, { exact: true }).click();
			const why = await job.locator('.failed li').innerText();
			assert.match(why.replace(/^.*?:\s*/, ''), sentence);
			// A narrow window cuts none of it, and numbers are those of the language.
			await page.setViewportSize({ width: 182, height: 640 });
			const outside = await job.evaluate((article) => {
				const { right } = article.getBoundingClientRect();
				const all = [...article.querySelectorAll('button, p, li')];
				const out = all.filter((one) => one.getBoundingClientRect().right > right);
				const margin = innerWidth - right;
				return [margin >= 4, out.map((one) => one.textContent)];
			});
			assert.deepEqual(outside, [true, []]);
			await page.locator('nav .tab').nth(4).click();
			await page.locator('.models .card').first().waitFor();
			const sizes = await page.locator('.models').first().innerText();
			assert.match(sizes, /\d,\d\s[MG](?:B|o)\b/);
			assert.doesNotMatch(sizes, /\d\.\d\s[MG]/);
			await context.close();
		},
	);
