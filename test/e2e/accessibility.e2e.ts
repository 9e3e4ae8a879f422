/** The chat for people who do not see it or do not use a mouse, in light, dark and high contrast. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { ask, command, desk, newChat, openChat } from './window.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The frame of the chat itself. */
async function chatFrame(page: Page): Promise<Frame> {
	for (const frame of page.frames()) {
		if (
			(await frame
				.locator('.composer')
				.count()
				.catch(() => 0)) > 0
		)
			return frame;
	}
	throw new Error('The chat is not on the screen.');
}

async function violations(frame: Frame): Promise<string[]> {
	await frame.evaluate(axe);
	return frame.evaluate(async () => {
		const { axe: checker } = globalThis as unknown as {
			axe: {
				run(
					where: Document,
					options: object,
				): Promise<{
					violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
				}>;
			};
		};
		const result = await checker.run(document, { resultTypes: ['violations'] });
		return result.violations.map(
			({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
		);
	});
}

test('the chat has no accessibility faults in light, dark and high contrast themes', async () => {
	const { open, pictures } = await desk();
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);
	await ask(chat, 'extract a tar.gz file');
	for (const [body, media] of [
		['vscode-dark', { colorScheme: 'dark' }],
		['vscode-high-contrast', { colorScheme: 'dark', forcedColors: 'active' }],
		['vscode-light', { colorScheme: 'light', forcedColors: 'none' }],
	] as const) {
		await page.emulateMedia(media);
		await chat.locator(`body.${body}`).waitFor({ state: 'attached' });
		await page.screenshot({ path: join(pictures, `chat-${body}.png`) });
		assert.deepEqual(await violations(await chatFrame(page)), [], body);
	}
	await page.close();
});

test('a question can be written, sent and stopped with the keyboard alone', async () => {
	const { open } = await desk();
	const page = await open();
	const chat = await openChat(page);
	await newChat(page, chat);
	await command(page, 'Nearglot: Open Chat');
	await chat.locator('.composer textarea:focus').waitFor();
	await page.keyboard.type('list files');
	await page.keyboard.press('Enter');
	await chat.locator('.question').filter({ hasText: 'list files' }).waitFor();
	await chat.locator('.answer[aria-busy="false"]').waitFor();
	await page.close();
});
