/** Attack rows 30 to 34: forwarding headers, hosts and HTTPS, on plain requests and on WebSocket upgrades. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseSettings } from '../../server/gateway/config/parseSettings.ts';
import { TrustedProxies } from '../../server/gateway/proxy/trustedProxies.ts';
import { bothWays } from './support/bothWays.ts';
import { FakeProvider } from './support/fakeProvider.ts';
import { baseConfig, browserHeaders, Harness, type Json, merge } from './support/harness.ts';

const provider = new FakeProvider();
const env = { CORP_SECRET: provider.clientSecret };
before(() => provider.listen());
after(() => provider[Symbol.asyncDispose]());

const standard = { httpSettings: { forwardProxy: { convention: 'Standard' } } };

test('row 30: forwarding headers of a peer that is not trusted count for nothing', async () => {
	await using h = await Harness.start({ config: standard });
	const headers = [
		'X-Forwarded-Host: evil.example',
		'X-Forwarded-Proto: http',
		'X-Forwarded-For: 6.6.6.6',
		'Forwarded: host=evil.example',
	];
	const begun = await h.get('/.auth/login/corp', [...browserHeaders, ...headers]);
	const redirectUri = new URL(begun.header('location')!).searchParams.get('redirect_uri');
	assert.equal(redirectUri, 'https://app.example/.auth/login/corp/callback');
	assert.match(begun.setCookies()[0]!, /^__Host-auth-n-\d=.*; Secure/);
	for (const { way, seen } of await bothWays(h, { target: '/health', headers })) {
		assert.deepEqual(seen!.values('x-forwarded-host'), ['app.example'], way);
		assert.deepEqual(seen!.values('x-forwarded-for'), ['127.0.0.1'], way);
		assert.deepEqual(seen!.values('forwarded'), [], way);
	}
});

test('row 31: an empty list of trusted proxies trusts nobody', async () => {
	await using h = await Harness.start({
		config: {
			httpSettings: { forwardProxy: { convention: 'Standard' } },
			'x-gateway': { trustedProxies: [] },
		},
	});
	for (const { way, answer } of await bothWays(h, {
		target: '/health',
		host: 'evil.example',
		headers: ['X-Forwarded-Host: app.example'],
	}))
		assert.equal(answer.status, 421, way);
});

test('row 32: another Host is 421 and no address is ever built from it', async () => {
	await using h = await Harness.start();
	for (const host of [
		'evil.example',
		'app.example.evil',
		'app.example:444',
		'evil@app.example',
		'',
	]) {
		for (const { way, answer, seen } of await bothWays(h, { target: '/health', host })) {
			assert.equal(seen, undefined, way);
			assert.ok([421, 400].includes(answer.status), `${way} ${host}: ${answer.status}`);
			assert.ok(!`${answer.header('location') ?? ''}`.includes('evil'));
		}
	}
	assert.equal((await h.call({ target: '/health', host: 'APP.example' })).status, 200);
});

test('row 33: of several forwarded hosts only the one of the last trusted hop counts', async () => {
	await using h = await Harness.start({
		config: { ...standard, 'x-gateway': { trustedProxies: ['127.0.0.1'] } },
	});
	const good = ['X-Forwarded-Host: evil.example, app.example', 'X-Forwarded-For: 6.6.6.6, 9.9.9.9'];
	for (const { way, answer, seen } of await bothWays(h, {
		target: '/health',
		host: 'inner',
		headers: good,
	})) {
		assert.equal(answer.status, way === 'plain' ? 200 : 101);
		assert.deepEqual(seen!.values('x-forwarded-for'), ['9.9.9.9, 127.0.0.1'], way);
	}
	for (const headers of [
		['X-Forwarded-Host: app.example, evil.example'],
		['X-Forwarded-Host: app.example', 'X-Forwarded-Host: evil.example'],
	]) {
		for (const { way, answer, seen } of await bothWays(h, {
			target: '/health',
			host: 'inner',
			headers,
		})) {
			assert.equal(seen, undefined, way);
			assert.equal(answer.status, 421, way);
		}
	}
});

test('row 34: plain HTTP goes to the configured HTTPS address, and what could do harm is refused', async () => {
	const standard = { requireHttps: true, forwardProxy: { convention: 'Standard' } };
	await using h = await Harness.start({
		config: { httpSettings: standard, 'x-gateway': { trustedProxies: ['192.0.2.1'] } },
	});
	const get = await h.get('/x?y=1');
	assert.equal(get.status, 301);
	assert.equal(get.header('location'), 'https://app.example/x?y=1');
	assert.equal((await h.call({ method: 'POST', target: '/x', body: 'a' })).status, 403);
	assert.equal((await h.get('/.auth/login/corp', browserHeaders)).status, 301);
	assert.equal((await h.get('/.auth/healthz')).status, 200);
	assert.equal(h.app.seen.length, 0);
	await using fronted = await Harness.start({
		config: {
			httpSettings: standard,
			'x-gateway': { trustedProxies: ['127.0.0.0/8'] },
		},
	});
	assert.equal((await fronted.get('/health', ['X-Forwarded-Proto: https'])).status, 200);
	assert.equal((await fronted.get('/health', ['X-Forwarded-Proto: https, http'])).status, 301);
});

const behind = (trustedHops: number, more: object = {}) => ({
	...standard,
	'x-gateway': { trustedHops, trustedProxies: ['127.0.0.0/8'], ...more },
});

test('as many of the last addresses count as there are proxies, whatever the client wrote before them', () => {
	const read = (hops: number, ...lines: string[]) => {
		const raw = lines.flatMap((line) => ['X-Forwarded-For', line]);
		const { settings } = parseSettings(merge(baseConfig(provider), behind(hops)), env, 8000);
		return new TrustedProxies(hops, ['127.0.0.0/8']).read(raw, '127.0.0.1', settings).clientIp;
	};
	// The proxy and the client are both in 10/8: networks cannot tell one from the other.
	assert.equal(read(1, '203.0.113.7, 10.1.2.3'), '10.1.2.3');
	assert.equal(read(1, '203.0.113.7', '10.1.2.3'), '10.1.2.3');
	assert.equal(read(2, '6.6.6.6, 203.0.113.7, 10.0.0.1'), '203.0.113.7');
	assert.equal(read(3, '203.0.113.7, 10.0.0.1'), '203.0.113.7', 'fewer than there are proxies');
	assert.equal(read(0, '203.0.113.7'), '127.0.0.1');
	assert.equal(read(1), '127.0.0.1');
	// Ports and brackets as proxies write them, one spelling for one address.
	assert.equal(read(1, '203.0.113.7:51234'), '203.0.113.7');
	assert.equal(read(1, '[2001:DB8:0:0::1]:443'), '2001:db8::1');
	assert.equal(read(1, '2001:db8::0001'), '2001:db8::1');
	assert.equal(read(1, '::ffff:203.0.113.7'), '203.0.113.7');
	for (const odd of [
		'unknown',
		'_hidden',
		'<script>not an ip</script>',
		'203.0.113.256',
		'203.0.113.7.',
		'[203.0.113.7]',
		'2130706433',
		'0x7f.1',
		'localhost',
		'203.0.113.7 x',
		'"203.0.113.7"',
		'::1::',
	]) {
		assert.equal(read(1, odd), '127.0.0.1', odd);
		assert.equal(read(2, `6.6.6.6, ${odd}`), '127.0.0.1', `${odd} breaks the chain`);
		assert.equal(read(2, `${odd}, 10.0.0.1`), '10.0.0.1', `${odd} before a proxy`);
	}
});

test('an invented address reaches neither the rate limit nor the audit log nor the app', async () => {
	await using h = await Harness.start({ config: behind(1, { failuresPerMinute: 5 }) });
	const statuses: number[] = [];
	for (let round = 1; round <= 20; round++) {
		const invented = round % 2 === 0 ? `203.0.113.${round}` : '<script>not an ip';
		const answer = await h.clientLogin({ id_token: 'bad' }, 'corp', [
			'X-Forwarded-Host: app.example',
			`X-Forwarded-For: ${invented}`,
			'X-Forwarded-For: 10.1.2.3',
		]);
		statuses.push(answer.status);
	}
	assert.ok(
		statuses.slice(5).every((status) => status === 429),
		statuses.join(' '),
	);
	const said = h.audit.map((line) => (JSON.parse(line) as { clientIp?: string }).clientIp);
	assert.deepEqual([...new Set(said.filter((ip) => ip !== undefined))], ['10.1.2.3']);
	const answer = await h.get('/health', [
		'X-Forwarded-For: 203.0.113.9, 10.1.2.3:4711',
		'X-Forwarded-Host: app.example',
	]);
	assert.equal(answer.status, 200);
	assert.deepEqual(h.app.last.values('x-forwarded-for'), ['10.1.2.3, 127.0.0.1']);
});

test('without a number of proxies an old list stands for one, and says so; one alone trusts any peer', () => {
	const parse = (own: object) =>
		parseSettings(merge(baseConfig(provider), { 'x-gateway': own as Json }), env, 8000);
	const old = parse({ trustedProxies: ['10.0.0.0/8'] });
	assert.equal(old.settings.forwardProxy.trustedHops, 1);
	assert.match(
		old.warnings.find(({ path }) => path === 'x-gateway.trustedProxies')?.message ?? '',
		/trustedHops/,
	);
	const { settings, warnings } = parse({ trustedHops: 2, trustedProxies: ['10.0.0.0/8'] });
	assert.equal(settings.forwardProxy.trustedHops, 2);
	assert.deepEqual(warnings, []);
	assert.equal(new TrustedProxies(1, undefined).has('192.0.2.1'), true);
	assert.equal(new TrustedProxies(1, []).has('127.0.0.1'), false);
	assert.equal(new TrustedProxies(0, ['127.0.0.1']).has('127.0.0.1'), false);
	assert.equal(new TrustedProxies(1, ['127.0.0.1']).has('::ffff:127.0.0.1'), true);
});
