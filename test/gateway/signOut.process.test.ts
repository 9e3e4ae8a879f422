/**
 * A session that was signed out stays so, whatever was under way for it: a renewal at the provider, one at
 * another replica, a hand-off, an answer of the store, a restart, a clock that is set back.
 */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { SignedIn } from '../../server/gateway/identity/signedIn.ts';
import { writeKeyFile } from '../../server/gateway/keys/keyFile.ts';
import { KeyRing } from '../../server/gateway/keys/keyRing.ts';
import { Sessions } from '../../server/gateway/session/sessions.ts';
import { openRedisStore } from '../../server/gateway/store/redisStore.ts';
import { openSqliteStore } from '../../server/gateway/store/sqliteStore.ts';
import type { Store } from '../../server/gateway/store/store.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { TestApp } from './support/app.ts';
import { FakeProvider } from './support/fakeProvider.ts';
import { Harness } from './support/harness.ts';
import { RedisServer, redisMissing } from './support/redisServer.ts';

/** Two copies of the layer with one store. */
interface Pair {
	readonly one: Harness;
	readonly two: Harness;
	readonly store: Store;
}

let redis: RedisServer | undefined;
const folder = temporaryFolder('signout');
const app = new TestApp();
const provider = new FakeProvider();

before(async () => {
	writeKeyFile(join(folder, 'gateway-keys.json'), 1);
	await app.listen();
	await provider.listen();
	if (!redisMissing) redis = await RedisServer.start();
});
after(async () => {
	for (const item of [app, provider, redis]) await item?.[Symbol.asyncDispose]();
});

const kinds = ['sqlite', 'redis'] as const;
const skipOf = (kind: (typeof kinds)[number]) => ({ skip: kind === 'redis' && redisMissing });

async function openStore(kind: (typeof kinds)[number], file: string): Promise<Store> {
	return kind === 'redis' ? openRedisStore(redis!.url) : openSqliteStore(join(folder, file));
}

async function withPair(
	kind: (typeof kinds)[number],
	work: (pair: Pair) => Promise<void>,
): Promise<void> {
	const file = `${randomBytes(4).toString('hex')}.db`;
	const start = async () =>
		Harness.start({ folder, app, provider, store: await openStore(kind, file) });
	await using one = await start();
	await using two = await start();
	await using store = await openStore(kind, file);
	await work({ one, two, store });
}

/** Holds the provider's next answers; returns what lets them go. */
function holdProvider(): () => void {
	let release = () => {};
	provider.tokenHold = new Promise((resolve) => {
		release = () => {
			provider.tokenHold = undefined;
			resolve();
		};
	});
	return release;
}

/** Begins a renewal and returns when the provider has been asked. */
async function renewal(h: Harness, line: string) {
	const release = holdProvider();
	const before = provider.refreshCalls;
	const answer = h.get('/.auth/refresh', [line]);
	await until('the provider is asked', () => provider.refreshCalls > before);
	return { release, answer };
}

/** A session with a refresh token, as programs hold it. */
async function nativeToken(h: Harness): Promise<string> {
	const done = await h.finish(
		await h.navigate(
			'/.auth/login/corp?session_mode=token&post_login_redirect_uri=/.auth/login/done',
		),
	);
	const result = decodeURIComponent(done.header('location')!.split('#token=')[1]!);
	return (JSON.parse(result) as { authenticationToken: string }).authenticationToken;
}

