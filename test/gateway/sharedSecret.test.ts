import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
	ensureSharedSecret,
	readSharedSecret,
	secretProblem,
	sharedSecrets,
} from '../../server/gateway/keys/sharedSecret.ts';

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
	const path = await mkdtemp(join(tmpdir(), 'nearglot-secret-'));
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
	assert.match(secretProblem('a'.repeat(15)) ?? '', /16 characters/);
	assert.equal(secretProblem('a'.repeat(16)), undefined);
});
