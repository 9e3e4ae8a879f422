/** *Pick a Better Model* with a hub that has one small model: proposed, cancelled, downloaded, asked, deleted. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { ask, command, desk, hubContent, newChat, openChat } from './window.ts';

const rows = (page: Page) => page.locator('.quick-input-list .monaco-list-row');

/** A tiny model in the place of the 135 million weights of the real one. */
function fillHub(): void {
	const folder = temporaryFolder('hub');
	writeDecoderModel(folder, { attention: 'gqa', file: 'model_q4.onnx' });
	for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
		if (statSync(join(folder, name)).isFile()) hubContent[name] = readFileSync(join(folder, name));
}

/** Model folders of the daemon; what is being downloaded is in a hidden one. */
function downloaded(home: string): string[] {
	const folder = join(home, 'models');
	return existsSync(folder) ? readdirSync(folder).filter((name) => name.includes('smollm2')) : [];
}

/** Goes through the two lists up to the start of the download; returns what the row says. */
async function pick(page: Page): Promise<string> {
	await command(page, 'Nearglot: Pick a Better Model for This Computer');
	await rows(page).filter({ hasText: 'Chat' }).first().click();
	const title = page.locator('.quick-input-title').filter({ hasText: 'of memory' });
	await title.waitFor();
	assert.match(
		(await title.textContent()) ?? '',
		/[\d.]+ GB of memory · [\d.]+ [GM]B free on the disk/,
	);
	// The larger ones come first; only the rows that are seen are in the page.
	await page.locator('.quick-input-widget input.input').fill('SmolLM2 135M');
	const row = rows(page).filter({ hasText: 'SmolLM2 135M' });
	await row.first().waitFor();
	const text = (await row.first().textContent()) ?? '';
	return text;
}

/** Takes the row that is left: by the keyboard, as its hover may lie on it. */
const take = (page: Page) => page.locator('.quick-input-widget input.input').press('Enter');

test('a better model is proposed with its figures, a cancelled download leaves none, a finished one answers', async (t) => {
	const { open, home, hub, configure, pictures } = await desk();
	fillHub();
	// Whatever happens here, the tests after this one ask the built-in model.
	t.after(() => {
		configure({ 'nearglot.chat.model': undefined });
		for (const name of downloaded(home)) rmSync(join(home, 'models', name), { recursive: true });
	});
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);
	const chosen = chat.locator('select.model');
	await chosen.filter({ hasText: 'starter-chat' }).waitFor();
	const toast = page.locator('.notification-toast').filter({ hasText: 'Downloading' });

	const text = await pick(page);
	assert.match(text, /about 101 MB · apache-2\.0/);
	assert.match(text, /about \d+ MB in memory · about \d+ tokens per second/);
	await page.screenshot({ path: join(pictures, 'better-model.png') });
	hub.faults = { bytesPerMs: 3 };
	await take(page);
	await toast.filter({ hasText: /[\d.]+ MB of [\d.]+ MB/ }).waitFor();
	await page.screenshot({ path: join(pictures, 'better-model-progress.png') });
	assert.deepEqual(downloaded(home), []);
	await toast.getByText('Cancel').click();
	await toast.waitFor({ state: 'detached' });
	hub.faults = {};
	assert.deepEqual(downloaded(home), [], 'no model is there');
	assert.equal(await page.locator('.notification-toast').count(), 0, 'cancelling is no failure');

	await pick(page);
	await take(page);
	await page.waitForFunction(
		() => !document.querySelector('.quick-input-widget:not([style*="none"])'),
	);
	const now = chosen.locator('option:checked').filter({ hasText: 'SmolLM2 135M Instruct' });
	await now.waitFor({ state: 'attached' });
	assert.equal(downloaded(home).length, 1);
	assert.ok(existsSync(join(home, 'models', downloaded(home)[0] ?? '', 'onnx', 'model_q4.onnx')));
	await ask(chat, 'What is this?');
	await chat.locator('.answer h2').filter({ hasText: 'SmolLM2 135M Instruct' }).waitFor();
	await page.screenshot({ path: join(pictures, 'better-model-answer.png') });

	await command(page, 'Nearglot: Delete Model');
	await rows(page).filter({ hasText: 'SmolLM2 135M' }).first().click();
	const remove = page.locator('.monaco-dialog-box .monaco-button').filter({ hasText: 'Delete' });
	await remove.first().click();
	await chosen
		.locator('option:checked')
		.filter({ hasText: 'starter-chat' })
		.waitFor({ state: 'attached' });
	await until('the model is deleted', () => downloaded(home).length === 0);
	await page.close();
});
