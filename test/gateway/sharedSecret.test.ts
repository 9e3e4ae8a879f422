import assert from 'node:assert/strict';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hexKeyProblem, secretProblem } from '../../server/gateway/keys/secretProblem.ts';
import {
	ensureSharedSecret,
	readSharedSecret,
	sharedSecrets,
} from '../../server/gateway/keys/sharedSecret.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
	const path = temporaryFolder('secret');
	return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test('of gateways that start at once all get the same secret, in a file of their user', async () => {
	await using home = await folder();
	const dir = join(home.path, 'data');
	const all = await Promise.all(Array.from({ length: 8 }, () => ensureSharedSecret(dir)));
	assert.equal(new Set(all).size, 1);
	assert.match(all[0] ?? '', /^[0-9a-f]{64}$/);
	assert.equal(await ensureSharedSecret(dir), all[0], 'it stays');
	assert.deepEqual(await readdir(dir), ['gateway-secret']);
	if (process.platform !== 'win32')
		assert.equal((await stat(join(dir, 'gateway-secret'))).mode & 0o777, 0o600);
});

test('a model server that started first finds it, and the environment wins', async () => {
	await using home = await folder();
	let now = 0;
	const secrets = sharedSecrets(home.path, {}, () => now);
	assert.deepEqual(await secrets(), []);
	const made = await ensureSharedSecret(home.path);
	now += 3000;
	assert.deepEqual(await secrets(), [made]);
	const given = sharedSecrets(home.path, { NEARGLOT_GATEWAY_SECRET: 'given to both' }, () => now);
	assert.deepEqual(await given(), ['given to both']);
});

test('what is no secret is not taken for one', async () => {
	await using home = await folder();
	await writeFile(join(home.path, 'gateway-secret'), 'short\n');
	assert.equal(await readSharedSecret(home.path), undefined);
	await assert.rejects(ensureSharedSecret(home.path), /holds no secret. Remove it/);
	for (const [text, words] of [
		['abcdefghijklmno', /16 characters/],
		['a'.repeat(16), /different characters/],
		['01'.repeat(32), /different characters/],
		['', /is blank/],
		[' '.repeat(32), /is blank/],
		[`${'0123456789abcdef'.repeat(4)}\n`, /end of a line/],
		['a line\nand another', /end of a line/],
		['replace-with-64-hex-digits', /text of an example/],
		['CHANGE_ME_BEFORE_USE_PLEASE', /text of an example/],
		['<your secret goes here>', /text of an example/],
		['$' + '{NEARGLOT_GATEWAY_SECRET}', /text of an example/],
	] as const)
		assert.match(secretProblem(text) ?? '', words, text);
	for (const text of ['abcdefghijklmnop', 'secret of both sides', '0123456789abcdef'.repeat(4)])
		assert.equal(secretProblem(text), undefined, text);
	assert.match(hexKeyProblem('g'.repeat(64)) ?? '', /hexadecimal/);
	assert.match(hexKeyProblem('0'.repeat(64)) ?? '', /different characters/);
	assert.equal(hexKeyProblem('0123456789abcdef'.repeat(4)), undefined);
});
