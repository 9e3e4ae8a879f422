/** An update of the extension while a daemon runs from its folder. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { EndpointFile } from '../../server/protocol/index.ts';
import { gone } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const root = join(import.meta.dirname, '../..');
const place = temporaryFolder('extensions');
const folder = join(place, 'nearglot.nearglot-0.2.0');
const home = join(place, 'home');
const entry = join(folder, 'server', 'main.ts');
const env = { ...process.env, NEARGLOT_HOME: home };

function install(): void {
	mkdirSync(folder);
	for (const name of ['server', 'starter/models', 'package.json'])
		cpSync(join(root, name), join(folder, name), { recursive: true });
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
}

async function run(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
	const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], {
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const [[code], out, err] = await Promise.all([
		once(child, 'close'),
		text(child.stdout),
		text(child.stderr),
	]);
	return { code, out, err };
}

const endpoint = (): EndpointFile =>
	JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')) as EndpointFile;

let last = 0;
after(async () => {
	if (last !== 0) {
		try {
			process.kill(last);
			await gone(last);
		} catch {
			// It has ended by itself, as it should.
		}
	}
});

test('a daemon whose folder was replaced makes room for the new program, and nobody notices', async () => {
	install();
	const chat = await run('chat', 'starter-chat', 'hi');
	assert.equal(chat.code, 0, chat.err);
	const old = endpoint();
	last = old.pid;
	const away = `${folder}.away`;
	renameSync(folder, away);
	await rm(away, { recursive: true, force: true, maxRetries: 10 });
	install();
	// It needs a process that the old daemon cannot start any more.
	const translated = await run('translate', 'Open the file.', '--to', 'de');
	assert.equal(translated.code, 0, translated.err);
	assert.match(translated.out, /Datei/);
	const next = endpoint();
	last = next.pid;
	assert.notEqual(next.pid, old.pid);
	await gone(old.pid);
	// The editor will remove the folder when it starts again: nothing may hold it then.
	writeFileSync(join(place, '.obsolete'), JSON.stringify({ 'nearglot.nearglot-0.2.0': true }));
	await gone(next.pid);
	last = 0;
});
