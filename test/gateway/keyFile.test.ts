import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GatewaySettings } from '../../server/gateway/config/gatewaySettings.ts';
import { loadKeys, writeKeyFile } from '../../server/gateway/keys/keyFile.ts';
import { readKeyFile } from '../../server/gateway/keys/readKeyFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder('keys');

test('keys that another copy has just made are not replaced', () => {
	const file = join(folder, 'keys.json');
	writeKeyFile(file, 1);
	const first = readFileSync(file, 'utf8');
	writeKeyFile(file, 2);
	assert.equal(readFileSync(file, 'utf8'), first);
	assert.deepEqual(readdirSync(folder), ['keys.json']);
	if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
});

const key = '0123456789abcdef'.repeat(4);
const other = 'fedcba9876543210'.repeat(4);
const at = Date.parse('2026-06-01T00:00:00Z');
const write = (file: string, ...keys: readonly object[]) =>
	writeFileSync(file, JSON.stringify({ userIdKey: key, keys }));
const settingsWith = (file: string) =>
	({ keys: { file }, replicas: 1 }) as unknown as GatewaySettings;

test('a date of a key is one, or the file is refused', () => {
	const file = join(folder, 'dates.json');
	const read = (row: object) => {
		write(file, { kid: 'k', secret: key, ...row });
		return readKeyFile(file).entries[0]!;
	};
	assert.equal(read({ notBefore: '2026-05-01T12:00:00Z' }).notBefore, Date.UTC(2026, 4, 1, 12));
	assert.equal(read({ notBefore: '2026-05-01' }).notBefore, Date.UTC(2026, 4, 1));
	assert.equal(read({ retireAfter: 1_900_000_000_000 }).retireAfter, 1_900_000_000_000);
	assert.equal(read({}).retireAfter, Number.POSITIVE_INFINITY);
	for (const wrong of [
		'2026-11-22T25:00:00Z',
		'2026-02-30T00:00:00Z',
		'2026-13-01',
		'tomorrow',
		'1 May 2026',
		'1780000000000',
		'',
		null,
		true,
		-1,
		1.5,
	]) {
		for (const name of ['notBefore', 'retireAfter'])
			assert.throws(() => read({ [name]: wrong }), new RegExp(`${name} of k must be a date`));
	}
	assert.throws(() => read({ notBefore: 2000, retireAfter: 1000 }), /retires before it begins/);
	assert.throws(() => read({ secret: '0'.repeat(64) }), /secret of k has fewer/);
});

test('a reading that would leave no key is refused with its reason, and the ring stays as it was', () => {
	const file = join(folder, 'ring.json');
	const good = { kid: 'good', secret: key };
	write(file, good);
	using keys = loadKeys(settingsWith(file), file, () => at);
	const refusals: readonly [() => void, RegExp][] = [
		[() => rmSync(file), /cannot be read: it is gone/],
		[() => write(file, { ...good, notBefore: '2026-06-02' }), /none of its keys is valid now/],
		[() => write(file, { ...good, retireAfter: '2026-05-31' }), /none of its keys is valid now/],
		[() => writeFileSync(file, '{'), /it is not JSON/],
		[
			() => writeFileSync(file, JSON.stringify({ userIdKey: other, keys: [good] })),
			/userIdKey is another/,
		],
		[() => write(file), /keys must not be empty/],
	];
	for (const [change, words] of refusals) {
		change();
		assert.match(keys.reload() ?? '', words);
		assert.match(keys.refused ?? '', words);
		assert.equal(keys.ring.current('cookie-enc').kid, 'good');
	}
	write(file, good, { kid: 'next', secret: other, notBefore: 5 });
	assert.equal(keys.reload(), undefined);
	assert.equal(keys.refused, undefined);
	assert.equal(keys.ring.current('cookie-enc').kid, 'next');
});

test('a change of the file is noticed and told, whether it is taken or not', async () => {
	const file = join(folder, 'watched.json');
	write(file, { kid: 'k', secret: key });
	using keys = loadKeys(settingsWith(file), file, () => at);
	const told = new Promise<string | undefined>((resolve) => keys.watch(resolve));
	rmSync(file);
	assert.match((await told) ?? '', /it is gone/);
});
