/**
 * A working session in a real VS Code: chats, edits, searches, translations, over and over for
 * `SESSION_MINUTES` (a short one by default). Prints what the window, the extension host and the
 * daemon hold before and after; the window must not grow without bound.
 */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, command, desk, newChat, openChat, openFile } from './window.ts';

const minutes = Number(process.env['SESSION_MINUTES'] ?? '0.5');

/** Resident memory of a process in MB; Linux only, like the host of these tests. */
function residentMb(pid: number): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
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
	const session = await page.context().newCDPSession(page);
	await session.send('Performance.enable');
	const endpoint = JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')) as { pid: number };
	const measure = async () => {
		await newChat(page, chat);
		await session.send('HeapProfiler.collectGarbage');
		await session.send('HeapProfiler.collectGarbage');
		const { metrics } = await session.send('Performance.getMetrics');
		const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
		const view = await chat.locator('body').evaluate(() => document.querySelectorAll('*').length);
		return {
			nodes: of('Nodes'),
			heapMb: of('JSHeapUsedSize') / 1e6,
			viewElements: view,
			daemonMb: residentMb(endpoint.pid),
		};
	};
	for (let warm = 0; warm < 3; warm++) await round();
	const before = await measure();
	const until = performance.now() + minutes * 60_000;
	const first = rounds;
	while (performance.now() < until) await round();
	const after = await measure();
	const row = ({ nodes, heapMb, viewElements, daemonMb }: typeof before) =>
		`${nodes} nodes, ${heapMb.toFixed(1)} MB heap, ${viewElements} elements in the chat, daemon ${daemonMb.toFixed(0)} MB`;
	console.error(`${rounds - first} rounds in ${minutes} min: ${row(before)} -> ${row(after)}`);
	assert.ok(rounds > first);
	assert.ok(after.viewElements <= before.viewElements + 20, 'elements in the chat');
	assert.ok(after.nodes <= before.nodes * 1.5 + 2000, `${before.nodes} -> ${after.nodes} nodes`);
	assert.ok(after.heapMb <= before.heapMb * 1.5 + 20, `${before.heapMb} -> ${after.heapMb} MB`);
	await page.close();
});