for (const kind of kinds) {
	for (const where of ['the same', 'another'] as const) {
		test(
			`${kind}: signing out at ${where} replica outlasts a renewal that waits for the provider`,
			skipOf(kind),
			async () => {
				await withPair(kind, async ({ one, two }) => {
					const other = where === 'another' ? two : one;
					const cookie = `Cookie: ${await one.signIn()}`;
					const { release, answer } = await renewal(one, cookie);
					assert.equal((await other.navigate('/.auth/logout', cookie.slice(8))).status, 302);
					release();
					assert.equal((await answer).status, 401);
					assert.deepEqual((await answer).setCookies(), []);
					for (const h of [one, two]) {
						h.advance(5000);
						assert.equal((await h.get('/x', [cookie])).status, 401);
						assert.equal((await h.get('/.auth/refresh', [cookie])).status, 401);
						assert.deepEqual((await h.get('/.auth/me', [cookie])).json(), []);
					}
				});
			},
		);

		test(
			`${kind}: ending a session token at ${where} replica outlasts its renewal`,
			skipOf(kind),
			async () => {
				await withPair(kind, async ({ one, two }) => {
					const other = where === 'another' ? two : one;
					const token = `X-ZUMO-AUTH: ${await nativeToken(one)}`;
					const { release, answer } = await renewal(one, token);
					assert.equal((await other.get('/.auth/logout', [token])).status, 204);
					release();
					assert.equal((await answer).status, 401);
					for (const h of [one, two]) {
						h.advance(5000);
						assert.equal((await h.get('/x', [token])).status, 401);
						assert.equal((await h.get('/.auth/refresh', [token])).status, 401);
					}
				});
			},
		);
	}

	test(
		`${kind}: of many renewals at two replicas and a sign-out in their middle nothing is left`,
		skipOf(kind),
		async () => {
			await withPair(kind, async ({ one, two, store }) => {
				const token = `X-ZUMO-AUTH: ${await nativeToken(one)}`;
				const calls = Array.from({ length: 12 }, (_, index) =>
					(index % 2 === 0 ? one : two).get('/.auth/refresh', [token]),
				);
				const out = two.get('/.auth/logout', [token]);
				await Promise.all([...calls, out]);
				for (const h of [one, two]) {
					h.advance(5000);
					assert.equal((await h.get('/x', [token])).status, 401);
				}
				const sid = (JSON.parse(atob(token.split('.')[1]!)) as { jti: string }).jti;
				assert.doesNotMatch((await store.get(`s:${sid}`)) ?? '', /expiresAt/);
			});
		},
	);

	test(
		`${kind}: what stands there is replaced in one step, or not at all`,
		skipOf(kind),
		async () => {
			await using store = await openStore(kind, 'replace.db');
			const key = randomBytes(4).toString('hex');
			assert.equal(await store.replace(key, 'a', 'b', 60_000), false, 'nothing there');
			assert.equal(await store.get(key), undefined);
			await store.set(key, 'a', 60_000);
			const winners = await Promise.all(
				Array.from({ length: 10 }, (_, index) => store.replace(key, 'a', `b${index}`, 60_000)),
			);
			assert.equal(winners.filter(Boolean).length, 1);
			assert.equal(await store.replace(key, 'a', undefined, 1), false);
			const now = (await store.get(key))!;
			assert.equal(await store.replace(key, now, undefined, 1), true);
			assert.equal(await store.get(key), undefined);
			await store.set(key, 'short', 1);
			await new Promise((resolve) => setTimeout(resolve, 20));
			assert.equal(await store.replace(key, 'short', 'long', 60_000), false, 'it has ended');
		},
	);
}

test('signing out holds over a restart in the middle of a renewal', async () => {
	const file = 'restart.db';
	const start = async () =>
		Harness.start({ folder, app, provider, store: await openStore('sqlite', file) });
	await using stays = await start();
	const first = await start();
	const cookie = `Cookie: ${await first.signIn()}`;
	const { release, answer } = await renewal(stays, cookie);
	assert.equal((await first.navigate('/.auth/logout', cookie.slice(8))).status, 302);
	await first[Symbol.asyncDispose]();
	await using second = await start();
	release();
	assert.equal((await answer).status, 401);
	assert.equal((await second.get('/x', [cookie])).status, 401);
	assert.equal((await second.get('/.auth/refresh', [cookie])).status, 401);
});

test('a hand-off that was under way while its person signed out hands nothing over', async () => {
	await using store = openSqliteStore(':memory:');
	let passed = () => {};
	let reached = () => {};
	const begun = new Promise<void>((resolve) => {
		reached = resolve;
	});
	const gate = new Promise<void>((resolve) => {
		passed = resolve;
	});
	const slow: Store = {
		...store,
		set: async (key, value, ttlMs) => {
			if (key.startsWith('s:') && value.includes('"handoff"')) {
				reached();
				await gate;
			}
			await store.set(key, value, ttlMs);
		},
	};
	const sessions = sessionsOn(slow);
	const session = await sessions.create(alice, 'browser');
	const copy = sessions.copy(session, 'handoff');
	await begun;
	await sessions.end(session);
	passed();
	await assert.rejects(copy, /signed out/);
});

