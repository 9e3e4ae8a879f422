/** Two copies of the layer with one store: any of them can do the next step. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeKeyFile } from '../../server/gateway/keys/keyFile.ts';
import { openRedisStore } from '../../server/gateway/store/redisStore.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { TestApp } from './support/app.ts';
import { FakeProvider } from './support/fakeProvider.ts';
import { startProcess } from './support/gatewayProcess.ts';
import {
	baseConfig,
	browserHeaders,
	cookieOf,
	Harness,
	merge,
	pair,
	sessionCookieName,
} from './support/harness.ts';
import { rawCall } from './support/rawHttp.ts';
import { RedisServer, redisMissing } from './support/redisServer.ts';

const skip = { skip: redisMissing };

let redis: RedisServer;
const folder = temporaryFolder('replicas');
let app: TestApp;
let provider: FakeProvider;
let one: Harness;
let two: Harness;

async function replica(): Promise<Harness> {
	const config = { 'x-gateway': { replicas: 2, store: { kind: 'redis', url: redis.url } } };
	return Harness.start({ folder, app, provider, config, store: await openRedisStore(redis.url) });
}

before(async () => {
	if (redisMissing) return;
	redis = await RedisServer.start();
	writeKeyFile(join(folder, 'gateway-keys.json'), 1);
	app = new TestApp();
	provider = new FakeProvider();
	await app.listen();
	await provider.listen();
	one = await replica();
	two = await replica();
});
after(async () => {
	if (redisMissing) return;
	for (const item of [one, two, app, provider, redis]) await item[Symbol.asyncDispose]();
});

const verifier = 'v'.repeat(50);
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** A session token with a refresh token behind it. */
async function nativeToken(h: Harness): Promise<{ code: string; token: () => Promise<string> }> {
	const target = `/.auth/login/corp?session_mode=token&post_login_redirect_uri=${encodeURIComponent('vscode://acme.ext/signed-in')}&code_challenge=${challenge}&code_challenge_method=S256`;
	const done = await h.finish(await h.navigate(target));
	const code = done.header('location')!.split('#authorization_code=')[1]!;
	return {
		code,
		token: async () =>
			((await redeem(two, code)).json() as { authenticationToken: string }).authenticationToken,
	};
}

const redeem = (h: Harness, code: string) =>
	h.get(`/.auth/login/corp/token?authorization_code=${code}&code_verifier=${verifier}`);

test(
	'a login begun at one replica is finished at the other, and the session works at both',
	skip,
	async () => {
		const begun = await one.navigate('/.auth/login/corp?post_login_redirect_uri=/app');
		const back = provider.authorize(begun.header('location')!);
		const done = await two.navigate(
			back.pathname + back.search,
			begun.setCookies().map(pair).join('; '),
		);
		const cookie = cookieOf(done, sessionCookieName)!;
		for (const h of [one, two])
			assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 200);
		// Row 63 over replicas: the other one may remember for less than five seconds.
		await one.navigate('/.auth/logout', cookie);
		assert.equal((await one.get('/x', [`Cookie: ${cookie}`])).status, 401);
		two.advance(5000);
		assert.equal((await two.get('/x', [`Cookie: ${cookie}`])).status, 401);
	},
);

test('of ten redemptions at two replicas exactly one wins', skip, async () => {
	const { code } = await nativeToken(one);
	const answers = await Promise.all(
		Array.from({ length: 10 }, (_, index) => redeem(index % 2 === 0 ? one : two, code)),
	);
	assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
	assert.equal(answers.filter((answer) => answer.status === 401).length, 9);
});

test('of ten refreshes at two replicas one calls the provider and all succeed', skip, async () => {
	const token = await (await nativeToken(one)).token();
	provider.tokenDelayMs = 300;
	const before = provider.refreshCalls;
	const answers = await Promise.all(
		Array.from({ length: 10 }, (_, index) =>
			(index % 2 === 0 ? one : two).get('/.auth/refresh', [`X-ZUMO-AUTH: ${token}`]),
		),
	);
	provider.tokenDelayMs = 0;
	assert.deepEqual(
		answers.map((answer) => answer.status),
		Array(10).fill(200),
	);
	assert.equal(provider.refreshCalls - before, 1);
	for (const answer of answers) {
		const fresh = (answer.json() as { authenticationToken: string }).authenticationToken;
		assert.equal((await two.get('/x', [`X-ZUMO-AUTH: ${fresh}`])).status, 200);
	}
});

