/** The recorder page in Chromium with a recording for a microphone, and an editor that waits for its text. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
// @ts-expect-error: the scripts are plain JavaScript
import { chromiumOptions, startHost } from '../../scripts/vscode-host/server.mjs';
import { type RecorderEvent, readEvents } from '../../server/protocol/index.ts';
import { firstLine, type Home, newHome } from '../support/home.ts';
import { writeSpeech } from './spokenFile.ts';
import { patientMs } from './window.ts';

/** What is always heard of the first sentence. */
const heard = /open the new window/i;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Chromium that hears two sentences, with silence around them, as often as it is asked. */
async function startBrowser(home: Home, args: readonly string[] = []): Promise<Browser> {
	const file = join(home.folder, 'microphone.wav');
	await writeSpeech(file);
	return chromium.launch({
		...chromiumOptions,
		args: [
			...chromiumOptions.args,
			'--use-fake-device-for-media-stream',
			`--use-file-for-fake-audio-capture=${file}`,
			...args,
		],
	});
}

/** What an editor does: opens a recording and reads its events. */
async function openSession(url: string, key: string) {
	const response = await fetch(`${url}/nearglot/recorder`, {
		method: 'POST',
		headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
		body: '{}',
	});
	const stream = readEvents(response.body as AsyncIterable<Uint8Array>);
	const first = (await stream.next()).value;
	const session = JSON.parse(first?.data ?? '') as RecorderEvent;
	assert.ok(session.type === 'recorder.session');
	const events: RecorderEvent[] = [];
	const ended = (async () => {
		for await (const { data } of stream) if (data !== '[DONE]') events.push(JSON.parse(data));
	})();
	// Whoever fails before waiting for it shall hear of that failure, not of this one.
	ended.catch(() => undefined);
	return { link: session.url, events, ended };
}

/** Accessibility faults of the page as it is now, light and dark. */
async function faults(page: Page): Promise<string[]> {
	const found: string[] = [];
	await page.evaluate(axe);
	for (const colorScheme of ['dark', 'light'] as const) {
		await page.emulateMedia({ colorScheme });
		found.push(
			...(await page.evaluate(async () => {
				type Violations = { violations: { id: string; nodes: { html: string }[] }[] };
				const { axe: checker } = globalThis as unknown as {
					axe: { run(): Promise<Violations> };
				};
				const { violations } = await checker.run();
				return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
			})),
		);
	}
	return found;
}

test('the recorder page turns a microphone into text for the waiting editor', async () => {
	const home = await newHome();
	const { url, key } = (await firstLine(home.start(['serve', '--json']))) as Record<string, string>;
	assert.ok(url && key);
	const browser = await startBrowser(home, ['--use-fake-ui-for-media-stream']);
	try {
		const page = await browser.newPage({ locale: 'fr-FR' });
		page.setDefaultTimeout(patientMs);
		const problems: string[] = [];
		page.on('console', (message) => {
			if (message.type() === 'error') problems.push(message.text());
		});
		page.on('pageerror', (error) => problems.push(error.message));
		const { link, events, ended } = await openSession(url, key);
		await page.goto(link);
		await page.getByRole('button', { name: 'Commencer l’enregistrement' }).click();
		await page.locator('.heard').filter({ hasText: heard }).waitFor();
		assert.deepEqual(await faults(page), []);
		assert.ok(events.some((event) => event.type === 'recorder.level' && event.level > 0.1));
		await page.getByRole('button', { name: 'Pause' }).click();
		await page.getByRole('status').filter({ hasText: 'En pause' }).waitFor();
		// The page shows it before the server knows, and reloading would cut that off.
		const end = Date.now() + patientMs;
		while (!events.some((event) => event.type === 'recorder.state' && event.state === 'paused')) {
			assert.ok(Date.now() < end, 'the server is told of the pause');
			await page.waitForTimeout(100);
		}
		// The secrets are nowhere in the address, so neither the history nor a bookmark keeps them.
		assert.equal(new URL(page.url()).hash, '');
		await page.reload();
		// A reloaded page goes on with its recording.
		await page.locator('.heard').filter({ hasText: heard }).waitFor();
		await page.getByRole('button', { name: 'Commencer l’enregistrement' }).click();
		// Before the end: the token ends with the recording, also for a request on its way.
		assert.deepEqual(problems, []);
		await page.getByRole('button', { name: 'Terminer et utiliser le texte' }).click();
		await page.getByRole('status').filter({ hasText: 'Terminé' }).waitFor();
		const pictures = process.env['E2E_DIR'];
		if (pictures) await page.screenshot({ path: join(pictures, 'pictures', 'recorder.png') });
		await ended;
		const done = events.at(-1);
		assert.ok(done?.type === 'transcript.text.done');
		assert.match(done.text, heard);
		assert.deepEqual(
			events.flatMap((event) => (event.type === 'recorder.state' ? [event.state] : [])).slice(0, 4),
			['waiting', 'ready', 'recording', 'paused'],
		);
		const second = await browser.newPage({ locale: 'en-US' });
		await second.goto(link);
		await second.getByRole('alert').filter({ hasText: 'opened already' }).waitFor();
	} finally {
		await browser.close();
		await home.close();
	}
});

test('the page of a server on another machine records through the proxy of the editor', async () => {
	const home = await newHome();
	const { url, key } = (await firstLine(home.start(['serve', '--json']))) as Record<string, string>;
	assert.ok(url && key);
	const host = (await startHost({ dir: join(home.folder, 'host') })) as {
		base: string;
		stop(): Promise<void>;
	};
	const browser = await startBrowser(home, ['--use-fake-ui-for-media-stream']);
	try {
		const page = await browser.newPage({ locale: 'en-US' });
		page.setDefaultTimeout(patientMs);
		const { link, events, ended } = await openSession(url, key);
		const { port, pathname, hash } = new URL(link);
		// What an editor in a browser makes of an address of the machine it runs on.
		await page.goto(`${host.base}/proxy/${port}${pathname}${hash}`);
		await page.getByRole('button', { name: 'Start recording' }).click();
		await page.locator('.heard').filter({ hasText: heard }).waitFor();
		await page.getByRole('button', { name: 'Stop and use the text' }).click();
		await page.getByRole('status').filter({ hasText: 'Done' }).waitFor();
		await ended;
		const done = events.at(-1);
		assert.ok(done?.type === 'transcript.text.done');
		assert.match(done.text, heard);
	} finally {
		await browser.close();
		await host.stop();
		await home.close();
	}
});

test('a microphone that is refused is explained, and discarding tells the editor', async () => {
	const home = await newHome();
	const { url, key } = (await firstLine(home.start(['serve', '--json']))) as Record<string, string>;
	assert.ok(url && key);
	// Without the flag that answers the question for the person, a headless browser refuses.
	const browser = await startBrowser(home);
	try {
		const page = await browser.newPage({ locale: 'en-US' });
		page.setDefaultTimeout(patientMs);
		const { link, events, ended } = await openSession(url, key);
		await page.goto(link);
		await page.getByRole('button', { name: 'Start recording' }).click();
		await page.getByRole('alert').filter({ hasText: 'does not give the microphone' }).waitFor();
		await page.getByRole('button', { name: 'Discard' }).click();
		await page.getByRole('status').filter({ hasText: 'Discarded' }).waitFor();
		await ended;
		const last = events.at(-1) as unknown as { error: { code: string } };
		assert.equal(last.error.code, 'cancelled');
	} finally {
		await browser.close();
		await home.close();
	}
});
