/** Emulated providers: a form says who signs in; on this computer only. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatedProviders } from '../../server/gateway/emulate/emulatedProvider.ts';
import { emulatedSettings } from '../../server/gateway/emulate/emulatedSettings.ts';
import { browserHeaders, Harness, pair, sessionOf } from './support/harness.ts';

const fill = async (h: Harness, fields: Record<string, string>, provider = 'corp') => {
	const begun = await h.navigate(`/.auth/login/${provider}?post_login_redirect_uri=/app`);
	assert.equal(begun.status, 302, begun.body);
	const page = new URL(begun.header('location') ?? '');
	assert.equal(page.pathname, '/.auth/emulate');
	const form = await h.navigate(page.pathname + page.search);
	assert.equal(form.status, 200, form.body);
	assert.match(form.body, /emulated/);
	const state = /name="state" value="([^"]+)"/.exec(form.body)?.[1] ?? '';
	const action = /action="([^"]+)"/.exec(form.body)?.[1] ?? '';
	return h.call({
		method: 'POST',
		target: action,
		headers: [
			'Content-Type: application/x-www-form-urlencoded',
			`Cookie: ${begun.setCookies().map(pair).join('; ')}`,
			...browserHeaders,
		],
		body: new URLSearchParams({ state, ...fields }).toString(),
	});
};

test('whoever fills the form is that person with those roles and claims', async () => {
	await using h = await Harness.start({ providers: emulatedProviders });
	const done = await fill(h, {
		userId: 'u-7',
		userDetails: 'ann@example.com',
		userRoles: 'admin, reader',
		claims: '[{"typ":"department","val":"Sales"},{"typ":"groups","val":"g-1"}]',
	});
	assert.equal(done.status, 302, done.body);
	assert.equal(done.header('location'), '/app');
	const cookie = sessionOf(done) ?? '';
	await h.navigate('/app', cookie);
	const header = (name: string) => h.app.last.values(`x-ms-client-principal${name}`)[0] ?? '';
	assert.equal(header('-name'), 'ann@example.com');
	assert.equal(header('-id'), 'u-7');
	assert.equal(header('-idp'), 'corp');
	const { claims, role_typ } = JSON.parse(Buffer.from(header(''), 'base64').toString()) as {
		claims: { typ: string; val: string }[];
		role_typ: string;
	};
	const values = (typ: string) => claims.filter((one) => one.typ === typ).map(({ val }) => val);
	assert.deepEqual(values(role_typ), ['admin', 'reader']);
	assert.deepEqual(values('department'), ['Sales']);
	const me = (await h.get('/.auth/me', [`Cookie: ${cookie}`])).json() as { user_id: string }[];
	assert.equal(me[0]?.user_id, 'ann@example.com');
});

test('a form that says nothing, or claims that are none, sign nobody in', async () => {
	await using h = await Harness.start({ providers: emulatedProviders });
	for (const fields of [
		{ userId: '', userDetails: ' ' },
		{ userId: 'u', claims: 'not JSON' },
		{ userId: 'u', claims: '[{"typ":5}]' },
	]) {
		const answer = await fill(h, fields);
		assert.equal(answer.status, 403, JSON.stringify(fields));
		assert.equal(sessionOf(answer), undefined);
	}
});

test('a layer with real providers has no such page', async () => {
	await using h = await Harness.start();
	assert.equal((await h.navigate('/.auth/emulate?provider=corp&state=x')).status, 404);
});

test('every provider is there, and nothing of it can be reached from elsewhere', () => {
	const here = { host: '127.0.0.1', port: 4281 };
	const file = { globalValidation: { excludedPaths: ['/open'] } };
	const { settings } = emulatedSettings(file, here, 'http://localhost:9000');
	assert.deepEqual(settings.providers.map(({ name }) => name).sort(), [
		'aad',
		'facebook',
		'github',
		'google',
		'microsoftaccount',
		'twitter',
	]);
	assert.deepEqual(settings.access.excludedPaths, ['/open']);
	assert.equal(settings.publicUrl.origin, 'http://127.0.0.1:4281');
	assert.deepEqual([...new Set(settings.allowedHosts)], ['127.0.0.1:4281']);
	assert.throws(
		() => emulatedSettings({}, { host: '0.0.0.0', port: 1 }, 'http://localhost:9'),
		/--host/,
	);
	for (const upstream of ['http://team.example', 'https://10.0.0.5:443', 'nonsense'])
		assert.throws(() => emulatedSettings({}, here, upstream), /--upstream/, upstream);
});
