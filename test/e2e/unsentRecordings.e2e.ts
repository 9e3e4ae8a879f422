/** Recordings that a window had not handed over when it went away: the next one asks, and hands them over. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../support/until.ts';
import { writeSpeech } from './spokenFile.ts';
import { desk } from './window.ts';

test('what a window that is gone has not handed over is offered by the next one, and handed over', async () => {
	const { host, open, workspace, pictures } = await desk();
	const sound = join(workspace, 'unsent.wav');
	await writeSpeech(sound);
	const storage = join(workspace, '..', 'user-data/User/globalStorage/nearglot.nearglot');
	const folder = join(storage, 'transcripts', 'unsent');
	mkdirSync(folder, { recursive: true });
	const uri = `vscode-remote://${new URL(host.base).host}${sound}`;
	writeFileSync(join(folder, 'gone.left.json'), JSON.stringify({ uris: [uri] }));
	try {
		const page = await open();
		const toast = (words: string) =>
			page.locator('.notification-toast').filter({ hasText: words }).first();
		const offer = toast('before unsent.wav was handed over');
		await offer.waitFor();
		await page.screenshot({ path: join(pictures, 'recordings-unsent.png') });
		assert.equal(readdirSync(folder).length, 1, 'it stays kept while nobody has answered');
		await offer.getByRole('button', { name: 'Transcribe', exact: true }).click();
		await toast('The transcript of unsent.wav is ready').waitFor();
		await until('nothing is kept any more', async () => readdirSync(folder).length === 0);
		await page.close();
	} finally {
		for (const path of [sound, folder]) rmSync(path, { recursive: true, force: true });
	}
	assert.ok(!existsSync(folder));
});
