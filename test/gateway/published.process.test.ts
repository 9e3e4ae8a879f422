/** Details of the published interface: relative addresses, ways back from a sign-out, named keys, HTTPS only. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRedirect } from '../../server/gateway/access/redirects.ts';
import { parseSettings } from '../../server/gateway/config/parseSettings.ts';
import { baseConfig, Harness, merge, pair } from './support/harness.ts';

/** Settings are read without asking it. */
const nobody = { issuer: 'https://corp.example', clientId: 'app' };

test('an address without a slash is a path of this host', async () => {
	const { settings } = parseSettings(baseConfig(nobody), { CORP_SECRET: 'x' }, 8000);
	for (const [value, path] of [
		['ok', '/ok'],
		['a/b?x=1#y', '/a/b?x=1#y'],
		['?tab=2', '/?tab=2'],
		['evil.com', '/evil.com'],
		['@evil.com', '/@evil.com'],
		['a/b:c', '/a/b:c'],
	] as const)
		assert.deepEqual(checkRedirect(value, settings), { kind: 'local', value: path }, value);
	for (const value of ['%2f%2fevil.com', '%5cevil.com', 'evil.com:80/x', 'javascript:x', ' x'])
		assert.equal(checkRedirect(value, settings).kind, 'refused', value);
});

test('a sign-out ends where it was asked to, also when the provider forgets the state', async () => {
	await using h = await Harness.start();
	const cookie = await h.signIn();
	const out = await h.navigate('/.auth/logout?post_logout_redirect_uri=/bye', cookie);
	assert.equal(out.status, 302);
	assert.match(out.header('location') ?? '', /^http:\/\/127\.0\.0\.1/);
	const kept = out
		.setCookies()
		.map(pair)
		.filter((text) => !text.endsWith('='));
	assert.equal(kept.length, 1, 'the way back is kept in one cookie');
	const back = await h.navigate('/.auth/logout/done', kept.join('; '));
	assert.equal(back.header('location'), '/bye');
	const used = back.setCookies().find((line) => line.startsWith('auth-n-out='));
	assert.match(used ?? '', /Max-Age=0/);
	// Nothing that was not sealed here leads anywhere.
	const forged = await h.navigate('/.auth/logout/done', 'auth-n-out=/evil');
	assert.equal(forged.status, 200);
});

test('keys that are named and not set stop the start', () => {
	const key = '0123456789abcdef'.repeat(4);
	const named = merge(baseConfig(nobody), {
		encryptionSettings: {
			containerAppAuthSigningSecretName: 'MY_SIGNING',
			containerAppAuthEncryptionSecretName: 'MY_ENCRYPTION',
		},
	});
	const parse = (file: object, env: NodeJS.ProcessEnv) =>
		parseSettings(file, { CORP_SECRET: 'x', ...env }, 8000).settings;
	assert.throws(
		() => parse(named, {}),
		/containerAppAuthSigningSecretName: .*MY_SIGNING, which is not set[\s\S]*MY_ENCRYPTION/,
	);
	assert.throws(() => parse(named, { MY_SIGNING: key }), /MY_ENCRYPTION/);
	assert.equal(parse(named, { MY_SIGNING: key, MY_ENCRYPTION: key }).keys.signingKey, key);
	const user = merge(baseConfig(nobody), {
		'x-gateway': { userIdKeySettingName: 'MY_IDS' },
	});
	assert.throws(() => parse(user, {}), /userIdKeySettingName: .*MY_IDS/);
	// One of the two alone would silently sign with a key of its own making.
	const alone = { WEBSITE_AUTH_SIGNING_KEY: key };
	assert.throws(() => parse(baseConfig(nobody), alone), /go together/);
});

test('browsers are told to use HTTPS only, where the address is https', async () => {
	await using h = await Harness.start();
	for (const target of ['/.auth/login', '/public/x', '/.auth/me'])
		assert.match((await h.get(target)).header('strict-transport-security') ?? '', /max-age=\d/);
	await using plain = await Harness.start({
		config: { 'x-gateway': { publicUrl: 'http://localhost:8000' } },
	});
	const answer = await plain.call({ target: '/.auth/me', host: 'localhost:8000' });
	assert.equal(answer.status, 200);
	assert.equal(answer.header('strict-transport-security'), undefined);
});
