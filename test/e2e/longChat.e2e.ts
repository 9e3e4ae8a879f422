/** A chat of more questions than the built-in model has room for, in the studio of a server with that model. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { chromium, type Page } from 'playwright-core';
// @ts-expect-error: the scripts are plain JavaScript
import { chromiumOptions } from '../../scripts/vscode-host/server.mjs';
import { startTestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';

const questions = [
	'how do I list all files',
	'show free disk space',
	'find large files',
	'what is a mutex?',
	'extract a tar.gz file',
	'who wrote hamlet?',
	'how do I list models',
];

/** Pixels of the chat below what is shown of it. */
const below = (page: Page): Promise<number> =>
	page
		.locator('.log')
		.evaluate(
			({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
		);

test('fourteen questions in one chat are answered as at first, under a line that says what is not read', async () => {
	const server = await startTestServer();
	const browser = await chromium.launch(chromiumOptions);
	try {
		const page = await browser.newPage();
		await page.goto(server.url);
		await page.locator('.composer select.model').waitFor();
		const send = page.locator('.composer .send');
		const said: string[] = [];
		for (const [index, question] of [...questions, ...questions].entries()) {
			await page.locator('.composer textarea').fill(question);
			await page
				.locator('.composer .tokens')
				.filter({ hasText: /^\d+ tokens$/ })
				.waitFor();
			await send.click();
			const answer = page.locator('.answer[aria-busy="false"]').nth(index);
			await answer.locator('.speed').waitFor();
			said.push((await answer.locator('.markdown').textContent()) ?? '');
			await until('the end of the chat is in view', async () => (await below(page)) < 48);
		}
		assert.deepEqual(said.slice(questions.length), said.slice(0, questions.length));
		assert.equal(await page.locator('.cut').count(), 1);
		const last = await page.locator('.cut + .question').textContent();
		assert.match(last ?? '', /how do I list models/);
		assert.deepEqual(await violations(page, '.cut'), []);
		await page.locator('.cut').scrollIntoViewIfNeeded();
		const pictures = process.env['E2E_DIR'];
		if (pictures) await page.screenshot({ path: join(pictures, 'pictures', 'studio-cut.png') });

		const long = 'word '.repeat(600);
		await page.locator('.composer textarea').fill(long);
		await page.getByText(/Too long by \d+ tokens.*Shorten the question/).waitFor();
		await send.click();
		await page.getByText(/this model reads 512 tokens.*Shorten it by at least/).waitFor();
		await until('the error is in view', async () => (await below(page)) < 48);
		await page.locator('.log').evaluate((log) => log.scrollTo(0, 0));
		await until('who goes up stays there', async () => (await below(page)) > 1000);
		await page.locator('.composer textarea').fill(questions[0] ?? '');
		await send.click();
		const next = page.locator('.answer[aria-busy="false"]').nth(2 * questions.length + 1);
		await next.locator('.speed').waitFor();
		assert.equal(await next.locator('.markdown').textContent(), said[0]);
		await until('a question brings the end into view', async () => (await below(page)) < 48);
	} finally {
		await browser.close();
		await server.close();
	}
});
