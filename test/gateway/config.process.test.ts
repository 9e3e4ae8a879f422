/** The settings file: the published form, what is refused, and the command line around it. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CommandIo, UsageError } from '../../server/cli/command.ts';
import { gatewayCommand } from '../../server/cli/gatewayCommand.ts';
import { checkSchema } from '../../server/gateway/config/checkSchema.ts';
import { parseDurationMs } from '../../server/gateway/config/duration.ts';
import { parseSettings } from '../../server/gateway/config/parseSettings.ts';
import { authFile, authSchema } from '../../server/gateway/config/schema.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { TestApp } from './support/app.ts';
import { type Json, merge } from './support/harness.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const env = { SECRET: 's' };
const github = {
	identityProviders: {
		gitHub: { registration: { clientId: 'c', clientSecretSettingName: 'SECRET' } },
	},
};
const parse = (file: Json, extra: NodeJS.ProcessEnv = {}) =>
	parseSettings(file, { ...env, ...extra }, 8000);

/** The file form as it is published, with every section. */
const published: Json = {
	platform: { enabled: true, runtimeVersion: '~1', configFilePath: '/auth.json' },
	globalValidation: {
		unauthenticatedClientAction: 'RedirectToLoginPage',
		redirectToProvider: 'azureactivedirectory',
		excludedPaths: ['/health', '/static/*'],
	},
	httpSettings: {
		requireHttps: true,
		routes: { apiPrefix: '/.auth' },
		forwardProxy: {
			convention: 'Custom',
			customHostHeaderName: 'X-Host',
			customProtoHeaderName: 'X-Proto',
		},
	},
	login: {
		routes: { logoutEndpoint: '/signout' },
		tokenStore: {
			enabled: true,
			tokenRefreshExtensionHours: 24,
			fileSystem: { directory: '/data' },
		},
		preserveUrlFragmentsForLogins: true,
		allowedExternalRedirectUrls: ['https://spa.example', 'app://easyauth.callback'],
		cookieExpiration: { convention: 'FixedTime', timeToExpiration: '1.02:03:04' },
		nonce: { validateNonce: true, nonceExpirationInterval: '00:10:00' },
	},
	identityProviders: {
		azureActiveDirectory: {
			enabled: true,
			isAutoProvisioned: false,
			registration: {
				openIdIssuer: 'https://login.microsoftonline.com/0/v2.0/',
				clientId: 'aad-c',
				clientSecretSettingName: 'SECRET',
			},
			login: { loginParameters: ['domain_hint=x'], disableWWWAuthenticate: true },
			validation: {
				jwtClaimChecks: { allowedGroups: ['g1'], allowedClientApplications: ['app1'] },
				allowedAudiences: ['api://x'],
				defaultAuthorizationPolicy: {
					allowedPrincipals: { groups: ['g2'], identities: ['i1'] },
					allowedApplications: ['app2'],
				},
			},
		},
		facebook: {
			registration: { appId: 'f', appSecretSettingName: 'SECRET' },
			graphApiVersion: 'v20.0',
			login: { scopes: ['email'] },
		},
		...(github.identityProviders as Json),
		google: {
			registration: { clientId: 'g', clientSecretSettingName: 'SECRET' },
			login: { scopes: ['openid'] },
			validation: { allowedAudiences: ['android'] },
		},
		twitter: { enabled: false },
		openIdConnectProviders: {
			Corp: {
				registration: {
					clientId: 'o',
					clientCredential: { method: 'ClientSecretPost', clientSecretSettingName: 'SECRET' },
					openIdConnectConfiguration: {
						authorizationEndpoint: 'https://op/a',
						tokenEndpoint: 'https://op/t',
						issuer: 'https://op',
						certificationUri: 'https://op/k',
					},
				},
				login: { nameClaimType: 'nick', scopes: ['openid'], loginParameterNames: ['tenant'] },
			},
		},
	},
	'x-gateway': {
		publicUrl: 'https://team.example',
		trustedHops: 1,
		trustedProxies: ['10.0.0.0/8', 'fd00::/8', '192.168.1.1'],
	},
};

