/** The studio's page of jobs: a file is begun, followed, paused, ended and tried again; what failed is read there. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
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

const chat = (id: string, content: string) =>
	JSON.stringify({
		...{ custom_id: id, method: 'POST', url: '/v1/chat/completions' },
		body: { model: 'starter-chat', messages: [{ role: 'user', content }] },
	});

test(
	'a file of requests is begun, paused, ended and tried again on the page, and says what failed',
	skip,
	async () => {
		const server = await startTestServer({
			fakeRunner: true,
			settings: { jobs: { tickMs: 30, width: 1 } },
		});
		const browser = await chromium.launch({
			executablePath: executablePath!,
			args: ['--no-sandbox', '--disable-dev-shm-usage'],
			timeout: 120_000,
		});
		try {
			const made = await server.post('/nearglot/studio', {}, { headers: server.keyed });
			const { url } = (await made.json()) as { url: string };
			const page = await browser.newPage({ locale: 'en' });
			await page.goto(url);
			await page.getByRole('link', { name: 'Jobs' }).click();
			await page.getByText('No jobs yet.').waitFor();
			const choose = (name: string, lines: readonly string[]) =>
				page.locator('.jobs input[type=file]').setInputFiles({
					...{ name, mimeType: 'application/jsonl', buffer: Buffer.from(lines.join('\n')) },
				});
			await choose('mixed.jsonl', [chat('good', 'hello'), chat('long', 'overflow')]);
			const mixed = page.getByRole('article', { name: 'mixed.jsonl' });
			await mixed.getByText('completed', { exact: true }).waitFor();
			await mixed.getByText('1 failed').waitFor();
			await mixed.getByText('What failed', { exact: true }).click();
			await mixed.getByText('Line 2, long:').waitFor();
			const download = page.waitForEvent('download');
			await mixed.getByRole('button', { name: 'Save Output' }).click();
			const file = await download;
			assert.equal(file.suggestedFilename(), 'mixed.output.jsonl');
			assert.equal(JSON.parse(readFileSync(await file.path(), 'utf8')).custom_id, 'good');
			await mixed.getByRole('button', { name: 'Retry What Is Not Done' }).click();
			await page.getByRole('article').nth(1).waitFor();

			await choose('slow.jsonl', [chat('slow', 'slow')]);
			const slow = page.getByRole('article', { name: 'slow.jsonl' });
			await slow.getByRole('button', { name: 'Pause' }).click();
			await slow.getByText('paused', { exact: true }).waitFor();
			await slow.getByRole('button', { name: 'Resume' }).click();
			await slow.getByText('under way', { exact: true }).waitFor();
			await slow.getByRole('button', { name: 'Cancel' }).click();
			await slow
				.getByText(/cancelled/i)
				.first()
				.waitFor();
			await slow.getByRole('button', { name: 'Retry What Is Not Done' }).waitFor();

			await choose('nothing.jsonl', ['no json']);
			const nothing = page.getByRole('article', { name: 'nothing.jsonl' });
			await nothing.getByText('No line of the file is a JSON object.').waitFor();
		} finally {
			await browser.close();
			await server.close();
		}
	},
);
