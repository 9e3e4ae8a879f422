/** Reader mode and the view of models, as they look. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { command, desk, openChat, openFile, photograph } from './window.ts';

test('reader mode shows the translation beside a comment and takes it away again', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	await openFile(page, 'greet.py', 'first line');
	await command(page, 'Nearglot: Toggle Reader Mode');
	const beside = page.locator('.view-line span[class*="ced-"]').first();
	await beside.waitFor({ state: 'attached' });
	await page.waitForTimeout(500);
	await page.screenshot({ path: join(pictures, 'reader-mode.png') });
	await command(page, 'Nearglot: Toggle Reader Mode');
	await beside.waitFor({ state: 'detached' });
	await page.close();
});

test('the models view lists the built-in models with their task', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	await openChat(page);
	await page.locator('.pane-header').filter({ hasText: 'Models' }).click();
	const row = (text: string) => page.locator('.pane .monaco-list-row').filter({ hasText: text });
	await row('starter-chat').first().waitFor();
	await row('starter-translate').first().waitFor();
	await photograph(page, pictures, 'models');
	await page.locator('.pane-header').filter({ hasText: 'Models' }).click();
	await page.close();
});

test('the jobs view says how to begin one, and shows one with what of it failed', async () => {
	const { open, pictures, home } = await desk();
	const page = await open();
	await openChat(page);
	const header = page.locator('.pane-header').filter({ hasText: 'Jobs' });
	await header.click();
	await page.getByText('nearglot batch run FILE').first().waitFor();
	await beginJob(home);
	await command(page, 'Nearglot: Refresh Jobs');
	const row = (text: string) => page.locator('.pane .monaco-list-row').filter({ hasText: text });
	await row('meetings.jsonl').filter({ hasText: 'completed · 2 of 2 · 1 failed' }).waitFor();
	await row('meetings.jsonl').locator('.monaco-tl-twistie').click();
	await row('Line 2, second:').filter({ hasText: 'no-such-model' }).waitFor();
	await photograph(page, pictures, 'jobs');
	await header.click();
	await page.close();
});

/** A job of two requests, of which one fails. */
async function beginJob(home: string): Promise<void> {
	const { url, key } = JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8'));
	const headers = { authorization: `Bearer ${key}` };
	const lines = ['starter-chat', 'no-such-model'].map((model, at) =>
		JSON.stringify({
			custom_id: ['first', 'second'][at],
			...{ method: 'POST', url: '/v1/chat/completions' },
			body: { model, max_tokens: 4, messages: [{ role: 'user', content: 'list files' }] },
		}),
	);
	const form = new FormData();
	form.set('purpose', 'batch');
	form.set('file', new Blob([lines.join('\n')]), 'in.jsonl');
	const sent = await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form });
	const { id } = (await sent.json()) as { id: string };
	const begun = await fetch(`${url}/v1/batches`, {
		method: 'POST',
		headers: { ...headers, 'content-type': 'application/json' },
		body: JSON.stringify({
			...{ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' },
			metadata: { name: 'meetings.jsonl' },
		}),
	});
	if (!begun.ok) throw new Error(await begun.text());
	const batch = (await begun.json()) as { id: string };
	await until('the job is over', async () => {
		const answer = await fetch(`${url}/v1/batches/${batch.id}`, { headers });
		return ((await answer.json()) as { status: string }).status === 'completed';
	});
}