test('the published settings form is read unchanged, also under properties', () => {
	for (const file of [published, { properties: published }]) {
		const { settings, warnings } = parse(file);
		assert.deepEqual(warnings, []);
		assert.deepEqual(
			settings.providers.map((row) => row.name),
			['aad', 'google', 'facebook', 'github', 'corp'],
		);
		assert.equal(settings.access.redirectToProvider, 'aad');
		assert.equal(settings.access.disableWwwAuthenticate, true);
		assert.equal(settings.login.sessionMs, ((26 * 60 + 3) * 60 + 4) * 1000);
		assert.equal(settings.login.nonceMs, 600_000);
		assert.equal(settings.login.refreshWindowMs, 24 * 3_600_000);
		assert.equal(settings.login.logoutPath, '/signout');
		assert.equal(settings.forwardProxy.hostHeader, 'X-Host');
		assert.deepEqual(settings.store, { kind: 'sqlite', path: '/data/sessions.db' });
		const aad = settings.providers[0]!;
		assert.deepEqual(aad.allowed, {
			groups: ['g1', 'g2'],
			identities: ['i1'],
			applications: ['app1', 'app2'],
		});
		assert.equal(aad.clientSecret, 's');
		assert.equal(settings.providers[2]!.endpoints.userInfo, 'https://graph.facebook.com/v20.0/me');
		assert.equal(settings.providers[4]!.nameClaimType, 'nick');
	}
});

test('defaults are safe: redirect to login, HTTPS, nobody trusted, 8 hours, 72 hours, 5 minutes', () => {
	const { settings } = parse(
		merge(github, {
			'x-gateway': { publicUrl: 'https://t.example', tls: { certFile: 'c', keyFile: 'k' } },
		}),
	);
	assert.equal(settings.access.action, 'RedirectToLoginPage');
	assert.equal(settings.requireHttps, true);
	assert.equal(settings.forwardProxy.trustedHops, 0);
	assert.equal(settings.login.cookieName, '__Host-AppServiceAuthSession');
	assert.equal(settings.login.sessionMs, 8 * 3_600_000);
	assert.equal(settings.login.refreshWindowMs, 72 * 3_600_000);
	assert.equal(settings.login.nonceMs, 300_000);
	assert.equal(settings.headers.vendor, 'MS');
	assert.equal(settings.headers.forwardRefreshTokens, false);
});

test('environment variables of the published interface override the file', () => {
	const key = '0123456789abcdef'.repeat(4);
	const { settings } = parse(github, {
		WEBSITE_AUTH_SIGNING_KEY: key,
		WEBSITE_AUTH_ENCRYPTION_KEY: key,
		WEBSITE_AUTH_UNAUTHENTICATED_ACTION: 'Return403',
		WEBSITE_AUTH_DISABLE_WWWAUTHENTICATE: 'true',
		WEBSITE_AUTH_PRESERVE_URL_FRAGMENT: '1',
		WEBSITE_AUTH_ENABLED: 'false',
		WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES: 'a b',
	});
	assert.equal(settings.keys.signingKey, key);
	assert.equal(settings.access.action, 'Return403');
	assert.equal(settings.access.disableWwwAuthenticate, true);
	assert.equal(settings.login.preserveFragments, true);
	assert.equal(settings.enabled, false);
	assert.deepEqual(settings.resourceScopes, ['a', 'b']);
});

