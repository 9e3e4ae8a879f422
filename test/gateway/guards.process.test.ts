/** Settings that guard somebody: one that is misspelt, empty or cannot match stops the start. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit } from '../../server/gateway/access/rateLimit.ts';
import { parseNetwork } from '../../server/gateway/config/network.ts';
import { parseSettings } from '../../server/gateway/config/parseSettings.ts';
import { matchesPath } from '../../server/gateway/proxy/requestTarget.ts';
import { type Json, merge } from './support/harness.ts';

const github = {
	identityProviders: {
		gitHub: { registration: { clientId: 'c', clientSecretSettingName: 'SECRET' } },
	},
};
const parse = (change: Json, env: NodeJS.ProcessEnv = {}) =>
	parseSettings(merge(github, change), { SECRET: 's', ...env }, 8000);

test('switches of the environment are true or false however they are written, and nothing else', () => {
	const names = [
		'WEBSITE_AUTH_ENABLED',
		'WEBSITE_AUTH_DISABLE_WWWAUTHENTICATE',
		'WEBSITE_AUTH_PRESERVE_URL_FRAGMENT',
	];
	const read = (name: string, value: string) => {
		const { settings } = parse({}, { [name]: value });
		return [
			settings.enabled,
			settings.access.disableWwwAuthenticate,
			settings.login.preserveFragments,
		][names.indexOf(name)];
	};
	for (const name of names) {
		for (const value of ['true', 'True ', ' TRUE', 'true\n', '1', '1 '])
			assert.equal(read(name, value), true, JSON.stringify(value));
		for (const value of ['false', 'FALSE', '0', 'false\r\n'])
			assert.equal(read(name, value), false, JSON.stringify(value));
		for (const value of ['yes', 'on', 'enabled', '2', 'no', 'off', 'wahr', 'true1'])
			assert.throws(
				() => read(name, value),
				new RegExp(`${name}: must be true or false .*${value}`),
			);
	}
	assert.equal(read('WEBSITE_AUTH_ENABLED', ''), true);
	assert.equal(read('WEBSITE_AUTH_ENABLED', '  '), true);
});

test('a layer that signs nobody in says so', () => {
	for (const { warnings } of [
		parse({}, { WEBSITE_AUTH_ENABLED: 'false' }),
		parse({ platform: { enabled: false } }),
	])
		assert.match(JSON.stringify(warnings), /every request reaches the app/);
	assert.deepEqual(parse({}).warnings, []);
});

const provider = (change: Json): Json => ({ identityProviders: { gitHub: change } });
const directory = (validation: Json): Json => ({
	identityProviders: {
		azureActiveDirectory: {
			registration: { clientId: 'c', clientSecretSettingName: 'SECRET', openIdIssuer: 'https://i' },
			validation,
		},
	},
});

test('a guard with a misspelt key, or with nothing in it, is an error that names it', () => {
	const cases: readonly [Json, RegExp][] = [
		[
			provider({ 'x-allowedPrincipals': { identites: ['a'] } }),
			/x-allowedPrincipals\.identites: is not a known setting.*identities/,
		],
		[
			provider({ 'x-allowedPrincipals': { identities: [] } }),
			/x-allowedPrincipals\.identities: must not be empty/,
		],
		[
			provider({ 'x-allowedPrincipals': {} }),
			/x-allowedPrincipals: must hold one of groups, identities/,
		],
		[
			provider({ 'x-allowedPrincipal': { identities: ['a'] } }),
			/x-allowedPrincipal: is not a known/,
		],
		[provider({ allowedPrincipals: { identities: ['a'] } }), /gitHub\.allowedPrincipals/],
		[
			directory({ defaultAuthorizationPolicy: { allowedPrincipal: {} } }),
			/allowedPrincipal: is not/,
		],
		[directory({ jwtClaimChecks: { allowedGroup: ['g'] } }), /jwtClaimChecks\.allowedGroup/],
		[directory({ allowedGroups: ['g'] }), /validation\.allowedGroups/],
		[{ globalValidation: { unauthenticatedAction: 'Return401' } }, /unauthenticatedAction/],
		[{ login: { cookieExpiration: { timeToExpire: '00:05:00' } } }, /timeToExpire/],
		[{ encryptionSettings: { signingSecretName: 'X' } }, /signingSecretName/],
		[{ 'x-gateway': { closedPath: ['/admin/*'] } }, /x-gateway\.closedPath/],
		[{ 'x-gatway': { closedPaths: ['/admin/*'] } }, /x-gatway: is not a known/],
		[{ 'x-gateway': { tls: { cert: 'x' } } }, /tls\.cert/],
		// The form of an early version of the platform's interface.
		[
			{ globalValidation: { kind: 'x', properties: { requireAuthentication: true } } },
			/globalValidation\.properties/,
		],
		[{ properties: github, globalValidation: {} }, /globalValidation: stands beside properties/],
	];
	for (const [change, words] of cases) assert.throws(() => parse(change), words);
});

test('what the published form has and guards nobody is read without an error', () => {
	const { settings, warnings } = parse({
		id: '/subscriptions/x/resourceGroups/y',
		name: 'authsettingsV2',
		type: 'Microsoft.Web/sites/config',
		kind: 'app',
		location: 'West Europe',
		platform: { enabled: true, runtimeVersion: '~1' },
		identityProviders: {
			...(directory({
				jwtClaimChecks: {},
				allowedAudiences: [],
				defaultAuthorizationPolicy: { allowedPrincipals: {}, allowedApplications: [] },
			})['identityProviders'] as Json),
			apple: { enabled: false, registration: {}, login: {} },
			azureStaticWebApps: { enabled: false, registration: { clientId: 'x' } },
		},
		login: { tokenStore: { enabled: true, fileSystem: {} }, routes: {} },
	});
	assert.deepEqual(warnings, []);
	assert.deepEqual(settings.providers[0]!.allowed.identities, []);
});

test('closed paths that no request could match are errors, and a closed folder includes itself', () => {
	for (const path of [
		'admin/*',
		'admin',
		'/admin/',
		'/a//b',
		'/a%2fb',
		'/a;b',
		'/a/*/b',
		'/a b',
		'/a?b',
	]) {
		for (const key of ['closedPaths', 'stateChangingGets'])
			assert.throws(() => parse({ 'x-gateway': { [key]: [path] } }), new RegExp(key), path);
	}
	const { access } = parse({
		'x-gateway': { closedPaths: ['/Admin/*', '/a/b', '/c*', '/*'] },
	}).settings;
	assert.deepEqual(access.closedPaths, ['/admin/*', '/admin', '/a/b', '/c*', '/*']);
	assert.ok(matchesPath('/admin', access.closedPaths));
});

