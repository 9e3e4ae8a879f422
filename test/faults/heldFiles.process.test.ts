/**
 * Models that come and go while other programs look at their files. NEARGLOT_FILE_ROUNDS says how often; on Windows a
 * program holds a file of each model without sharing it, as scanners and backups do.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

const starter = fileURLToPath(new URL('../../starter/models/starter-chat', import.meta.url));
const rounds = Number(process.env['NEARGLOT_FILE_ROUNDS'] ?? 2);
const models = join(temporaryFolder('held'), 'models ü');
let server: TestServer;
before(async () => {
	server = await startTestServer({ modelsDir: models });
});
after(() => server.close());

const post = async (path: string, body: unknown): Promise<void> => {
	const answer = await fetch(`${server.url}${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: `Bearer ${server.key}` },
		body: JSON.stringify(body),
	});
	assert.equal(answer.status, 200, await answer.text());
};

/** Holds a file open for a moment, as a program that shares it with nobody; resolves when it does. */
async function hold(file: string): Promise<void> {
	if (process.platform !== 'win32') return;
	const script = `$f = [IO.File]::Open('${file.replaceAll("'", "''")}', 'Open', 'Read', 'None'); 'held'; Start-Sleep 2; $f.Close()`;
	const child = spawn('powershell.exe', ['-NoProfile', '-Command', script], { windowsHide: true });
	await once(child.stdout, 'data');
}

test('a model is imported, asked and removed again and again, whoever has its files open', async () => {
	for (let round = 0; round < rounds; round++) {
		const name = `held-${round}`;
		await post('/nearglot/models/import', { path: starter, name });
		await post('/v1/chat/completions', {
			model: name,
			messages: [{ role: 'user', content: 'hi' }],
			max_tokens: 1,
		});
		const folder = join(models, name);
		const [file = ''] = readdirSync(folder).filter((entry) => entry.endsWith('.json'));
		await hold(join(folder, file));
		// It is loaded: its process ends first, and with it the mapping of its weights.
		await post('/nearglot/models/remove', { model: name });
		assert.equal(existsSync(folder), false);
	}
	assert.deepEqual(
		readdirSync(models).filter((entry) => entry !== '.downloads'),
		[],
		'nothing is left beside them',
	);
});