test('an answer of the store that was under way while the session ended is not believed', async () => {
	await using store = openSqliteStore(':memory:');
	const inside: (() => void)[] = [];
	let hold = false;
	const slow: Store = {
		...store,
		get: async (key) => {
			const value = await store.get(key);
			if (hold) await new Promise<void>((resolve) => inside.push(resolve));
			return value;
		},
	};
	const sessions = sessionsOn(slow);
	const session = await sessions.create(alice, 'browser');
	hold = true;
	const finding = sessions.find(session.sid, true);
	while (inside.length === 0) await new Promise(setImmediate);
	hold = false;
	await sessions.end(session);
	inside[0]!();
	assert.equal(await finding, undefined);
	assert.equal(await sessions.find(session.sid), undefined);
});

test('tokens of the provider do not come back, nor do those that others share go', async () => {
	await using store = openSqliteStore(':memory:');
	const { vault } = sessionsOn(store);
	const ref = await vault.create({ refreshToken: 'r1' }, 'a', 0, 60_000);
	await Promise.all([
		vault.share(ref, 'b', 60_000),
		vault.share(ref, 'c', 60_000),
		vault.release(ref, 'a', 60_000),
		vault.refresh(ref, 1, { refreshToken: 'r2' }, 1, 60_000),
	]);
	const kept = await vault.read(ref);
	assert.deepEqual([...(kept?.sids ?? [])].sort(), ['b', 'c']);
	assert.equal(kept?.tokens.refreshToken, 'r2');
	assert.equal(await vault.refresh(ref, 1, { refreshToken: 'r3' }, 2, 60_000), false);
	await Promise.all([vault.release(ref, 'b', 60_000), vault.release(ref, 'c', 60_000)]);
	assert.equal(await vault.read(ref), undefined);
	assert.equal(await vault.refresh(ref, 2, { refreshToken: 'r4' }, 3, 60_000), false);
	assert.equal(await vault.read(ref), undefined);
});

test('a clock that is set back brings no session back, and lets no replica remember one longer', async () => {
	let now = Date.now();
	let elapsed = 0;
	await using store = openSqliteStore(':memory:', () => now);
	const clock = [() => now, () => elapsed] as const;
	const [here, there] = [sessionsOn(store, ...clock), sessionsOn(store, ...clock)];
	const session = await here.create(alice, 'browser');
	assert.ok(await there.find(session.sid));
	now -= 3_600_000;
	await here.end(session);
	assert.equal(await there.find(session.sid), undefined, 'remembered from the future');
	const next = await here.create(alice, 'browser');
	assert.ok(await there.find(next.sid));
	await here.end(next);
	elapsed += 5000;
	assert.equal(await there.find(next.sid), undefined, 'the clock stood still');
	now -= 86_400_000;
	for (const { sid } of [session, next]) {
		for (const sessions of [here, there]) assert.equal(await sessions.find(sid, true), undefined);
		assert.equal(await here.renew(session, undefined), undefined);
	}
	assert.equal(await store.lock('lease', 'a', 1000), true);
	now -= 60_000;
	assert.equal(await store.lock('lease', 'b', 1000), true, 'a lease from the future ends');
	assert.equal(await store.lock('lease', 'a', 1000), false);
});

const alice: SignedIn = {
	provider: 'corp',
	issuer: 'https://corp.example',
	subject: 'alice',
	name: 'Alice',
	principalId: 'alice',
	claims: [],
	tokens: { refreshToken: 'r1' },
	policy: {
		groups: [],
		groupsOverage: false,
		verifiedEmail: undefined,
		ids: [],
		application: undefined,
	},
};

function sessionsOn(store: Store, now: () => number = Date.now, elapsed?: () => number): Sessions {
	const key = { kid: 'k', secret: Buffer.alloc(32, 1), notBefore: 0, retireAfter: Infinity };
	const ring = new KeyRing([key], Buffer.alloc(32), now);
	const login = {
		tokenStore: true,
		refreshWindowMs: 72 * 3_600_000,
		expiry: 'FixedTime',
		sessionMs: 8 * 3_600_000,
		tokenMs: 3_600_000,
	} as ConstructorParameters<typeof Sessions>[2];
	return new Sessions(store, ring, login, now, elapsed);
}
