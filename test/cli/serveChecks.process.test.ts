/** What `serve` is given and could never use is said when it starts. */

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { hostNamesOf, modelsFolder, originsOf } from '../../server/cli/serveChecks.ts';
import { type Home, newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder('serve');
let home: Home | undefined;
after(async () => {
	await home?.close();
});

test('an origin is written as browsers send it, and a host name as a name', () => {
	const origins = ['https://studio.example', 'http://localhost:3000', 'vscode-webview://abc'];
	assert.deepEqual(originsOf(origins), origins);
	assert.throws(
		() => originsOf(['https://Studio.example/']),
		/written https:\/\/studio\.example\./,
	);
	for (const text of ['nonsense', '*', 'https://', 'https://*.example', 'null', 'http:/x', ''])
		assert.throws(() => originsOf([text]), /--allow-origin/, text);
	assert.deepEqual(hostNamesOf(['Models.Example', '[::1]']), ['models.example', '[::1]']);
	for (const text of ['http://x/', 'models.example:8080', 'a b', '*', ''])
		assert.throws(() => hostNamesOf([text]), /--allow-host/, text);
});

test('a folder of models is one, or is made and said', () => {
	const said: string[] = [];
	const say = (line: string) => said.push(line);
	const made = join(folder, 'a', 'b');
	modelsFolder('--models', made, say);
	assert.ok(existsSync(made));
	assert.match(said.join(), /--models: there was no folder .*b; it was made/);
	modelsFolder('--models', made, say);
	assert.equal(said.length, 1);
	const file = join(folder, 'file');
	writeFileSync(file, '');
	assert.throws(
		() => modelsFolder('NEARGLOT_MODELS', file, say),
		/NEARGLOT_MODELS: .*file is no folder/,
	);
	assert.throws(() => modelsFolder('--models', join(file, 'x'), say), /part of the path is a file/);
	if (existsSync('/proc/self'))
		assert.throws(() => modelsFolder('--models', '/proc/nearglot/x', say), /cannot be made/);
});

test('serve refuses them before it begins', async () => {
	home = await newHome();
	for (const [args, env, words] of [
		[['--allow-origin', 'nonsense'], {}, /--allow-origin/],
		[['--allow-host', 'http://x/'], {}, /--allow-host/],
		[['--models', join(folder, 'file')], {}, /--models: .*is no folder/],
		[[], { NEARGLOT_MODELS: '/etc/passwd' }, /NEARGLOT_MODELS: .*is no folder/],
	] as const) {
		const { code, stderr } = await home.run(['serve', ...args], '', env);
		assert.equal(code, 2, stderr);
		assert.match(stderr, words);
	}
});