const refused: readonly [string, Json, RegExp][] = [
	[
		'a wrong action',
		{ globalValidation: { unauthenticatedClientAction: 'Redirect' } },
		/must be one of RedirectToLoginPage/,
	],
	[
		'a number for a flag',
		{ platform: { enabled: 'yes' } },
		/platform\.enabled: must be of type boolean, is a string/,
	],
	[
		'an unknown provider to redirect to',
		{ globalValidation: { redirectToProvider: 'google' } },
		/'google' is not an enabled provider \(github\)/,
	],
	[
		'a pattern in an excluded path',
		{ globalValidation: { excludedPaths: ['/a/*/b'] } },
		/excludedPaths/,
	],
	[
		'an excluded path without a slash',
		{ globalValidation: { excludedPaths: ['health'] } },
		/excludedPaths/,
	],
	[
		'a bad duration',
		{ login: { cookieExpiration: { timeToExpiration: '8h' } } },
		/timeToExpiration/,
	],
	[
		'a day of 24 hours beside days',
		{ login: { cookieExpiration: { timeToExpiration: '1.24:00:00' } } },
		/timeToExpiration: must be \[days\.\]hh:mm:ss with at most 23 hours/,
	],
	[
		'a fraction of a port',
		{ 'x-gateway': { adminPort: 1.5 } },
		/adminPort: must be of type integer, is a number\./,
	],
	[
		'a port that is none',
		{ 'x-gateway': { adminPort: 65_536 } },
		/adminPort: must be 0 to 65535, is 65536\./,
	],
	[
		'a misspelt guard',
		{ 'x-gateway': { closedPath: ['/a'] } },
		/closedPath: is not a known setting\. Correct or remove it; known here: publicUrl, /,
	],
	['an empty name', { 'x-gateway': { keysFile: '' } }, /keysFile: must not be empty\./],
	[
		'a word with spaces',
		{ 'x-gateway': { vendor: 'a b' } },
		/vendor: must match \^\[A-Za-z0-9\]\{1,16\}\$, is 'a b'\./,
	],
	[
		'a session of no length',
		{ login: { cookieExpiration: { timeToExpiration: '00:00:00' } } },
		/at least one second/,
	],
	[
		'a script as redirect',
		{ login: { allowedExternalRedirectUrls: ['javascript://x/y'] } },
		/allowedExternalRedirectUrls/,
	],
	[
		'a redirect with a query',
		{ login: { allowedExternalRedirectUrls: ['https://x/y?z'] } },
		/allowedExternalRedirectUrls/,
	],
	[
		'a blob store',
		{ login: { tokenStore: { azureBlobStorage: { sasUrlSettingName: 'X' } } } },
		/not supported; use x-gateway\.store/,
	],
	[
		'a certificate instead of a secret',
		{
			identityProviders: {
				azureActiveDirectory: {
					registration: {
						clientId: 'x',
						openIdIssuer: 'https://i',
						clientSecretCertificateThumbprint: 'a',
						clientSecretSettingName: 'SECRET',
					},
				},
			},
		},
		/certificates are not supported/,
	],
	[
		'static web apps',
		{ identityProviders: { azureStaticWebApps: { enabled: true } } },
		/azureStaticWebApps.*not supported/s,
	],
	[
		'a missing secret',
		{
			identityProviders: {
				google: { registration: { clientId: 'x', clientSecretSettingName: 'NOPE' } },
			},
		},
		/environment variable NOPE is not set/,
	],
	[
		'a custom provider without addresses',
		{
			identityProviders: {
				customOpenIdConnectProviders: { c: { registration: { clientId: 'x' } } },
			},
		},
		/wellKnownOpenIdConfiguration/,
	],
	[
		'a custom provider with a built-in name',
		{
			identityProviders: {
				customOpenIdConnectProviders: {
					github: {
						registration: {
							clientId: 'x',
							openIdConnectConfiguration: { wellKnownOpenIdConfiguration: 'https://x' },
						},
					},
				},
			},
		},
		/built-in names/,
	],
	['plain HTTP for others', { 'x-gateway': { publicUrl: 'http://team.example' } }, /must be https/],
	[
		'a public address with a path',
		{ 'x-gateway': { publicUrl: 'https://team.example/app' } },
		/without path/,
	],
	['a bad network', { 'x-gateway': { trustedProxies: ['10.0.0.0/64'] } }, /trustedProxies/],
	['replicas with sqlite', { 'x-gateway': { replicas: 2 } }, /need the redis store/],
	['redis without an address', { 'x-gateway': { store: { kind: 'redis' } } }, /redis needs url/],
	['half a certificate', { 'x-gateway': { tls: { certFile: 'x' } } }, /both certFile and keyFile/],
	['a host cookie without HTTPS', { 'x-gateway': { cookieName: '__Host-auth' } }, /__Host-/],
	[
		'a protocol parameter in the login',
		{
			identityProviders: {
				azureActiveDirectory: {
					registration: {
						clientId: 'x',
						openIdIssuer: 'https://i',
						clientSecretSettingName: 'SECRET',
					},
					login: { loginParameters: ['redirect_uri=https://evil'] },
				},
			},
		},
		/no parameter of the protocol/,
	],
	[
		'a broken upstream secret',
		{ 'x-gateway': { upstreamSecret: { header: 'X-A' } } },
		/upstreamSecret/,
	],
];
for (const [name, change, words] of refused) {
	test(`settings with ${name} are refused in words`, () => {
		assert.throws(() => parse(merge(github, change)), words);
	});
}

