/** A session counts in the form it was given in only: a browser's as a cookie, a program's as a token. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { KeyRing } from '../../server/gateway/keys/keyRing.ts';
import { seal, unseal } from '../../server/gateway/keys/seal.ts';
import type { GatewaySession } from '../../server/gateway/session/sessions.ts';
import { mintToken, verifiedTokens } from '../../server/gateway/session/sessionToken.ts';
import { openSqliteStore } from '../../server/gateway/store/sqliteStore.ts';
import { Harness } from './support/harness.ts';

test('even with the right keys a browser session is no token, and a token session no cookie', async () => {
	const store = openSqliteStore(':memory:');
	await using h = await Harness.start({ store });
	const { keys } = JSON.parse(readFileSync(join(h.folder, 'gateway-keys.json'), 'utf8')) as {
		keys: { kid: string; secret: string }[];
	};
	const ring = new KeyRing(
		keys.map(({ kid, secret }) => ({
			kid,
			secret: Buffer.from(secret, 'hex'),
			notBefore: 0,
			retireAfter: Number.POSITIVE_INFINITY,
		})),
		Buffer.alloc(32),
		Date.now,
	);
	const find = async (sid: string) =>
		JSON.parse((await store.get(`s:${sid}`)) ?? '') as GatewaySession;
	const cookieOf = (sid: string) =>
		`__Host-AppServiceAuthSession=${seal(ring, 'cookie-enc', JSON.stringify({ sid, iat: 1 }))}`;
	const tokenOf = (session: GatewaySession) =>
		mintToken(session, {
			ring,
			issuer: 'https://app.example/',
			now: Date.now,
			verified: verifiedTokens(),
		});
	const value = (await h.signIn()).split('=').slice(1).join('=');
	const { sid } = JSON.parse(unseal(ring, 'cookie-enc', value) ?? '') as { sid: string };
	const browser = await find(sid);
	const client = await find(decodeJwt(await h.token()).jti ?? '');
	assert.deepEqual([browser.kind, client.kind], ['browser', 'client']);
	const asToken = async (session: GatewaySession) =>
		(await h.get('/x', [`X-ZUMO-AUTH: ${await tokenOf(session)}`])).status;
	const asCookie = async (session: GatewaySession) =>
		(await h.get('/x', [`Cookie: ${cookieOf(session.sid)}`])).status;
	assert.deepEqual([await asToken(client), await asCookie(browser)], [200, 200]);
	assert.deepEqual([await asToken(browser), await asCookie(client)], [401, 401]);
	const other = { ...client, userId: `sid:${'0'.repeat(32)}` };
	assert.equal(await asToken(other), 401, 'the token names another person than its session');
});