test(
	'two processes: one is killed in the middle of a refresh, the other takes over when the lease ends',
	skip,
	async () => {
		const settings = merge(baseConfig(provider), {
			'x-gateway': {
				replicas: 2,
				store: { kind: 'redis', url: redis.url },
				refreshLeaseSeconds: 1,
			},
		});
		const file = join(folder, 'auth.json');
		writeFileSync(file, JSON.stringify(settings));
		const [first, second] = await Promise.all([
			startProcess(file, app.url),
			startProcess(file, app.url),
		]);
		try {
			const target = `/.auth/login/corp?session_mode=token&post_login_redirect_uri=${encodeURIComponent('vscode://acme.ext/signed-in')}&code_challenge=${challenge}&code_challenge_method=S256`;
			const begun = await rawCall(first.port, { target, headers: browserHeaders });
			const back = provider.authorize(begun.header('location')!);
			const cookie = begun.setCookies().map(pair).join('; ');
			const done = await rawCall(second.port, {
				target: back.pathname + back.search,
				headers: [...browserHeaders, `Cookie: ${cookie}`],
			});
			const code = done.header('location')!.split('#authorization_code=')[1]!;
			const answer = await rawCall(first.port, {
				target: `/.auth/login/corp/token?authorization_code=${code}&code_verifier=${verifier}`,
			});
			const token = `X-ZUMO-AUTH: ${(answer.json() as { authenticationToken: string }).authenticationToken}`;
			const before = provider.refreshCalls;
			// The first call reaches the provider, which answers too late for it.
			provider.tokenDelayMs = 1500;
			const lost = rawCall(first.port, { target: '/.auth/refresh', headers: [token] }).catch(
				() => undefined,
			);
			await until('the provider is asked', () => provider.refreshCalls > before);
			const waiting = rawCall(second.port, { target: '/.auth/refresh', headers: [token] });
			first.child.kill('SIGKILL');
			provider.tokenDelayMs = 0;
			await lost;
			// The provider has used up the refresh token for the call that was lost: the honest answer is "revoked".
			const taken = await waiting;
			assert.equal(taken.status, 403);
			assert.equal(provider.refreshCalls - before, 2);
			assert.equal((await rawCall(second.port, { target: '/x', headers: [token] })).status, 200);
		} finally {
			provider.tokenDelayMs = 0;
			for (const { child } of [first, second]) child.kill('SIGKILL');
		}
	},
);

test(
	'a session refreshed after its end at one replica works at the other at once',
	skip,
	async () => {
		const token = await (await nativeToken(one)).token();
		for (const h of [one, two]) h.advance(2 * 3_600_000);
		assert.equal((await two.get('/x', [`X-ZUMO-AUTH: ${token}`])).status, 401);
		const answer = await one.get('/.auth/refresh', [`X-ZUMO-AUTH: ${token}`]);
		const fresh = (answer.json() as { authenticationToken: string }).authenticationToken;
		assert.equal((await two.get('/x', [`X-ZUMO-AUTH: ${fresh}`])).status, 200);
		for (const h of [one, two]) h.advance(-2 * 3_600_000);
	},
);

test('a replica that ends takes nothing along', skip, async () => {
	const third = await replica();
	const cookie = await third.signIn();
	const begun = await third.navigate('/.auth/login/corp?post_login_redirect_uri=/late');
	await third.gateway.close(0);
	assert.equal((await two.get('/x', [`Cookie: ${cookie}`])).status, 200);
	assert.equal((await two.finish(begun)).header('location'), '/late');
});

test('keys rotate without anybody being signed out, and retired keys end', skip, async () => {
	const file = join(folder, 'gateway-keys.json');
	const old = JSON.parse(readFileSync(file, 'utf8')) as {
		userIdKey: string;
		keys: { kid: string; secret: string; retireAfter?: number }[];
	};
	const cookie = await one.signIn();
	const begun = await one.navigate('/.auth/login/corp?post_login_redirect_uri=/rotated');
	const token = await (await nativeToken(one)).token();
	const rotate = (keys: unknown[]) => {
		writeFileSync(file, JSON.stringify({ userIdKey: old.userIdKey, keys }));
		one.gateway.reload();
		two.gateway.reload();
	};
	const next = { kid: 'next', secret: 'fedcba9876543210'.repeat(4), notBefore: 5 };
	rotate([...old.keys, next]);
	for (const h of [one, two]) {
		assert.equal((await h.get('/x', [`Cookie: ${cookie}`])).status, 200);
		assert.equal((await h.get('/x', [`X-ZUMO-AUTH: ${token}`])).status, 200);
	}
	assert.equal((await two.finish(begun)).header('location'), '/rotated');
	const userBefore = (
		await one.clientLogin({ id_token: await provider.sign({ sub: 'same' }) })
	).json() as { user: { userId: string } };
	const fresh = await two.signIn();
	rotate([next]);
	assert.equal((await one.get('/x', [`Cookie: ${cookie}`])).status, 401);
	assert.equal((await one.get('/x', [`X-ZUMO-AUTH: ${token}`])).status, 401);
	assert.equal((await one.get('/x', [`Cookie: ${fresh}`])).status, 200);
	const userAfter = (
		await one.clientLogin({ id_token: await provider.sign({ sub: 'same' }) })
	).json() as { user: { userId: string } };
	assert.equal(userAfter.user.userId, userBefore.user.userId);
	writeFileSync(file, 'broken');
	one.gateway.reload();
	assert.equal((await one.get('/x', [`Cookie: ${fresh}`])).status, 200);
	assert.ok(
		one.audit.some((line) => line.includes('keys_reloaded') && line.includes('cannot be read')),
	);
	rotate([next]);
});

test(
	'while Redis is down requests are 503, open paths work, and all is well when it is back',
	skip,
	async () => {
		const cookie = await one.signIn();
		await redis.stop();
		for (const h of [one, two]) h.advance(60_000);
		const down = await one.navigate('/x', cookie);
		assert.equal(down.status, 503);
		assert.equal((down.json() as { code: string }).code, 'store_unavailable');
		assert.ok(down.header('retry-after'));
		assert.equal((await two.navigate('/.auth/me', cookie)).status, 503);
		assert.equal((await one.finish(await one.navigate('/.auth/login/corp'))).status, 503);
		assert.equal((await one.navigate('/health', cookie)).status, 200);
		const health = await one.get('/.auth/healthz');
		assert.equal(health.status, 200);
		assert.deepEqual(health.json(), { status: 'ok', store: 'unusable' });
		assert.ok(one.gateway.metrics.value('nearglot_gateway_store_errors_total') >= 1);
		await redis.run();
		await until(
			'the store is used again',
			async () => (await one.navigate('/x', cookie)).status === 200,
		);
	},
);
