/** Attack rows 35 to 42: where a login or logout may end. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkRedirect } from '../../server/gateway/access/redirects.ts';
import { parseSettings } from '../../server/gateway/config/parseSettings.ts';
import { baseConfig, Harness } from './support/harness.ts';

let h: Harness;
before(async () => {
	h = await Harness.start();
});
after(() => h[Symbol.asyncDispose]());

const hostile = [
	'//evil.com',
	'https://evil.com',
	'http://app.example/',
	'/\\evil.com',
	'/\\/evil.com',
	'/\t/evil.com',
	'/ /evil.com',
	'/\n/evil.com',
	'https:evil.com',
	'https:/evil.com',
	'javascript:alert(1)',
	'JaVaScRiPt:alert(1)',
	'data:text/html,x',
	'https://app.example@evil.com',
	'https://app.example.evil.com',
	'https://app.example:444/',
	'https://app.example:443@evil.com/',
	'https://evil.com/https://app.example',
	'////evil.com',
	'/%2fevil.com',
	'/%5cevil.com',
	'/%09/evil.com',
	'%2f%2fevil.com',
	'\\\\evil.com',
	' //evil.com',
	'https://app.example\\@evil.com',
	'https://app.example%2eevil.com',
	'https://app.example%00.evil.com',
	'https://APP.example.evil.com',
	'vbscript:x',
	'file:///etc/passwd',
	'//app.example/',
	'/%252f%252fevil.com/',
	'\u2028//evil.com',
	'/\u0000/evil.com',
	'ftp://app.example/',
	'https://user:pw@app.example/',
];

test('row 35: addresses elsewhere are 403 when the login begins, however they are spelled', async () => {
	for (const value of hostile) {
		const answer = await h.navigate(
			`/.auth/login/corp?post_login_redirect_uri=${encodeURIComponent(value)}`,
		);
		assert.equal(answer.status, 403, JSON.stringify(value));
		assert.deepEqual(answer.setCookies(), []);
		assert.equal(
			(await h.navigate(`/.auth/login?post_login_redirect_uri=${encodeURIComponent(value)}`))
				.status,
			403,
			value,
		);
		assert.equal(
			(await h.navigate(`/.auth/login/corp?post_login_redirect_url=${encodeURIComponent(value)}`))
				.status,
			403,
			value,
		);
	}
});

/** Every way to put pieces together that bypass lists are made of. */
function* generated(): Generator<string> {
	const starts = [
		'/',
		'//',
		'///',
		'/.',
		'/..',
		'/;',
		'/%2f',
		'/%5c',
		'/\\',
		'\\/',
		'/%09',
		'/%0a',
		'/%0d',
		'/%20',
		'/%00',
		'/%252f',
		'/./',
		'/../',
		'/.;/',
		'/..;/',
		'https:',
		'https://',
		'https:///',
		'https:/\\',
		'http://',
		'',
		'?',
		'#',
		'/?',
		'/#',
		'/%2e%2e',
		'/\u00a0',
		'/%e2%80%a9',
		'/%ef%bc%8f',
	];
	const middles = [
		'',
		'/',
		'//',
		'\\',
		'%2f',
		'%5c',
		'@',
		':',
		';',
		'?',
		'#',
		'app.example',
		'app.example@',
		'app.example:',
		'app.example%2f',
		'app.example%23',
		'app.example#',
		'app.example?',
	];
	for (const start of starts) for (const middle of middles) yield `${start}${middle}evil.com/x`;
}

test('rows 36 and 37: 600 combinations are refused or stay on this origin, raw and decoded', () => {
	const { settings } = parseSettings(baseConfig(h.provider), { CORP_SECRET: 'x' }, 8000);
	let refusedCount = 0;
	let checked = 0;
	for (const raw of generated()) {
		for (const value of [raw, decodeURIComponent(raw)]) {
			checked++;
			const result = checkRedirect(value, settings);
			if (result.kind === 'refused') refusedCount++;
			else {
				assert.equal(result.kind, 'local', value);
				const url = new URL(result.value, 'https://app.example');
				assert.equal(url.origin, 'https://app.example', value);
				// What a browser does after it was decoded once more by something between.
				assert.ok(!/^\/[/\\]/.test(decodeURIComponent(result.value)), value);
			}
		}
	}
	assert.ok(checked > 1000 && refusedCount > checked / 2, `${refusedCount} of ${checked}`);
});