test('all mistakes are named at once, and unknown keys that guard nobody are warnings', () => {
	assert.throws(
		() =>
			parse(
				merge(github, {
					'x-gateway': { replicas: 2, trustedProxies: ['x'] },
					globalValidation: { redirectToProvider: 'nobody' },
				}),
			),
		(error: Error) =>
			['x-gateway.store', 'trustedProxies', 'redirectToProvider'].every((part) =>
				error.message.includes(part),
			),
	);
	assert.throws(() => parseSettings({ identityProviders: {} }, {}, 1), /nobody could sign in/);
	assert.throws(() => parse(github, { WEBSITE_AUTH_SIGNING_KEY: 'short' }), /64 hexadecimal/);
	const { warnings } = parse(merge(github, { platform: { appServiceVersion: '2' } }));
	assert.deepEqual(
		warnings.map((row) => row.path),
		['platform.appServiceVersion'],
	);
});

test('the example and the schema in deploy/ are the ones of this version', () => {
	assert.deepEqual(
		JSON.parse(readFileSync(join(root, 'deploy', 'auth.schema.json'), 'utf8')),
		authSchema(),
	);
	const example = JSON.parse(readFileSync(join(root, 'deploy', 'auth.json'), 'utf8')) as Json;
	const { errors, warnings } = checkSchema(example, authFile);
	assert.deepEqual({ errors, warnings }, { errors: [], warnings: [] });
});

test('durations are read as the settings file spells them', () => {
	assert.equal(parseDurationMs('08:00:00'), 8 * 3_600_000);
	assert.equal(parseDurationMs('3.00:00:00'), 72 * 3_600_000);
	assert.equal(parseDurationMs('72:00:00'), 72 * 3_600_000);
	for (const bad of ['8', '8h', '00:60:00', '1.24:00:00', '-01:00:00', ''])
		assert.equal(parseDurationMs(bad), undefined, bad);
});

const folder = temporaryFolder('gateway-cli');

/** Runs the command in a process of its own, as a terminal does. */
function command(args: readonly string[], extra: NodeJS.ProcessEnv = {}) {
	const script = `import { runCommand } from ${JSON.stringify(join(root, 'server', 'cli', 'command.ts'))}; void runCommand({ gateway: async () => (await import(${JSON.stringify(join(root, 'server', 'cli', 'gatewayCommand.ts'))})).gatewayCommand }, process.argv.slice(1));`;
	const child = spawn(
		process.execPath,
		[
			'--disable-warning=ExperimentalWarning',
			'--input-type=module',
			'-e',
			script,
			'--',
			'gateway',
			...args,
		],
		{
			env: { ...process.env, SECRET: 's', NEARGLOT_HOME: join(folder, 'home'), ...extra },
			stdio: ['ignore', 'pipe', 'pipe'],
		},
	);
	const text = { out: '', err: '' };
	child.stdout.on('data', (chunk: Buffer) => {
		text.out += chunk.toString();
	});
	child.stderr.on('data', (chunk: Buffer) => {
		text.err += chunk.toString();
	});
	return { child, text, end: once(child, 'close').then(([code]) => code as number) };
}

