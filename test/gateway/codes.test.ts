/** One-time codes by themselves: what a code is bound to, beyond what a request can vary. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { issueCode, redeemCode } from '../../server/gateway/session/codes.ts';
import { openSqliteStore } from '../../server/gateway/store/sqliteStore.ts';

const verifier = 'v'.repeat(43);
const grant = {
	provider: 'corp',
	sid: 's1',
	challenge: createHash('sha256').update(verifier).digest('base64url'),
	callback: 'vscode://acme.ext/signed-in',
	host: 'one.example',
};

test('a code of one host is burnt at another that shares its store', async () => {
	await using store = openSqliteStore(':memory:');
	const code = await issueCode(store, grant);
	assert.equal(await redeemCode(store, code, verifier, 'corp', 'two.example'), undefined);
	assert.equal(await redeemCode(store, code, verifier, 'corp', 'one.example'), undefined);
	const fresh = await issueCode(store, grant);
	assert.deepEqual(await redeemCode(store, fresh, verifier, 'corp', 'one.example'), grant);
});

test('a code lives a minute, and the store holds its hash only', async () => {
	let now = 1_000_000_000_000;
	await using store = openSqliteStore(':memory:', () => now);
	const code = await issueCode(store, grant);
	assert.equal(await store.get(`c:${code}`), undefined);
	now += 60_001;
	assert.equal(await redeemCode(store, code, verifier, 'corp', 'one.example'), undefined);
});
