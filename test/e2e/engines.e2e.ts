/** An engine on another machine in a real VS Code: added, listed, asked, there again after a reload, and removed. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { startTestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { findSecrets } from './findSecrets.ts';
import { ask, command, desk, newChat, openChat, photograph } from './window.ts';

const input = (page: Page) => page.locator('.quick-input-widget input.input');
const title = (page: Page, text: string) =>
	page.locator('.quick-input-title').filter({ hasText: text });
const row = (page: Page, text: string) =>
	page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text }).first();

/** Types the answer to one step, and goes on to the next. */
async function step(page: Page, number: number, text: string, next: number): Promise<void> {
	await title(page, `${number} of 4`).waitFor();
	await input(page).fill(text);
	await page.keyboard.press('Enter');
	await title(page, `${next} of 4`).waitFor();
}

test('an engine is added, its models answer as remote ones, its key stands in no file, and it is removed', async (t) => {
	const { open, reload, home, workspace, pictures, configure } = await desk();
	const there = await startTestServer({ listen: { requireKey: true } });
	t.after(async () => {
		configure({ 'nearglot.chat.model': undefined, 'nearglot.engines': undefined });
		await there.close();
	});
	const dir = process.env['E2E_DIR'] ?? '';
	const settings = () => {
		const files = ['User', 'Machine'].map((name) => join(dir, 'user-data', name, 'settings.json'));
		return files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('\n');
	};
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);

	await command(page, 'Nearglot: Add an Engine…');
	await title(page, '1 of 4').waitFor();
	await input(page).fill('Lab');
	await page.locator('.quick-input-message').filter({ hasText: 'small letters' }).waitFor();
	await step(page, 1, 'lab', 2);
	await photograph(page, pictures, 'engine-address');
	await step(page, 2, `${there.url}/v1`, 3);
	assert.equal(await input(page).getAttribute('type'), 'password');
	await step(page, 3, there.key, 4);
	await photograph(page, pictures, 'engine-uses');
	await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
	const answers = page.locator('.notification-toast').filter({ hasText: 'lab answers' });
	const problem = page.locator('.notification-toast').filter({ hasText: "engine 'lab'" });
	await answers.or(problem).first().waitFor();
	assert.equal(await problem.allTextContents().then((texts) => texts.join()), '');
	await photograph(page, pictures, 'engine-answers');

	await answers.getByRole('button', { name: 'Choose Model' }).click();
	await input(page).fill('lab/starter-chat');
	await row(page, 'lab/starter-chat').waitFor();
	await photograph(page, pictures, 'engine-choose');
	await page.keyboard.press('Enter');
	const chosen = chat.locator('select.model option:checked');
	await chosen.filter({ hasText: '· 127.0.0.1' }).waitFor({ state: 'attached' });
	await photograph(page, pictures, 'engine-chat-empty');
	const counted = async () => {
		const metrics = await fetch(`${there.url}/metrics`, { headers: there.keyed });
		return Number(
			/^nearglot_generated_tokens_total.* (\d+)$/m.exec(await metrics.text())?.[1] ?? 0,
		);
	};
	const asksThere = async (frame: FrameLocator, question: string) => {
		const before = await counted();
		assert.match(await ask(frame, question), /\S/);
		assert.ok((await counted()) > before, 'the engine has answered');
	};
	await asksThere(chat, 'extract a tar.gz file');
	await photograph(page, pictures, 'engine-chat');

	const header = page.locator('.pane-header').filter({ hasText: 'Models' });
	await header.click();
	const listed = page.locator('.pane .monaco-list-row').filter({ hasText: 'lab/starter-chat' });
	await listed.first().waitFor();
	await photograph(page, pictures, 'engine-models');
	await header.click();

	const secrets = { key: there.key };
	assert.match(settings(), /"lab"/);
	const folders = [join(dir, 'user-data'), home, workspace];
	assert.deepEqual(findSecrets(folders, secrets), []);

	await reload(page);
	const again = await openChat(page);
	await newChat(page, again);
	await asksThere(again, 'list files in a folder');

	await command(page, 'Nearglot: Engines on Other Machines');
	await row(page, 'lab').waitFor();
	await photograph(page, pictures, 'engine-list');
	await row(page, 'lab').click();
	await row(page, 'Remove').click();
	const remove = page.locator('.monaco-dialog-box .monaco-button').filter({ hasText: 'Remove' });
	await remove.first().waitFor();
	await photograph(page, pictures, 'engine-remove');
	await remove.first().click();
	await until('the setting lists no engine', () => !settings().includes('"lab"'));
	await command(page, 'Nearglot: Engines on Other Machines');
	await row(page, 'Add an Engine…').waitFor();
	assert.equal(await page.locator('.quick-input-list .monaco-list-row').count(), 1);
	await page.keyboard.press('Escape');
	await page.close();
});
