/** Recordings of the studio: several are transcribed in their turn, also after the page was closed; what was taken out goes from the sound. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { fileSource } from '../../server/audio/audioSource.ts';
import { decodeAudio, speechRateHz } from '../../server/audio/decodeAudio.ts';
import { violations } from '../e2e/axe.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { inBrowser, launchBrowser } from './pageInBrowser.ts';

const speech = join(import.meta.dirname, '..', 'fixtures', 'speech');
const recording = (name: string) => ({
	...{ name: `${name}.flac`, mimeType: 'audio/flac' },
	buffer: readFileSync(join(speech, `${name}.flac`)),
});

let server: TestServer;
let browser: Browser;
let context: BrowserContext;
before(async () => {
	if (inBrowser.skip !== false) return;
	server = await startTestServer({ settings: { jobs: { tickMs: 30, width: 1 } } });
	browser = await launchBrowser();
	context = await browser.newContext({ locale: 'en' });
});
after(async () => {
	await browser?.close();
	await server?.close();
});

async function openPage(): Promise<Page> {
	const made = await server.post('/nearglot/studio', {}, { headers: server.keyed });
	const page = await context.newPage();
	await page.goto(((await made.json()) as { url: string }).url);
	await page.getByRole('link', { name: 'Transcribe' }).click();
	await page.locator('.drop').waitFor();
	return page;
}

/** What lies outside of the window. */
function outside(page: Page): Promise<string[]> {
	return page.evaluate(() =>
		[...document.querySelectorAll('.transcribe *')]
			.filter((element) => !element.matches('.visually-hidden, .visually-hidden *, option'))
			.filter((element) => {
				const { left, right, width } = element.getBoundingClientRect();
				return width > 0 && (left < -0.5 || right > innerWidth + 0.5);
			})
			.map((element) => `${element.tagName} ${element.className}`),
	);
}

test(
	'several recordings are a queue that outlives the page; each is opened, cancelled, tried again and removed by itself',
	inBrowser,
	async () => {
		let page = await openPage();
		const row = (name: string) => page.locator('.recording-queue li', { hasText: name });
		const button = (what: string, name: string) =>
			row(name).getByRole('button', { name: `${what}: ${name}` });
		const broken = {
			...{ name: 'broken.flac', mimeType: 'audio/flac' },
			buffer: Buffer.from('no sound at all'),
		};
		await page
			.locator('.transcribe input[type=file]')
			.setInputFiles([recording('annie'), broken, recording('f2')]);
		await row('f2.flac')
			.locator('.state', { hasText: /under way|completed/ })
			.waitFor();
		await page.close();
		page = await openPage();
		await page.getByText('Recordings: 2 of 3 completed').waitFor();
		assert.deepEqual(await violations(page, '.transcribe'), []);
		await row('broken.flac').locator('.error').waitFor();
		for (const width of [182, 390, 800]) {
			await page.setViewportSize({ width, height: 640 });
			assert.deepEqual(await outside(page), [], `at ${width}`);
			const queue = await page.locator('.recording-queue').boundingBox();
			assert.ok((queue?.height ?? 0) > 100, `the queue is seen at ${width}`);
		}
		await button('Try again', 'broken.flac').click();
		await row('broken.flac').locator('.error').waitFor();
		assert.equal(await row('broken.flac').count(), 1, 'the attempt before is not shown any more');
		await button('Remove', 'broken.flac').click();
		await row('broken.flac').waitFor({ state: 'detached' });
		await button('Open', 'annie.flac').click();
		await page.locator('.line', { hasText: /window/i }).waitFor();
		for (const width of [182, 390, 800]) {
			await page.setViewportSize({ width, height: 640 });
			assert.deepEqual(await outside(page), [], `its transcript at ${width}`);
		}
		await page.close();
		page = await openPage();
		await page.getByText('Recordings: 2 of 2 completed').waitFor();
		await page.close();
	},
);

test('words that are taken out of a transcript are taken out of the sound', inBrowser, async () => {
	const page = await openPage();
	await page.locator('.transcribe input[type=file]').setInputFiles([recording('annie')]);
	const line = page.locator('.line').first();
	await line.locator('.word').nth(2).waitFor();
	const said = (await line.locator('.said').textContent()) ?? '';
	await line.getByRole('button', { name: 'Correct this line' }).click();
	await line.locator('textarea').fill(said.trim().split(/\s+/).slice(2).join(' '));
	await page.keyboard.press('Enter');
	await page.getByRole('button', { name: 'Export', exact: true }).click();
	const saved = page.waitForEvent('download');
	await page.getByRole('button', { name: /^Sound without what was taken out/ }).click();
	const file = await saved;
	assert.equal(file.suggestedFilename(), 'annie.cut.wav');
	const bytes = await readFile(await file.path());
	assert.equal(bytes.toString('latin1', 0, 4), 'RIFF');
	await using source = await fileSource(join(speech, 'annie.flac'));
	const { samples, close } = await decodeAudio(source);
	let all = 0;
	for await (const { length } of samples) all += length;
	await close();
	const kept = (bytes.length - 44) / 2;
	assert.ok(kept > 0 && kept < all - speechRateHz / 10, `${kept} of ${all} samples`);
	await page.close();
});