/** Runs the command inside this process; what it throws is the answer of a wrong use. */
async function inside(
	args: readonly string[],
	extra: NodeJS.ProcessEnv = {},
): Promise<{ code: number; out: string; err: string }> {
	const text = { out: '', err: '' };
	const stream = (key: 'out' | 'err') => {
		const write = (chunk: string) => {
			text[key] += chunk;
			return true;
		};
		return { write, data: write };
	};
	const io = {
		stdin: process.stdin,
		stdout: stream('out'),
		stderr: stream('err'),
		env: { SECRET: 's', ...extra },
		signal: new AbortController().signal,
	};
	try {
		return { code: await gatewayCommand.run(args, io as unknown as CommandIo), ...text };
	} catch (error) {
		assert.ok(error instanceof Error);
		return { code: error instanceof UsageError ? 2 : 1, ...text, err: text.err + error.message };
	}
}

test('--check says what is wrong or how the settings are understood, with exit codes', async () => {
	const file = join(folder, 'auth.json');
	writeFileSync(file, JSON.stringify(github));
	const good = await inside(['--config', file, '--check']);
	assert.equal(good.code, 0, good.err);
	assert.match(good.out, /can be used[\s\S]*providers +github/);
	const json = await inside(['--config', file, '--check', '--json']);
	assert.deepEqual(JSON.parse(json.out).providers, ['github']);
	assert.deepEqual(JSON.parse((await inside(['--schema'])).out), authSchema());
	const broken = join(folder, 'broken.json');
	writeFileSync(broken, '{');
	const list = join(folder, 'list.json');
	writeFileSync(list, '[]');
	const runs: [string[], number, RegExp][] = [
		[['--config', join(folder, 'none.json'), '--check'], 1, /cannot be read/],
		[['--config', broken, '--check'], 1, /is not JSON/],
		[['--config', list, '--check'], 1, /must hold a JSON object/],
		[['--config', file], 2, /--upstream is needed/],
		[[], 2, /--config is needed/],
		[['--config', file, '--upstream', 'ftp://x', '--check'], 1, /--upstream must be/],
		[['--config', file, '--upstream', 'http://x/path', '--check'], 1, /--upstream must be/],
		[['--config', file, '--port', 'x'], 2, /--port takes a number from 0 to 65535, not 'x'/],
		[['--config', file, '--drain', '-5'], 2, /--drain takes a number from 0 to 86400, not '-5'/],
		[['--config', file, 'more'], 2, /takes no argument 'more'/],
		[['--schema', '--check'], 2, /--check does not go with --schema/],
		[['--nonsense'], 2, /--nonsense/],
	];
	for (const [args, code, words] of runs) {
		const run = await inside(args);
		assert.equal(run.code, code, args.join(' '));
		assert.match(run.err, words);
	}
	const bad = command(['--config', file, '--check'], { SECRET: '' });
	assert.equal(await bad.end, 1);
	assert.match(bad.text.err, /SECRET is not set/);
	assert.ok(!bad.text.err.includes('    at '));
});

test('the command serves, reads its keys again on SIGHUP, and ends on SIGTERM', {
	skip: process.platform === 'win32' && 'no signals on Windows',
}, async () => {
	await using app = new TestApp();
	await app.listen();
	const file = join(folder, 'serve.json');
	writeFileSync(
		file,
		JSON.stringify(
			merge(github, {
				'x-gateway': {
					publicUrl: 'http://localhost:8000',
					allowedHosts: ['127.0.0.1'],
					store: { path: 'data/s.db' },
				},
				globalValidation: { excludedPaths: ['/health'] },
			}),
		),
	);
	const run = command(['--config', file, '--upstream', app.url, '--port', '0', '--json']);
	await until('the gateway has said its address', () => {
		assert.equal(run.child.exitCode, null, run.text.err);
		return run.text.out.includes('\n');
	});
	const { url, pid } = JSON.parse(run.text.out) as { url: string; pid: number };
	assert.equal(pid, run.child.pid);
	const { rawCall } = await import('./support/rawHttp.ts');
	const port = Number(new URL(url).port);
	assert.equal((await rawCall(port, { target: '/health', host: 'localhost:8000' })).status, 200);
	for (const name of ['gateway-keys.json', join('data', 's.db')])
		assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
	run.child.kill('SIGHUP');
	await until('the keys are read again', () => run.text.err.includes('keys_reloaded'));
	const taken = command(['--config', file, '--upstream', app.url, '--port', String(port)]);
	assert.equal(await taken.end, 1);
	assert.match(taken.text.err, /in use/);
	run.child.kill('SIGTERM');
	assert.equal(await run.end, 0);
	assert.ok(run.text.err.includes('"event":"stopped"'));
});