test('a network is an address and a whole number of bits', () => {
	for (const text of ['10.0.0.0/8', '192.168.1.1', 'fd00::/8', '::1', '0.0.0.0/0', '10.0.0.0/32'])
		assert.ok(parseNetwork(text), text);
	for (const text of [
		'10.0.0.0/',
		'10.0.0.0/8/9',
		'10.0.0.0/1e1',
		'10.0.0.0/33',
		'10.0.0.0/-1',
		'10.0.0.0/08',
		'10.0.0.0/ 8',
		'/8',
		'',
		'10.0.0/8',
		'fe80::1%eth0',
		'fd00::/129',
		'localhost',
	])
		assert.throws(() => parse({ 'x-gateway': { trustedProxies: [text] } }), /trustedProxies/, text);
});

test('settings with which every page leads to itself are refused', () => {
	const https = { publicUrl: 'https://team.example' };
	const standard = { forwardProxy: { convention: 'Standard' } };
	const loops: readonly Json[] = [
		{ 'x-gateway': https },
		{ 'x-gateway': { ...https, trustedHops: 1 } },
		{ 'x-gateway': https, httpSettings: standard },
		{ 'x-gateway': { ...https, trustedHops: 1, trustedProxies: [] }, httpSettings: standard },
	];
	for (const change of loops) assert.throws(() => parse(change), /requireHttps: would send every/);
	parse({ 'x-gateway': { ...https, trustedHops: 1 }, httpSettings: standard });
	parse({ 'x-gateway': { ...https, tls: { certFile: 'c', keyFile: 'k' } } });
	parse({ 'x-gateway': https, httpSettings: { requireHttps: false } });
	assert.match(
		JSON.stringify(parse({ httpSettings: { requireHttps: true } }).warnings),
		/requireHttps.*has no effect/,
	);
});

test('secrets of examples, blanks and one letter over and over are no secrets', () => {
	const own = { 'x-gateway': { upstreamSecret: { header: 'X-From', settingName: 'APP' } } };
	for (const value of [
		'replace-with-64-hex-digits',
		'aaaaaaaaaaaaaaaa',
		' '.repeat(20),
		`${'0123456789abcdef'}\n`,
	]) {
		assert.throws(() => parse({}, { NEARGLOT_GATEWAY_SECRET: value }), /NEARGLOT_GATEWAY_SECRET: /);
		assert.throws(() => parse(own, { APP: value }), /upstreamSecret: names APP, which/);
	}
	for (const name of ['WEBSITE_AUTH_SIGNING_KEY', 'NEARGLOT_USER_ID_KEY'])
		assert.throws(() => parse({}, { [name]: '0'.repeat(64) }), new RegExp(`${name} has fewer`));
});

test('of IPv6 a /64 is one caller', () => {
	const limit = new RateLimit(1, () => 1000);
	limit.add('2001:db8:1:2::1');
	for (const same of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::', '2001:db8:1:2:3:4:5:6'])
		assert.ok(limit.waitS(same) > 0, same);
	for (const other of ['2001:db8:1:3::1', '2001:db8::1', '::1', '192.0.2.1'])
		assert.equal(limit.waitS(other), 0, other);
});
