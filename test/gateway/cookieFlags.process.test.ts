/** What the browser is told about the cookies of the layer, and which addresses count as allowed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowedExternal } from '../../server/gateway/access/redirects.ts';
import { Harness } from './support/harness.ts';

/** Attributes of a `Set-Cookie` line in lower case, sorted. */
const attributes = (line: string) =>
	line
		.split(';')
		.slice(1)
		.map((part) => part.trim().toLowerCase())
		.sort();

test('no script reads a cookie of the layer, and none goes over plain HTTP or to another site', async () => {
	await using h = await Harness.start();
	const begun = await h.navigate('/.auth/login/corp?post_login_redirect_uri=%2Fapp');
	const [login, ...more] = begun.setCookies();
	assert.deepEqual(more, []);
	assert.match(login ?? '', /^__Host-/);
	assert.deepEqual(attributes(login ?? ''), [
		'httponly',
		'max-age=600',
		'path=/',
		'samesite=lax',
		'secure',
	]);
	const done = await h.finish(begun);
	const session = done
		.setCookies()
		.find((line) => line.startsWith('__Host-AppServiceAuthSession='));
	assert.deepEqual(attributes(session ?? ''), ['httponly', 'path=/', 'samesite=lax', 'secure']);
	for (const line of done.setCookies()) {
		assert.ok(
			['httponly', 'secure'].every((flag) => attributes(line).includes(flag)),
			line,
		);
	}
	const out = await h.navigate('/.auth/logout', (session ?? '').split(';')[0]);
	const cleared = out
		.setCookies()
		.find((line) => line.startsWith('__Host-AppServiceAuthSession=;'));
	assert.ok(attributes(cleared ?? '').includes('max-age=0'), 'signing out removes it');
});

test('only 127.0.0.1 and [::1] may come with a port of their own choice', () => {
	const allowed = [
		'http://127.0.0.1/signed-in',
		'http://[::1]/signed-in',
		'http://team.example/cb',
	];
	for (const good of [
		'http://127.0.0.1:53123/signed-in?nonce=n',
		'http://[::1]:53123/signed-in',
		'http://team.example/cb?x=1',
	]) {
		assert.equal(isAllowedExternal(good, allowed), true, good);
	}
	for (const bad of [
		'http://team.example:8080/cb',
		'https://127.0.0.1:53123/signed-in',
		'http://127.0.0.2:53123/signed-in',
		'http://localhost:53123/signed-in',
		'http://127.0.0.1:53123/signed-in/more',
	]) {
		assert.equal(isAllowedExternal(bad, allowed), false, bad);
	}
	const fixed = ['http://127.0.0.1:4000/signed-in'];
	assert.equal(isAllowedExternal('http://127.0.0.1:4000/signed-in', fixed), true);
	assert.equal(isAllowedExternal('http://127.0.0.1:4001/signed-in', fixed), false);
});