test('ordinary return addresses are accepted and kept byte-exact', () => {
	const { settings } = parseSettings(baseConfig(h.provider), { CORP_SECRET: 'x' }, 8000);
	for (const value of [
		'/',
		'/app',
		'/a/b?x=1&y=%20z',
		'/redirect?url=//example.com',
		'/a#part',
		'/ä',
		'/x?q=a+b',
	]) {
		assert.deepEqual(checkRedirect(value, settings), { kind: 'local', value }, value);
	}
	assert.deepEqual(checkRedirect('https://app.example/x?y=1', settings), {
		kind: 'local',
		value: '/x?y=1',
	});
	assert.deepEqual(checkRedirect('https://app.example', settings), { kind: 'local', value: '/' });
	assert.deepEqual(checkRedirect('HTTPS://App.Example/X', settings), {
		kind: 'local',
		value: '/X',
	});
	assert.deepEqual(checkRedirect('HTTPS://App.Example.evil/X', settings), { kind: 'refused' });
	assert.deepEqual(checkRedirect('https://spa.example/cb?state=1', settings), {
		kind: 'external',
		value: 'https://spa.example/cb?state=1',
	});
});

test('row 38: encoded line breaks and NUL are 403', async () => {
	for (const value of [
		'/x%250d%250aSet-Cookie:a=b',
		'/x%0d%0aSet-Cookie:a=b',
		'/x%00',
		'/x%2500',
		'/x?a=%0a',
	]) {
		assert.equal(
			(await h.navigate(`/.auth/login/corp?post_login_redirect_uri=${value.replace(/\?/g, '%3f')}`))
				.status,
			403,
			value,
		);
	}
});

test('row 39: only the exact app address of the list is accepted', async () => {
	const query =
		'session_mode=token&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256';
	const ask = (value: string) =>
		h.navigate(`/.auth/login/corp?post_login_redirect_uri=${encodeURIComponent(value)}&${query}`);
	assert.equal((await ask('vscode://acme.ext/signed-in')).status, 302);
	assert.equal((await ask('vscode://acme.ext/signed-in?x=1')).status, 302);
	for (const value of [
		'vscode://evil.ext/x',
		'vscode://acme.ext/other',
		'vscode://acme.ext/signed-in/',
		'vscode://acme.ext/signed-in/../x',
		'vscode://acme.ext',
		'vscode:acme.ext/signed-in',
		'vscode-insiders://acme.ext/signed-in',
		'vscode://acme.ext/Signed-In',
	]) {
		assert.equal((await ask(value)).status, 403, value);
	}
});

test('row 40: the logout target follows the same table', async () => {
	for (const value of hostile) {
		assert.equal(
			(await h.navigate(`/.auth/logout?post_logout_redirect_uri=${encodeURIComponent(value)}`))
				.status,
			403,
			JSON.stringify(value),
		);
	}
	assert.equal(
		(await h.navigate('/.auth/logout?post_logout_redirect_uri=/bye')).header('location'),
		'/bye',
	);
	const forged = await h.navigate(`/.auth/logout/done?state=${encodeURIComponent('//evil.com')}`);
	assert.equal(forged.status, 200);
	assert.equal(forged.header('location'), undefined);
});

test('an address with letters of any script is led to, in percents', async () => {
	for (const path of ['/ж', '/日本/語?q=ж', '/😀#é', '/é', '/%D0%B6']) {
		const signedOut = await h.navigate(
			`/.auth/logout?post_logout_redirect_uri=${encodeURIComponent(path)}`,
		);
		assert.equal(signedOut.status, 302, path);
		const location = signedOut.header('location') ?? '';
		assert.match(location, /^[\x21-\x7e]+$/, path);
		assert.equal(decodeURI(location), decodeURI(path));
	}
});

test('row 41: the result is posted to an allowed origin only, never to everybody', async () => {
	const ask = (origin: string) =>
		h.navigate(
			`/.auth/login/corp?session_mode=token&completion_type=postMessage&completion_origin=${encodeURIComponent(origin)}`,
		);
	for (const origin of [
		'https://evil',
		'*',
		'null',
		'',
		'https://app.example.evil',
		'https://app.example/x',
		'https://spa.example/cb',
	])
		assert.equal((await ask(origin)).status, 403, origin);
	const done = await h.finish(await ask('https://app.example'));
	assert.equal(done.status, 200);
	assert.match(done.body, /postMessage\(".*LoginCompleted.*","https:\/\/app\.example"\)/);
	assert.ok(!done.body.includes('"*"'));
	assert.match(done.header('content-security-policy')!, /frame-ancestors 'none'/);
	assert.equal(done.header('cross-origin-opener-policy'), undefined);
});

test('row 42: a login never ends at logout or at another login', async () => {
	for (const value of [
		'/.auth/logout',
		'/.auth/login/corp',
		'/.AUTH/logout',
		'/./.auth/logout',
		'/%2eauth/logout',
		'/x/../.auth/logout',
		'https://app.example/.auth/refresh',
	]) {
		const done = await h.finish(
			await h.navigate(`/.auth/login/corp?post_login_redirect_uri=${encodeURIComponent(value)}`),
		);
		assert.equal(done.header('location'), '/', value);
	}
});