test('the key of a model server is sent nowhere: it signs, and a warning says what to set', () => {
	const upstreamSecret = { header: 'X-Api-Key', settingName: 'NEARGLOT_KEY' };
	const settingsOf = (env: NodeJS.ProcessEnv, own: Json = { upstreamSecret }) =>
		parse(merge(github, { 'x-gateway': own }), env);
	const key = 'key of the owner';
	const older = settingsOf({ NEARGLOT_KEY: key });
	assert.equal(older.settings.headers.upstreamSecret, undefined);
	assert.equal(older.settings.headers.personSecret, key);
	assert.match(JSON.stringify(older.warnings), /NEARGLOT_GATEWAY_SECRET/);
	const both = settingsOf({ NEARGLOT_KEY: key, NEARGLOT_GATEWAY_SECRET: 'secret of both sides' });
	assert.equal(both.settings.headers.personSecret, 'secret of both sides');
	const plain = settingsOf({ NEARGLOT_GATEWAY_SECRET: 'secret of both sides' }, {});
	assert.equal(plain.settings.headers.personSecret, 'secret of both sides');
	assert.ok(!JSON.stringify(plain.warnings).includes('upstreamSecret'));
	assert.equal(settingsOf({}, {}).settings.headers.personSecret, undefined);
});

test('a secret between the layer and the app that could be guessed or cannot be sent is an error', () => {
	const named = { upstreamSecret: { header: 'X-From', settingName: 'APP_SECRET' } };
	const keyed = { upstreamSecret: { header: 'X-From', settingName: 'NEARGLOT_KEY' } };
	for (const [own, env, words] of [
		[{}, { NEARGLOT_GATEWAY_SECRET: 'short' }, /NEARGLOT_GATEWAY_SECRET.*16 characters/],
		[{}, { NEARGLOT_GATEWAY_SECRET: ' '.repeat(64) }, /NEARGLOT_GATEWAY_SECRET.*is blank/],
		[named, { APP_SECRET: 'a'.repeat(15) }, /upstreamSecret: names APP_SECRET.*16 characters/],
		[named, { APP_SECRET: `Bearer ${'a'.repeat(15)}` }, /APP_SECRET.*16 characters/],
		[named, { APP_SECRET: `secret\nX-Other: of the app` }, /APP_SECRET.*end of a line/],
		[named, { APP_SECRET: 'ключ от приложения' }, /APP_SECRET.*no header can carry/],
		[keyed, { NEARGLOT_KEY: 'short' }, /NEARGLOT_KEY.*16 characters/],
	] as const)
		assert.throws(() => parse(merge(github, { 'x-gateway': own }), env), words);
	const { settings } = parse(merge(github, { 'x-gateway': named }), {
		APP_SECRET: 'abcdefghijklmnop',
	});
	assert.equal(settings.headers.upstreamSecret?.value, 'abcdefghijklmnop');
});

test('--check fails for a secret that could be guessed, and says which', async () => {
	const file = join(folder, 'weak.json');
	writeFileSync(file, JSON.stringify(github));
	const run = command(['--config', file, '--check'], { NEARGLOT_GATEWAY_SECRET: 'short' });
	assert.equal(await run.end, 1);
	assert.match(run.text.err, /NEARGLOT_GATEWAY_SECRET: must have 16 characters/);
});
