/** What `serve` is given and could never use is said when it starts. */

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readArgs } from '../../server/cli/args.ts';
import { hostNamesOf, modelsFolder, originsOf } from '../../server/cli/serveChecks.ts';
import { ownKey } from '../../server/cli/serveKey.ts';
import { operationsOf } from '../../server/cli/serveOperations.ts';
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
		[[], { NEARGLOT_MODELS: join(folder, 'file') }, /NEARGLOT_MODELS: .*is no folder/],
	] as const) {
		const { code, stderr } = await home.run(['serve', ...args], '', env);
		assert.equal(code, 2, stderr);
		assert.match(stderr, words);
	}
});

test('a second port is what its options are about', () => {
	const read = (...args: string[]) =>
		operationsOf(
			readArgs(args, {
				preload: { type: 'string', multiple: true },
				'ops-port': { type: 'string' },
				'ops-host': { type: 'string' },
				'metrics-names': { type: 'string' },
			}),
		);
	assert.deepEqual(read('--preload', 'a', '--preload', 'a'), { preload: ['a'] });
	assert.deepEqual(read('--ops-port', '9', '--ops-host', '::', '--metrics-names', 'vllm').ops, {
		port: 9,
		host: '::',
		names: 'vllm',
	});
	assert.throws(() => read('--metrics-names', 'vllm'), /add --ops-port/);
	assert.throws(() => read('--ops-host', '::'), /add --ops-port/);
	assert.throws(() => read('--ops-port', '0', '--metrics-names', 'x'), /one of nearglot, vllm/);
	assert.throws(() => read('--ops-port', '70000'), /--ops-port/);
});

test('the key may come from a file, and only from one place', async () => {
	const path = join(folder, 'key');
	const key = 'a-key-that-nobody-guesses-7341';
	writeFileSync(path, `${key}\n`);
	assert.equal(await ownKey({ NEARGLOT_KEY_FILE: path }), key);
	assert.equal(await ownKey({ NEARGLOT_KEY: key, NEARGLOT_KEY_FILE: '' }), key);
	assert.equal(await ownKey({}), undefined);
	const none = join(folder, 'none');
	await assert.rejects(ownKey({ NEARGLOT_KEY_FILE: none }), /NEARGLOT_KEY_FILE: .*cannot be read/);
	await assert.rejects(ownKey({ NEARGLOT_KEY: key, NEARGLOT_KEY_FILE: path }), /keep one of them/);
	for (const text of ['', 'short', `${key} with blanks`, `${key}\nmore`]) {
		writeFileSync(path, text);
		await assert.rejects(ownKey({ NEARGLOT_KEY_FILE: path }), /The key in/, JSON.stringify(text));
	}
});

test('a model that has to be there at the start and is not ends the server with its reason', async () => {
	home ??= await newHome();
	const { code, stderr } = await home.run(['serve', '--port', '0', '--preload', 'no-such-model']);
	assert.equal(code, 1, stderr);
	assert.match(stderr, /no-such-model/);
});
