import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { forwardClock } from '../../../server/services/limits/forwardClock.ts';
import { KeyStore } from '../../../server/services/limits/keyStore.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const start = Date.UTC(2026, 0, 1);
const clockAt = (at: { ms: number }) =>
	forwardClock(
		() => at.ms,
		() => 0,
	);
const fixed = clockAt({ ms: start });
const options = { name: 'anna', scopes: ['chat'], limits: { tokensPerDay: 100 } } as const;

function folder(): string {
	return temporaryFolder('keys');
}

test('a key is found by what is shown once, and nothing on the disk holds it', () => {
	const home = folder();
	const store = new KeyStore(join(home, 'keys.db'), fixed);
	const { key, entry } = store.create(options);
	assert.equal(store.find(key)?.id, entry.id);
	assert.equal(store.find(`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`), undefined);
	assert.equal(store.find(''), undefined);
	store.close();
	for (const name of readdirSync(home)) {
		assert.ok(!readFileSync(join(home, name), 'latin1').includes(key), name);
		if (process.platform !== 'win32')
			assert.equal(statSync(join(home, name)).mode & 0o077, 0, name);
	}
});

test('what one process revokes, rotates or makes holds at once in another that has read before', () => {
	const path = join(folder(), 'keys.db');
	const [daemon, command] = [new KeyStore(path, fixed), new KeyStore(path, fixed)];
	const { key } = command.create(options);
	assert.equal(daemon.find(key)?.name, 'anna');
	const { key: second } = command.rotate('anna');
	assert.equal(daemon.find(key), undefined);
	assert.equal(daemon.find(second)?.name, 'anna');
	command.setPeopleLimits({ tokensPerMinute: 5 });
	assert.deepEqual(daemon.peopleLimits, { tokensPerMinute: 5 });
	command.revoke('anna');
	assert.equal(daemon.find(second), undefined);
});

test('a key ends at its time, also when the clock is set back', () => {
	const at = { ms: start };
	const store = new KeyStore(join(folder(), 'keys.db'), clockAt(at));
	const { key } = store.create({ ...options, expiresAt: start + 1000 });
	assert.ok(store.find(key));
	at.ms += 1000;
	assert.equal(store.find(key), undefined);
	at.ms -= 500_000;
	assert.equal(store.find(key), undefined);
	const { key: again } = store.rotate('anna', start + 600_000);
	assert.ok(store.find(again));
});

test('names, scopes, ends and limits that make no sense are refused', () => {
	const store = new KeyStore(join(folder(), 'keys.db'), fixed);
	for (const bad of [
		{ name: '' },
		{ name: 'x'.repeat(101) },
		{ name: 'a\nb' },
		{ name: 'a\u202eb' },
		{ scopes: [] },
		{ expiresAt: start },
		{ expiresAt: Number.NaN },
		{ limits: { tokensPerDay: 0 } },
		{ limits: { tokensPerDay: 1.5 } },
		{ limits: { tokensPerYear: 5 } as object },
	])
		assert.throws(() => store.create({ ...options, ...bad } as never), { code: 'invalid_request' });
	assert.deepEqual(store.list(), []);
	store.create(options);
	store.create(options);
	assert.throws(() => store.revoke('anna'), { code: 'conflict' });
	assert.throws(() => store.revoke('bob'), { code: 'not_found' });
});

test('keys that are lost or damaged keep everybody out until they are back', () => {
	const home = folder();
	const path = join(home, 'keys.db');
	const store = new KeyStore(path, fixed);
	const { key } = store.create(options);
	store.close();
	const sound = readFileSync(path);
	writeFileSync(path, 'this is no database, and long enough to be looked at'.repeat(100));
	rmSync(`${path}-wal`, { force: true });
	const again = new KeyStore(path, fixed);
	assert.throws(() => again.find(key), { code: 'store_unavailable' });
	assert.throws(() => again.find(key), { code: 'store_unavailable' });
	assert.throws(() => again.create(options), { code: 'store_unavailable' });
	assert.ok(readdirSync(home).some((name) => name.startsWith('keys.db.damaged-')));
	writeFileSync(path, sound);
	assert.ok(again.find(key));
});

test('another process that holds the file is waited for a moment only', () => {
	const path = join(folder(), 'keys.db');
	const store = new KeyStore(path, fixed, 20);
	const { key } = store.create(options);
	const other = new DatabaseSync(path);
	other.exec('BEGIN EXCLUSIVE');
	assert.throws(() => store.create(options), { code: 'store_unavailable' });
	assert.ok(store.find(key), 'who has a key is let in all the same');
	other.exec('ROLLBACK');
	store.create(options);
	other.close();
});

test('a copy of the one file, taken while it is in use, is a backup of all keys', () => {
	const home = folder();
	const store = new KeyStore(join(home, 'keys.db'), fixed);
	const { key } = store.create(options);
	writeFileSync(join(home, 'copy.db'), readFileSync(join(home, 'keys.db')));
	assert.ok(new KeyStore(join(home, 'copy.db'), fixed).find(key));
	store.close();
});

test('a folder in the place of the file is an error with a sentence', () => {
	const home = folder();
	mkdirSync(join(home, 'keys.db'));
	assert.throws(() => new KeyStore(join(home, 'keys.db'), fixed).list(), {
		code: 'store_unavailable',
	});
});

test('the name of a key that was revoked is known until somebody has it forgotten', () => {
	const path = join(folder(), 'keys.db');
	const store = new KeyStore(path, fixed);
	const [first, second] = [store.create(options), store.create({ ...options, name: 'ben' })];
	store.setPeopleLimits({ tokensPerMinute: 5 });
	store.revoke(first.entry.id);
	store.revoke(second.entry.id);
	assert.deepEqual(store.list(), []);
	const again = new KeyStore(path, fixed);
	assert.deepEqual(again.revoked(), [
		{ id: first.entry.id, name: 'anna' },
		{ id: second.entry.id, name: 'ben' },
	]);
	again.forgetRevoked(first.entry.id);
	assert.deepEqual(store.revoked(), [{ id: second.entry.id, name: 'ben' }]);
	assert.deepEqual(store.peopleLimits, { tokensPerMinute: 5 });
});
