/**
 * A working session in a real VS Code: chats, edits, searches, translations, over and over for
 * `SESSION_MINUTES` (a short one by default). Prints what the window, the extension host and the
 * daemon hold before and after; the window must not grow without bound.
 */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CDPSession, Frame, Page } from 'playwright-core';
import { frameWith } from './axe.ts';
import { extensionHost, heapMb, residentMb } from './hostHeap.ts';
import { ask, command, desk, newChat, openChat, openFile } from './window.ts';

const minutes = Number(process.env['SESSION_MINUTES'] ?? '0.5');

/** A session with the process that draws a frame: its own, or that of the frame around it. */
async function processOf(page: Page, frame: Frame): Promise<CDPSession> {
	for (let at: Frame | null = frame; at !== null; at = at.parentFrame()) {
		const found = await page
			.context()
			.newCDPSession(at)
			.catch(() => undefined);
		if (found) return found;
	}
	return page.context().newCDPSession(page);
}

/** Nodes and megabytes of objects in a process, after a collection. */
async function held(session: CDPSession): Promise<{ nodes: number; heapMb: number }> {
	await session.send('Performance.enable');
	await session.send('HeapProfiler.collectGarbage');
	await session.send('HeapProfiler.collectGarbage');
	const { metrics } = await session.send('Performance.getMetrics');
	const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
	return { nodes: of('Nodes'), heapMb: of('JSHeapUsedSize') / 1e6 };
}

test('a session of work leaves the window as large as it was', async () => {
	const { open, home, workspace } = await desk();
	// A file of its own: others leave theirs as they please.
	writeFileSync(join(workspace, 'session.txt'), 'The file could not be opened.\n');
	const page = await open();
	await openFile(page, 'session.txt', 'could not');
	const chat = await openChat(page);
	const questions = ['list files', 'show the date', 'extract a tar.gz file', 'compress a folder'];
	let rounds = 0;
	const round = async () => {
		await newChat(page, chat);
		await ask(chat, questions[rounds % questions.length] ?? 'list files');
		await chat.locator('.question').last().hover();
		await chat.locator('[aria-label="Edit and ask again"]').last().click();
		await chat.locator('.edit textarea').fill(`show the current folder ${rounds}`);
		await chat.locator('.edit button[type=submit]').click();
		await chat
			.locator('.question')
			.filter({ hasText: `current folder ${rounds}` })
			.waitFor();
		await chat.locator('.answer[aria-busy="false"]').last().waitFor();
		await command(page, 'Nearglot: Toggle Reader Mode');
		await command(page, 'Nearglot: Toggle Reader Mode');
		rounds++;
	};
	const window = await page.context().newCDPSession(page);
	const view = await processOf(page, await frameWith(page, '.composer'));
	const endpoint = JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')) as { pid: number };
	const host = extensionHost(home);
	const measure = async () => {
		await newChat(page, chat);
		const elements = await chat
			.locator('body')
			.evaluate(() => document.querySelectorAll('*').length);
		return {
			window: await held(window),
			view: { ...(await held(view)), elements },
			daemonMb: residentMb(endpoint.pid),
			hostHeapMb: await heapMb(host),
			hostMb: residentMb(host),
		};
	};
	for (let warm = 0; warm < 3; warm++) await round();
	const before = await measure();
	const until = performance.now() + minutes * 60_000;
	const first = rounds;
	while (performance.now() < until) await round();
	const after = await measure();
	const row = (all: typeof before) =>
		`window ${all.window.nodes} nodes, ${all.window.heapMb.toFixed(1)} MB; ` +
		`chat ${all.view.elements} elements, ${all.view.nodes} nodes, ${all.view.heapMb.toFixed(1)} MB; ` +
		`extension host ${all.hostHeapMb.toFixed(1)} MB, resident ${all.hostMb.toFixed(0)} MB; daemon ${all.daemonMb.toFixed(0)} MB`;
	console.error(`${rounds - first} rounds in ${minutes} min:\n${row(before)}\n${row(after)}`);
	assert.ok(rounds > first);
	assert.ok(after.view.elements <= before.view.elements + 20, 'elements in the chat');
	for (const [name, was, is] of [
		['window', before.window, after.window],
		['chat', before.view, after.view],
	] as const) {
		assert.ok(is.nodes <= was.nodes * 1.5 + 2000, `${name}: ${was.nodes} -> ${is.nodes} nodes`);
		assert.ok(is.heapMb <= was.heapMb * 1.5 + 20, `${name}: ${was.heapMb} -> ${is.heapMb} MB`);
	}
	assert.ok(after.hostHeapMb <= before.hostHeapMb * 1.2 + 5, 'heap of the extension host');
	await page.close();
});
